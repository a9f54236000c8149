package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/build"
	"github.com/ranch-game/ranch/localstack/samtemplate"
	"github.com/ranch-game/ranch/shared/token"
)

var (
	ownDriver = flag.String("driver", "", "the `command` of a driver; its client plays the scenarios in the place of ours")
	update    = flag.Bool("update", false, "write the page with the list")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "12") // scenarios wait more than they compute
	}
	os.Exit(func() (code int) {
		var err error
		if folder, err = os.MkdirTemp("", "ranch-conformance-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		code = m.Run()
		if opened != nil {
			if err := opened.close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = max(code, 1)
			}
		}
		return code
	}())
}

func digest(refreshToken string) string { return token.Digest(refreshToken) }

// drivers are those of one client: one process for all scenarios, and a second one for those that need two.
type drivers struct {
	first  *driver
	second func() (*driver, error)
}

func startDrivers(t *testing.T, command ...string) *drivers {
	t.Helper()
	start := func() (*driver, error) {
		d, err := startDriver(command...)
		if err == nil {
			t.Cleanup(func() {
				if err := d.stop(); err != nil {
					t.Error(err)
				}
			})
		}
		return d, err
	}
	first, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return &drivers{first: first, second: sync.OnceValues(start)}
}

// TestConformance plays every scenario with each of our clients, or with the one whose driver -driver names.
func TestConformance(t *testing.T) {
	t.Parallel()
	w, err := theWorld()
	if err != nil {
		t.Fatal(err)
	}
	if *ownDriver != "" {
		playAll(t, w, "driver", strings.Fields(*ownDriver)...)
		return
	}
	playAll(t, w, "go", compile(t, "./driver"))
	if command := typescript(t); command != nil {
		playAll(t, w, "typescript", command...)
	}
}

func playAll(t *testing.T, w *world, name string, command ...string) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		d := startDrivers(t, command...)
		for _, scenario := range scenarios() {
			t.Run(scenario.id, func(t *testing.T) {
				t.Parallel()
				scenario.run(begin(t, w, d, patience))
			})
		}
	})
}

// compile compiles a driver that is written in Go, with the race detector where the tests have it.
func compile(t *testing.T, source string) string {
	t.Helper()
	program := filepath.Join(folder, filepath.Base(source))
	arguments := []string{"build", "-o", program}
	if raceDetector {
		arguments = append(arguments, "-race")
	}
	if out, err := exec.CommandContext(t.Context(), "go", append(arguments, source)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// typescript builds the TypeScript client, and returns its driver's command; nil: there is no Node.js.
func typescript(t *testing.T) []string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			message := "NOT TESTED: the TypeScript client, for want of " + tool + ": install Node.js 20 or newer"
			if os.Getenv("CI") == "true" {
				t.Error(message)
			} else {
				t.Log(message)
				fmt.Fprintln(os.Stderr, message)
			}
			return nil
		}
	}
	template, err := samtemplate.LoadRoot()
	if err == nil {
		err = build.Make(t.Context(), template.Root, os.Stderr, os.Environ(), "client")
	}
	if err != nil {
		t.Fatal(err)
	}
	return []string{"node", filepath.Join(template.Root, "localstack", "conformance", "driver", "typescript", "driver.mjs")}
}

// TestCareless plays all scenarios with clients that make mistakes, in two ways: there is none that such a client
// passes in both, so that each can fail.
func TestCareless(t *testing.T) {
	t.Parallel()
	w, err := theWorld()
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, "./careless")
	var mu sync.Mutex
	passed := map[string]int{}
	ways := []string{"lazy", "rash"}
	var group errgroup.Group
	group.SetLimit(24) // most of them wait for what such a client never does
	for _, way := range ways {
		d := startDrivers(t, program, way)
		for _, scenario := range scenarios() {
			group.Go(func() error {
				if len(wrongWith(t, w, d, scenario)) == 0 {
					mu.Lock()
					defer mu.Unlock()
					passed[scenario.id]++
				}
				return nil
			})
		}
	}
	_ = group.Wait() // there are no errors
	for id, n := range passed {
		if n == len(ways) {
			t.Errorf("%s: careless clients pass it", id)
		}
	}
}

// carelessPatience is little: what a careless client takes too long for has failed, as it is to.
const carelessPatience = 3 * time.Second

// wrongWith plays a scenario and returns what is wrong.
func wrongWith(t *testing.T, w *world, d *drivers, scenario scenario) []string {
	t.Helper()
	n := &noted{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer n.end()
		scenario.run(begin(n, w, d, carelessPatience))
	}()
	<-done
	return n.notes
}

// noted keeps failures to itself.
type noted struct {
	testing.TB
	notes []string
	ends  []func()
}

func (n *noted) Errorf(format string, args ...any) {
	n.notes = append(n.notes, fmt.Sprintf(format, args...))
}

func (n *noted) Fatalf(format string, args ...any) {
	n.Errorf(format, args...)
	runtime.Goexit()
}

func (n *noted) Cleanup(f func()) { n.ends = append(n.ends, f) }

func (n *noted) end() {
	for _, f := range slices.Backward(n.ends) {
		f()
	}
}

// TestPatience: who waits for a driver is told when there is nothing to wait for.
func TestPatience(t *testing.T) {
	t.Parallel()
	d, err := startDriver("cat", "/nowhere")
	if err != nil {
		t.Fatal(err)
	}
	<-d.ended
	p := &pending{driver: d, answer: make(chan result)}
	if _, err := p.wait(t.Context()); err == nil || !strings.Contains(err.Error(), "/nowhere") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.driver = &driver{}
	if _, err := p.wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
