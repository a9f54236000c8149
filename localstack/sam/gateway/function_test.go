package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

func TestEnvironment(t *testing.T) {
	t.Setenv("OF_THE_PARENT", "secret")
	s := serveOne(t, func(_ *Config, f *FunctionConfig) {
		f.MemoryMB = 512
		f.Variables = map[string]string{"TABLE_NAME": "cats", "TZ": "Europe/Vienna", "_HANDLER": "other"}
	})
	var got []string
	for _, variable := range s.ask().Environment {
		name, _, _ := strings.Cut(variable, "=")
		// os/exec sets PWD, and Lambda's Go library sets the trace id.
		if !slices.Contains([]string{"AWS_LAMBDA_RUNTIME_API", "_X_AMZN_TRACE_ID", "PWD"}, name) {
			got = append(got, variable)
		}
	}
	want := []string{
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE=512", "AWS_LAMBDA_FUNCTION_NAME=Do",
		"AWS_LAMBDA_FUNCTION_VERSION=$LATEST", "AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"LAMBDA_TASK_ROOT=" + filepath.Dir(binary), "LANG=en_US.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin",
		"TABLE_NAME=cats", "TZ=Europe/Vienna", "_HANDLER=bootstrap",
	}
	slices.Sort(got)
	assert.True(t, slices.Equal(got, want), "environment\n%q\nwant\n%q", got, want)
}

func TestInvocation(t *testing.T) {
	s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.Timeout = 7 * time.Second })
	first, second := s.ask(), s.ask()
	assert.True(t, first.PID == second.PID && first.RequestID != second.RequestID && len(first.RequestID) == 36 && first.Trace != "" && first.Trace != second.Trace,
		"%+v, then %+v", first, second)
	assert.True(t, first.RemainingMS > 2_000 && first.RemainingMS <= 7_000, "%d ms left of 7 s", first.RemainingMS)
}

// After an error of a function, the client gets a 500, and the process goes on. A crash or a timeout ends the process,
// and another process takes the next request.
func TestFailures(t *testing.T) {
	for command, test := range map[string]struct {
		timeout time.Duration
		log     string // "": the process goes on
	}{
		"error": {patience, ""},
		"exit":  {patience, "gateway: the process ended: exit status 3"},
		"hang":  {50 * time.Millisecond, "Task timed out after 0.05 seconds"},
	} {
		t.Run(command, func(t *testing.T) {
			s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.Timeout = test.timeout })
			if test.log == "" {
				before := s.ask().PID
				s.do(command, "").want(t, 500, internalError)
				assert.Equal(t, before, s.ask().PID, "another process after an error")
				return
			}
			s.do(command, "").want(t, 500, internalError)
			s.logs.want(t, 1, test.log)
			processtest.Eventually(t, "the process is gone", func() bool { workers, _, _ := s.state(); return workers == 0 })
			if test.timeout == patience {
				s.ask()
			}
		})
	}
}

// If a process is killed, its invocation fails. If an idle process is killed, no invocation fails. Another process
// replaces the killed process, also for waiting requests.
func TestAProcessIsKilled(t *testing.T) {
	s := serveOne(t, oneProcess)
	if running := s.Processes(); len(running) != 0 {
		t.Errorf("%d processes before the first request", len(running))
	}
	barrier := newBarrier(t)
	killed := s.doing("wait", barrier.url)
	barrier.wait(t, 1)
	waiting := s.doing("instance", "")
	s.awaitQueue(1)
	running := s.Processes()
	require.Len(t, running, 1, "processes with one request under way")
	running[0].Signal(syscall.SIGKILL)
	(<-killed).want(t, 500, internalError)
	before := (<-waiting).instance(t)
	s.logs.want(t, 1, "gateway: the process ended: signal: killed")
	s.Processes()[0].Signal(syscall.SIGKILL)
	processtest.Eventually(t, "the idle process is gone", func() bool { workers, _, _ := s.state(); return workers == 0 })
	assert.True(t, s.ask().PID != before.PID && !processtest.Alive(before.PID), "the same process after its death")
}

// A client that gives up gets its answer at once. The function goes on to its end, and its process then serves again.
// If the client's request waits, the gateway drops it.
func TestAClientGivesUp(t *testing.T) {
	barrier := newBarrier(t)
	s := serveOne(t, oneProcess)
	giveUp := func(do string, meanwhile func()) {
		ctx, cancel := context.WithCancel(t.Context())
		recorder, done := httptest.NewRecorder(), make(chan struct{})
		request := httptest.NewRequestWithContext(ctx, "POST", "/do", strings.NewReader(barrier.url))
		request.Header = http.Header{"X-Do": {do}, "Content-Type": {"text/plain"}}
		go func() { s.ServeHTTP(recorder, request); close(done) }()
		meanwhile()
		cancel()
		<-done
		assert.True(t, recorder.Code == 503 && recorder.Body.String() == unavailable, "%d %s", recorder.Code, recorder.Body)
	}
	giveUp("wait", func() { barrier.wait(t, 1) })
	giveUp("exit", func() { s.awaitQueue(1) })
	s.awaitQueue(0)
	barrier.release()
	s.ask()
	assert.Empty(t, s.logs.all())
}

// Each concurrent request gets its own process, up to the function's maximum. Further requests wait.
func TestParallelRequests(t *testing.T) {
	const processes, requests = 3, 7
	barrier := newBarrier(t)
	s := serveOne(t, func(cfg *Config, _ *FunctionConfig) { cfg.MaxProcesses = processes })
	var answers []<-chan answer
	for range requests {
		answers = append(answers, s.doing("wait", barrier.url))
	}
	barrier.wait(t, processes)
	s.awaitQueue(requests - processes)
	workers, idle, _ := s.state()
	assert.True(t, workers == processes && idle == 0 && len(barrier.arrived) == 0,
		"%d processes, %d idle, %d more at the barrier", workers, idle, len(barrier.arrived))
	barrier.release()
	pids := map[int]bool{}
	for _, a := range answers {
		pids[(<-a).instance(t).PID] = true
	}
	assert.Len(t, pids, processes, "%d processes, want %d", len(pids), processes)
}

func TestAFunctionThatFailsAtItsStart(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config, *FunctionConfig)
		want   string
	}{
		"exits": {environment("AT_START", "exit"), `failed at its start: exit status 7; its last line: "cannot read the configuration"`},
		"hangs": {func(cfg *Config, f *FunctionConfig) {
			cfg.initTimeout, f.Variables = 50*time.Millisecond, map[string]string{"AT_START": "hang"}
		}, "no request taken within 50ms of the start"},
		"is not there": {func(_ *Config, f *FunctionConfig) { f.Binary += "-none" }, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serveOne(t, test.change)
			s.do("instance", "").want(t, 500, internalError)
			s.logs.want(t, 1, test.want)
		})
	}
}

// Close ends the running and the waiting requests, and all processes. It kills processes that ignore SIGTERM after
// the grace period.
func TestClose(t *testing.T) {
	for name, change := range map[string]func(*Config, *FunctionConfig){
		"in order": func(cfg *Config, _ *FunctionConfig) { cfg.gracePeriod = time.Hour },
		"after the grace period": func(cfg *Config, f *FunctionConfig) {
			cfg.gracePeriod, f.Variables = 50*time.Millisecond, map[string]string{"AT_START": "stubborn"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			barrier := newBarrier(t)
			s := serveOne(t, change, oneProcess)
			pid := s.ask().PID
			working := s.doing("wait", barrier.url)
			barrier.wait(t, 1)
			waiting := s.doing("wait", barrier.url)
			s.awaitQueue(1)
			begin := time.Now()
			err := s.Close()
			assert.True(t, err == nil && !processtest.Alive(pid), "%v, alive: %t", err, processtest.Alive(pid))
			assert.True(t, name != "after the grace period" || time.Since(begin) >= 50*time.Millisecond, "no grace")
			(<-working).want(t, 500, internalError)
			(<-waiting).want(t, 503, unavailable)
			s.logs.want(t, 0, "gateway") // an orderly end is not reported
		})
	}
}
