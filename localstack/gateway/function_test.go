package gateway

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestEnvironment(t *testing.T) {
	t.Setenv("OF_THE_PARENT", "secret")
	s := serveOne(t, func(cfg *Config, f *FunctionConfig) {
		cfg.Region = "eu-central-1"
		cfg.Credentials = Credentials{"id", "key", "token"}
		f.MemoryMB = 512
		f.Environment = map[string]string{"TABLE_NAME": "ranch", "TZ": "Europe/Vienna", "AWS_REGION": "nowhere"}
	})
	i := s.do("instance", "").instance(t)
	var got []string
	for _, variable := range i.Environment {
		name, _, _ := strings.Cut(variable, "=")
		if name != "AWS_LAMBDA_RUNTIME_API" && name != "_X_AMZN_TRACE_ID" { // the library sets the latter
			got = append(got, variable)
		}
	}
	want := []string{
		"AWS_ACCESS_KEY_ID=id", "AWS_DEFAULT_REGION=eu-central-1", "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512", "AWS_LAMBDA_FUNCTION_NAME=Do",
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST", "AWS_LAMBDA_INITIALIZATION_TYPE=on-demand", "AWS_REGION=eu-central-1", "AWS_SECRET_ACCESS_KEY=key",
		"AWS_SESSION_TOKEN=token", "LAMBDA_TASK_ROOT=" + filepath.Dir(binary), "LANG=en_US.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin",
		"TABLE_NAME=ranch", "TZ=Europe/Vienna", "_HANDLER=bootstrap",
	}
	got = slices.DeleteFunc(got, func(variable string) bool { return strings.HasPrefix(variable, "PWD=") }) // os/exec sets it with the folder
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("environment\n%q\nwant\n%q", got, want)
	}
}

func TestInvocation(t *testing.T) {
	s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.Timeout = 7 * time.Second })
	first, second := s.do("instance", "").instance(t), s.do("instance", "").instance(t)
	if first.PID != second.PID {
		t.Error("the second request got another process")
	}
	if first.RequestID == second.RequestID || len(first.RequestID) != 36 {
		t.Errorf("request ids %q and %q", first.RequestID, second.RequestID)
	}
	if want := "arn:aws:lambda:us-east-1:" + accountID + ":function:Do"; first.ARN != want {
		t.Errorf("ARN %q, want %q", first.ARN, want)
	}
	if first.RemainingMS <= 2_000 || first.RemainingMS > 7_000 {
		t.Errorf("%d ms left of a timeout of 7 s", first.RemainingMS)
	}
	if first.Trace == "" || first.Trace == second.Trace {
		t.Errorf("trace ids %q and %q", first.Trace, second.Trace)
	}
}

func TestAnErrorIs500AndTheProcessGoesOn(t *testing.T) {
	s := serveOne(t)
	before := s.do("instance", "").instance(t).PID
	s.do("error", "").want(t, 500, internalError)
	if after := s.do("instance", "").instance(t).PID; after != before {
		t.Error("another process after an error")
	}
}

func TestACrashIs500AndTheProcessIsReplaced(t *testing.T) {
	for command, line := range map[string]string{"panic": "exit status 1", "exit": "exit status 3"} {
		t.Run(command, func(t *testing.T) {
			s := serveOne(t)
			before := s.do("instance", "").instance(t).PID
			s.do(command, "").want(t, 500, internalError)
			eventually(t, "the end of the process is logged", func() bool { return s.logs.count("gateway: the process ended: "+line) == 1 })
			if after := s.do("instance", "").instance(t).PID; after == before {
				t.Error("the same process after a crash")
			}
			if alive(before) {
				t.Error("the crashed process is still there")
			}
		})
	}
}

func TestAnIdleProcessThatDiesIsReplaced(t *testing.T) {
	s := serveOne(t)
	before := s.do("instance", "").instance(t).PID
	if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its end is noticed", func() bool { return len(s.functions[0].all()) == 0 })
	if after := s.do("instance", "").instance(t).PID; after == before {
		t.Error("the same process after its death")
	}
}

func TestFunctionTimeout(t *testing.T) {
	s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.Timeout = 300 * time.Millisecond })
	before := s.do("instance", "").instance(t).PID
	s.do("hang", "").want(t, 500, internalError)
	if s.logs.count("Task timed out after 0.30 seconds") != 1 {
		t.Errorf("log\n%s", s.logs.all())
	}
	if after := s.do("instance", "").instance(t).PID; after == before {
		t.Error("the same process after a timeout")
	}
	eventually(t, "the process is killed", func() bool { return !alive(before) })
}

// The client has its answer at once, the function goes on until its own timeout, and its process serves again when it is done.
func TestIntegrationTimeout(t *testing.T) {
	barrier := newBarrier(t)
	s := serveOne(t, func(cfg *Config, _ *FunctionConfig) {
		cfg.IntegrationTimeout, cfg.MaxProcesses = 500*time.Millisecond, 1
	})
	s.do("wait", barrier.url).want(t, 503, unavailable)
	barrier.wait(t, 1)
	s.do("instance", "").want(t, 503, unavailable) // it waits for the only process in vain
	barrier.release()
	eventually(t, "the process serves again", func() bool { return s.do("instance", "").status == 200 })
	if n := s.logs.count("gateway"); n != 0 {
		t.Errorf("log\n%s", s.logs.all())
	}
}

// inParallel sends n requests at the same time and gives the answers.
func inParallel(n int, send func() answer) []answer {
	answers := make([]answer, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { answers[i] = send() })
	}
	all.Wait()
	return answers
}

func TestParallelRequestsHaveProcessesOfTheirOwn(t *testing.T) {
	const n = 4
	barrier := newBarrier(t)
	s := serveOne(t)
	go func() {
		barrier.wait(t, n) // all at the same time: nobody goes on before
		barrier.release()
	}()
	pids := map[int]bool{}
	for _, a := range inParallel(n, func() answer { return s.do("wait", barrier.url) }) {
		pids[a.instance(t).PID] = true
	}
	if len(pids) != n {
		t.Errorf("%d processes for %d requests", len(pids), n)
	}
}

func TestRequestsBeyondMaxProcessesWait(t *testing.T) {
	const processes, n = 2, 6
	barrier := newBarrier(t)
	s := serveOne(t, func(cfg *Config, _ *FunctionConfig) { cfg.MaxProcesses = processes })
	go func() {
		barrier.wait(t, processes)
		f := s.functions[0]
		eventually(t, "the others wait", func() bool {
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.waiting) == n-processes
		})
		if len(barrier.arrived) > 0 || len(f.all()) != processes {
			t.Errorf("%d processes, %d more at the barrier", len(f.all()), len(barrier.arrived))
		}
		barrier.release()
	}()
	pids := map[int]bool{}
	for _, a := range inParallel(n, func() answer { return s.do("wait", barrier.url) }) {
		pids[a.instance(t).PID] = true
	}
	if len(pids) != processes {
		t.Errorf("%d processes, want %d", len(pids), processes)
	}
}

// A queue does not wait for a process that is gone.
func TestACrashedProcessIsReplacedForThoseWhoWait(t *testing.T) {
	barrier := newBarrier(t)
	s := serveOne(t, func(cfg *Config, _ *FunctionConfig) { cfg.MaxProcesses = 1 })
	pid := s.do("instance", "").instance(t).PID
	crashed, waited := make(chan answer, 1), make(chan answer, 1)
	go func() { crashed <- s.do("wait", barrier.url) }()
	barrier.wait(t, 1)
	go func() { waited <- s.do("instance", "") }()
	eventually(t, "a request waits", func() bool {
		f := s.functions[0]
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.waiting) == 1
	})
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	(<-crashed).want(t, 500, internalError)
	if other := (<-waited).instance(t).PID; other == pid {
		t.Error("the same process after a crash")
	}
}

func TestAFunctionThatFailsAtItsStart(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Config, *FunctionConfig)
		want   string
	}{
		{"exits", func(_ *Config, f *FunctionConfig) { f.Environment = map[string]string{"AT_START": "exit"} },
			`failed at its start: exit status 7; its last line: "cannot read the configuration"`},
		{"reports", func(_ *Config, f *FunctionConfig) { f.Environment = map[string]string{"AT_START": "report"} },
			`the function cannot start: {"errorMessage":"no table"}`},
		{"hangs", func(cfg *Config, f *FunctionConfig) {
			cfg.InitTimeout, f.Environment = 300*time.Millisecond, map[string]string{"AT_START": "hang"}
		}, "no request taken within 300ms of the start"},
		{"is not there", func(_ *Config, f *FunctionConfig) { f.Binary += "-none" }, "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serveOne(t, test.change)
			s.do("instance", "").want(t, 500, internalError)
			if s.logs.count(test.want) != 1 {
				t.Errorf("log\n%s\nwithout %s", s.logs.all(), test.want)
			}
		})
	}
}

// However many requests come, a function that fails at its start is started again only after a pause that grows.
func TestFailingStartsBackOff(t *testing.T) {
	s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.Environment = map[string]string{"AT_START": "exit"} })
	f := s.functions[0]
	begin, requests := time.Now(), 0
	eventually(t, "the third failure", func() bool {
		requests++
		s.do("instance", "").want(t, 500, internalError)
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.failures == 3
	})
	if pause := time.Since(begin); pause < backoff(1)+backoff(2) {
		t.Errorf("the third start after %v, want %v and %v before it", pause, backoff(1), backoff(2))
	}
	if starts := s.logs.count("failed at its start"); starts != 3 || requests < 4 {
		t.Errorf("%d starts for %d requests", starts, requests)
	}
	if a, b := backoff(7), backoff(100); a <= backoff(6) || b < a || b > 10*time.Second {
		t.Errorf("pauses of %v and %v in the end", a, b)
	}
}

func TestCloseLeavesNoProcess(t *testing.T) {
	s := serveOne(t)
	barrier := newBarrier(t)
	go func() {
		barrier.wait(t, 3)
		barrier.release()
	}()
	var pids []int
	for _, a := range inParallel(3, func() answer { return s.do("wait", barrier.url) }) {
		pids = append(pids, a.instance(t).PID)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if s.logs.count("gateway") != 0 {
		t.Errorf("an ordered end is reported:\n%s", s.logs.all())
	}
}

func TestCloseAnswersRequestsUnderWay(t *testing.T) {
	barrier := newBarrier(t)
	s := serveOne(t, func(cfg *Config, _ *FunctionConfig) { cfg.MaxProcesses = 1 })
	working, waiting := make(chan answer, 1), make(chan answer, 1)
	go func() { working <- s.do("wait", barrier.url) }()
	barrier.wait(t, 1)
	go func() { waiting <- s.do("wait", barrier.url) }()
	eventually(t, "a request waits", func() bool {
		f := s.functions[0]
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.waiting) == 1
	})
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	(<-working).want(t, 500, internalError)
	(<-waiting).want(t, 503, unavailable)
}

// SIGTERM alone does not end such a function: the grace period does, or the caller's patience.
func TestCloseKillsTheStubborn(t *testing.T) {
	stubborn := map[string]string{"AT_START": "stubborn"}
	t.Run("after the grace period", func(t *testing.T) {
		s := serveOne(t, func(cfg *Config, f *FunctionConfig) { cfg.GracePeriod, f.Environment = 100*time.Millisecond, stubborn })
		pid, begin := s.do("instance", "").instance(t).PID, time.Now()
		if err := s.Close(context.Background()); err != nil || alive(pid) {
			t.Errorf("%v, alive: %t", err, alive(pid))
		}
		if time.Since(begin) < 100*time.Millisecond {
			t.Error("no grace")
		}
	})
	t.Run("when the context ends", func(t *testing.T) {
		s := serveOne(t, func(cfg *Config, f *FunctionConfig) { cfg.GracePeriod, f.Environment = time.Hour, stubborn })
		pid := s.do("instance", "").instance(t).PID
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Close(ctx); err != nil || alive(pid) {
			t.Errorf("%v, alive: %t", err, alive(pid))
		}
	})
}
