package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// screen is a terminal that several write to and a test reads.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *screen) shows(text string) func() bool {
	return func() bool { return strings.Contains(s.String(), text) }
}

func ports(t *testing.T) config {
	return config{port: freePort(t), playPort: freePort(t), dbPort: freePort(t), seed: true, engine: engine.Embedded}
}

// runInBackground returns what the stack prints and a function that ends it and returns its error.
func runInBackground(t *testing.T, cfg config) (out *screen, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out = &screen{}
	done := make(chan error, 1)
	go func() { done <- run(ctx, cfg, out, newConsole(out, false)) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-done
	})
	t.Cleanup(func() { _ = stop() })
	return out, stop
}

// checkGone fails the test if anything still listens on the stack's ports.
func checkGone(t *testing.T, cfg config) {
	t.Helper()
	for _, port := range []int{cfg.port, cfg.playPort, cfg.dbPort} {
		if err := loopback.CheckPort(loopback.Address, port); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// TestRun_theWholeLoopUnderLimits: the functions meet them, setting up and judging does not suffer, and they are told.
func TestRun_theWholeLoopUnderLimits(t *testing.T) {
	cfg := ports(t)
	cfg.limits, cfg.processes = &capacity.Options{PartitionRead: 3, PartitionWrite: 30}, 2
	out := playTheWholeLoop(t, cfg)
	told := regexp.MustCompile(`requests: (\d+), of them throttled [1-9]\d* and in conflict 0; [1-9]\d* read and [1-9]\d* write units, most of them in \S+#\S+ \(`)
	if !told.MatchString(out.String()) {
		t.Errorf("the stack says nothing like %s:\n%s", told, out)
	}
	checkGone(t, cfg)
}

// TestRun_theWholeLoopOnLocalStack plays the tour with the keys of a secret in a Secrets Manager.
func TestRun_theWholeLoopOnLocalStack(t *testing.T) {
	startMoto(t)
	cfg := ports(t)
	cfg.engine = engine.LocalStack
	playTheWholeLoop(t, cfg)
	checkGone(t, cfg)
	secret(t) // moto runs on
}

// programs is where the functions of all tests are built: a `make run` of the developer's goes on undisturbed.
var programs string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if programs, err = os.MkdirTemp("", "ranch-run-test-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(programs)
		return m.Run()
	}())
}

// treeOfPrograms makes a working tree whose functions are the real ones. They are compiled before the stack starts,
// however long that takes on a busy machine.
func treeOfPrograms(t *testing.T) *samtemplate.Template {
	t.Helper()
	real := loadTemplate(t).Root
	if err := build.Make(t.Context(), real, t.Output(), os.Environ(), "functions", "FUNCTIONS_DIR="+programs); err != nil {
		t.Fatal(err)
	}
	return tree(t, fmt.Sprintf("functions:\n\tmkdir .build && ln -s %q .build/functions\n", programs))
}

// playTheWholeLoop builds the functions, plays the tour, and stops. It returns what the stack has told.
func playTheWholeLoop(t *testing.T, cfg config) (out *screen) {
	t.Helper()
	tour := buildProgram(t, "./localstack/run/tour")
	treeOfPrograms(t)
	cfg.logFile = filepath.Join(t.TempDir(), "folder", "log")
	out, stop := runInBackground(t, cfg)
	eventually(t, "the stack is ready", out.shows("\nReady: "))
	if game, api := strings.Index(out.String(), "\nGame:     http://"), strings.Index(out.String(), "\nAPI:      http://"); game < 0 || game > api {
		t.Errorf("the game's address does not come before the API's:\n%s", out)
	}
	played := playTour(t, tour, fmt.Sprintf("http://127.0.0.1:%d", cfg.port))
	for _, want := range []string{
		`"goldBalance": 500`, `"name": "Buck"`, `"Creekside Open"`, `Newcomers' Welcome!`, `"message": "Show judged. 1 entries."`, `"goldReward": 100`,
		`"rewardClaimed": true`, `"mySeasonScore": 100`, "Gold: 600.",
	} {
		if !strings.Contains(played, want) {
			t.Errorf("the tour does not show %s", want)
		}
	}
	if t.Failed() {
		t.Logf("the tour:\n%s\nthe stack:\n%s", played, out)
	}
	found, err := running.Find()
	if want := (running.Stack{API: fmt.Sprintf("http://127.0.0.1:%d", cfg.port), Play: fmt.Sprintf("http://127.0.0.1:%d", cfg.playPort), Endpoint: found.Endpoint, Table: stack.TableName, Secret: stack.SecretIn(cfg.engine)}); err != nil || found != want {
		t.Errorf("the stack is announced as %+v, %v; want %+v", found, err, want)
	}
	if want := " INF POST /events/shows/{id}/judge 200 "; !strings.Contains(out.String(), want) {
		t.Errorf("the log has no line with %q:\n%s", want, out)
	}
	if err := stop(); err != nil {
		t.Errorf("a requested stop: %v", err)
	}
	checkLog(t, cfg.logFile)
	if _, err := running.Find(); !errors.Is(err, running.ErrNone) {
		t.Errorf("after the end, looking for the stack: %v", err)
	}
	return out
}

// checkLog judges the log of a tour.
func checkLog(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	checker := logcheck.NewChecker(logcheck.Options{Skew: logcheck.DefaultSkew})
	if err := checker.Read(file); err != nil {
		t.Fatal(err)
	}
	r := checker.Check()
	for _, kind := range []logcheck.Kind{logcheck.Register, logcheck.Enter, logcheck.Judge, logcheck.Claim} {
		if r.Calls[kind].Done != 1 {
			t.Errorf("by the log, %d calls of %s are done, want 1", r.Calls[kind].Done, kind)
		}
	}
	if r.Found > 0 || r.Lost > 0 {
		t.Errorf("the log has %d processes that ended, and %v", r.Lost, r.Violations)
	}
}

func TestRun_portInUseComesFirst(t *testing.T) {
	tree(t, "functions:\n\techo BUILT\n")
	cfg := ports(t)
	cfg.port = listen(t)
	var out screen
	err := run(t.Context(), cfg, &out, newConsole(&out, false))
	if err == nil || !strings.Contains(err.Error(), strconv.Itoa(cfg.port)) || out.String() != "" {
		t.Errorf("the error is %v, after the output %q", err, &out)
	}
}

func TestRun_failedBuildLeavesNothingRunning(t *testing.T) {
	tree(t, "functions:\n\t@echo does not compile; exit 1\n")
	cfg := ports(t)
	var out screen
	err := run(t.Context(), cfg, &out, newConsole(&out, false))
	if err == nil || !strings.Contains(err.Error(), "building the functions") || !out.shows("does not compile")() {
		t.Errorf("the error is %v, after the output %q", err, &out)
	}
	checkGone(t, cfg)
}

func TestRun_stopsWhileItBuilds(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	tree(t, "functions:\n\t@echo $$$$ >"+pidFile+"; echo compiling; sleep 600\n")
	cfg := ports(t)
	out, stop := runInBackground(t, cfg)
	eventually(t, "the build runs", out.shows("compiling"))
	if err := stop(); err != nil {
		t.Errorf("a requested stop: %v", err)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the compiler is gone", func() bool { return syscall.Kill(pid, 0) != nil })
	checkGone(t, cfg)
}

// buildProgram builds the program of a package, and returns where it is.
func buildProgram(t *testing.T, of string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), filepath.Base(of))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, of)
	build.Dir = loadTemplate(t).Root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestProgram is about what only a process has: signals and an exit status.
func TestProgram(t *testing.T) {
	program := buildProgram(t, "./localstack/run")
	tree(t, buildNothing)
	cfg := ports(t)
	start := func(variables ...string) (*exec.Cmd, *screen) {
		out := &screen{}
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", cfg.port), fmt.Sprintf("PLAY_PORT=%d", cfg.playPort), fmt.Sprintf("DB_PORT=%d", cfg.dbPort))
		cmd.Env = append(cmd.Env, variables...)
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}

	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd, out := start()
		eventually(t, "the stack is ready", out.shows("\nReady: "))
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("after %s it ends with %v:\n%s", signal, err, out)
		}
		checkGone(t, cfg)
	}

	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", cfg.dbPort))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for variable, want := range map[string]string{
		"SEED=maybe": "ranch-local: SEED=maybe is neither demo nor none\n",
		"SEED=none":  fmt.Sprintf("ranch-local: port %d is in use: end what listens there, or choose another with DB_PORT=\n", cfg.dbPort),
	} {
		cmd, out := start(variable)
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 || out.String() != want {
			t.Errorf("%s: %v with the output %q, not %q", variable, err, out, want)
		}
	}
}
