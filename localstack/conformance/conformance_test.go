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
	"strings"
	"sync"
	"testing"

	"github.com/ranch-game/ranch/localstack/build"
	"github.com/ranch-game/ranch/localstack/samtemplate"
	"github.com/ranch-game/ranch/shared/token"
)

var (
	ownDriver = flag.String("driver", "", "the `command` of a driver; its client plays the scenarios in the place of ours")
	update    = flag.Bool("update", false, "write docs/scenarios.md")
)

func TestMain(m *testing.M) {
	flag.Parse()
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

// compile compiles a driver that is written in Go.
func compile(t *testing.T, source string) string {
	t.Helper()
	program := filepath.Join(folder, filepath.Base(source))
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, source).CombinedOutput(); err != nil {
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

// TestCareless plays all scenarios with clients that make mistakes, each of its own kind: there is none that such a
// client passes in all of its ways, so that each can fail.
func TestCareless(t *testing.T) {
	t.Parallel()
	w, err := theWorld()
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, "./careless")
	var passed sync.Map
	t.Run("ways", func(t *testing.T) {
		for _, way := range []string{"lazy", "rash"} {
			t.Run(way, func(t *testing.T) {
				t.Parallel()
				d := startDrivers(t, program, way)
				for _, scenario := range scenarios() {
					t.Run(scenario.id, func(t *testing.T) {
						t.Parallel()
						if tried := try(t, w, d, scenario); len(tried) == 0 {
							passed.Store(scenario.id+" "+way, true)
						}
					})
				}
			})
		}
	})
	for _, scenario := range scenarios() {
		_, lazy := passed.Load(scenario.id + " lazy")
		_, rash := passed.Load(scenario.id + " rash")
		if lazy && rash {
			t.Errorf("%s: careless clients pass it", scenario.id)
		}
	}
}

// try plays a scenario and returns what is wrong.
func try(t *testing.T, w *world, d *drivers, scenario scenario) []string {
	t.Helper()
	n := &noted{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		scenario.run(begin(n, w, d, patience/6))
	}()
	<-done
	return n.notes
}

// noted keeps failures to itself.
type noted struct {
	testing.TB
	notes []string
}

func (n *noted) Errorf(format string, args ...any) {
	n.notes = append(n.notes, fmt.Sprintf(format, args...))
}

func (n *noted) Fatalf(format string, args ...any) {
	n.Errorf(format, args...)
	runtime.Goexit()
}

// scenarios are all of them, by theme.
func scenarios() []scenario {
	var all []scenario
	for _, theme := range themes {
		all = append(all, theme.scenarios...)
	}
	return all
}

// theme is what some scenarios are about.
type theme struct {
	title     string
	scenarios []scenario
}

var themes = []theme{
	{"Logging in and out", accounts},
	{"Refreshing", refreshing},
	{"Storage, tabs and processes", storage},
	{"Clocks", clocks},
	{"Lost answers: entering", entering},
	{"Lost answers: judging, claiming, registering", otherChanges},
	{"Refusals", refusals},
	{"Repeating and waiting", repeating},
	{"Giving up: cancellation and time-outs", givingUp},
	{"Events", events},
	{"Answers that are none", hostile},
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

// ids are stable and unique.
func TestIDs(t *testing.T) {
	t.Parallel()
	var seen []string
	for _, s := range scenarios() {
		if slices.Contains(seen, s.id) || strings.ContainsAny(s.id, " /") || !strings.HasSuffix(s.sentence, ".") {
			t.Errorf("%s: %s", s.id, s.sentence)
		}
		seen = append(seen, s.id)
	}
}
