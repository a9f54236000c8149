package gateway

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
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
	// Os/exec sets it with the folder.
	got = slices.DeleteFunc(got, func(variable string) bool { return strings.HasPrefix(variable, "PWD=") })
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
			if processtest.Alive(before) {
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
	f := s.functions[0]
	eventually(t, "its end is noticed", func() bool { return len(s.host.all()) == 0 })
	if len(f.idle) != 0 {
		t.Errorf("%d processes on offer", len(f.idle))
	}
	if after := s.do("instance", "").instance(t).PID; after == before {
		t.Error("the same process after its death")
	}
}

func TestFunctionTimeout(t *testing.T) {
	s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.Timeout = time.Second })
	before := s.do("instance", "").instance(t).PID
	s.do("hang", "").want(t, 500, internalError)
	if s.logs.count("Task timed out after 1.00 seconds") != 1 {
		t.Errorf("log\n%s", s.logs.all())
	}
	if after := s.do("instance", "").instance(t).PID; after == before {
		t.Error("the same process after a timeout")
	}
	eventually(t, "the process is killed", func() bool { return !processtest.Alive(before) })
}

// A process is used for longer than it may take to start, or to answer.
func TestAProcessOutlivesItsTimeouts(t *testing.T) {
	const limit = time.Second
	s := serveOne(t, func(cfg *Config, f *FunctionConfig) { cfg.InitTimeout, f.Timeout = limit, limit })
	begin, first := time.Now(), s.do("instance", "").instance(t).PID
	eventually(t, "both timeouts have passed", func() bool { return time.Since(begin) > 2*limit })
	if pid := s.do("instance", "").instance(t).PID; pid != first || s.logs.count("") > 0 {
		t.Errorf("another process, log\n%s", s.logs.all())
	}
}

// An invocation that its process could not take goes to another.
func TestAnUndeliveredInvocationGoesOn(t *testing.T) {
	s := serveOne(t)
	pid := s.do("instance", "").instance(t).PID
	b := s.host.all()[0]
	b.mu.Lock()
	b.ending = true // as it is while a process is being killed
	b.mu.Unlock()
	if other := s.do("instance", "").instance(t).PID; other == pid {
		t.Error("an ending process got an invocation")
	}
}

// The timeout of an invocation that is over does nothing, even if it comes late.
func TestALateTimeoutKillsNobody(t *testing.T) {
	s := serveOne(t)
	pid := s.do("instance", "").instance(t).PID
	s.host.all()[0].kill("late", &invocation{})
	if other := s.do("instance", "").instance(t).PID; other != pid || s.logs.count("late") != 0 {
		t.Errorf("process %d after %d, log\n%s", other, pid, s.logs.all())
	}
}

func TestRuntimeAPIRefuses(t *testing.T) {
	s := serveOne(t)
	i := s.do("instance", "").instance(t)
	b := s.host.all()[0]
	for _, test := range []struct {
		name, method, path string
		status             int
	}{
		{"an unknown process", "GET", "nobody/2018-06-01/runtime/invocation/next", 403},
		{"a process that is on offer", "GET", b.id + "/2018-06-01/runtime/invocation/next", 403},
		{"an answer to nothing", "POST", b.id + "/2018-06-01/runtime/invocation/none/response", 400},
		{"an answer too late", "POST", b.id + "/2018-06-01/runtime/invocation/" + i.RequestID + "/response", 400},
		{"an error too late", "POST", b.id + "/2018-06-01/runtime/invocation/" + i.RequestID + "/error", 400},
		{"an unknown path", "GET", b.id + "/2018-06-01/runtime/invocation", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), test.method, "http://"+s.host.runtimeAddress()+"/"+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultTransport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			if response.Body.Close(); response.StatusCode != test.status {
				t.Errorf("status %d, want %d", response.StatusCode, test.status)
			}
		})
	}
}

// A request that gives up at the moment in which it gets a process leaves it to the others.
func TestGivingUpLosesNoProcess(t *testing.T) {
	s := serveOne(t)
	s.do("instance", "").instance(t)
	f := s.functions[0]
	given, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		if b, err := f.acquire(given); err == nil {
			f.ready(b)
		}
		if len(f.idle) != 1 || len(f.waiting) != 0 {
			t.Fatalf("%d processes on offer, %d wait", len(f.idle), len(f.waiting))
		}
	}
}

// The client has its answer at once, the function goes on until its own timeout, and its process serves again when it
// is done.
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

// inParallel sends n requests at the same time. All answers come at once.
func inParallel(n int, send func() answer) <-chan []answer {
	done := make(chan []answer, 1)
	go func() {
		answers := make([]answer, n)
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() { answers[i] = send() })
		}
		all.Wait()
		done <- answers
	}()
	return done
}

func TestParallelRequestsHaveProcessesOfTheirOwn(t *testing.T) {
	const n = 4
	barrier := newBarrier(t)
	s := serveOne(t)
	answers := inParallel(n, func() answer { return s.do("wait", barrier.url) })
	barrier.wait(t, n) // all at the same time: nobody goes on before
	barrier.release()
	pids := map[int]bool{}
	for _, a := range <-answers {
		pids[a.instance(t).PID] = true
	}
	if len(pids) != n {
		t.Errorf("%d processes for %d requests", len(pids), n)
	}
}

// queue gives the number of requests that wait for a process.
func (f *function) queue() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.waiting)
}

func TestRequestsBeyondMaxProcessesWait(t *testing.T) {
	const processes, n = 2, 6
	barrier := newBarrier(t)
	s := serveOne(t, func(cfg *Config, _ *FunctionConfig) { cfg.MaxProcesses = processes })
	f := s.functions[0]
	answers := inParallel(n, func() answer { return s.do("wait", barrier.url) })
	barrier.wait(t, processes)
	eventually(t, "the others wait", func() bool { return f.queue() == n-processes })
	if len(barrier.arrived) > 0 || len(s.host.all()) != processes {
		t.Errorf("%d processes, %d more at the barrier", len(s.host.all()), len(barrier.arrived))
	}
	barrier.release()
	pids := map[int]bool{}
	for _, a := range <-answers {
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
	eventually(t, "a request waits", func() bool { return s.functions[0].queue() == 1 })
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	(<-crashed).want(t, 500, internalError)
	if other := (<-waited).instance(t).PID; other == pid {
		t.Error("the same process after a crash")
	}
}
