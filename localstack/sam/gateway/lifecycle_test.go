package gateway

import (
	"context"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

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
		{"is not there", func(cfg *Config, f *FunctionConfig) {
			cfg.ReplacementTime, f.Binary = 100*time.Millisecond, f.Binary+"-none"
		}, "no such file"},
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
	begin := time.Now()
	eventually(t, "the third failure", func() bool {
		s.do("instance", "").want(t, 500, internalError)
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.failures == 3
	})
	if pause := time.Since(begin); pause < backoff(1)+backoff(2) {
		t.Errorf("the third start after %v, want %v and %v before it", pause, backoff(1), backoff(2))
	}
	if starts := s.logs.count("failed at its start"); starts != 3 {
		t.Errorf("%d starts", starts)
	}
	if a, b := backoff(7), backoff(100); a <= backoff(6) || b < a || b > 10*time.Second {
		t.Errorf("pauses of %v and %v in the end", a, b)
	}
}

// A process that is killed takes what it is doing with it, and another one takes its place.
func TestAProcessIsKilled(t *testing.T) {
	s := serveOne(t)
	if running := s.Processes(); len(running) != 0 {
		t.Errorf("%d processes before the first request", len(running))
	}
	barrier := newBarrier(t)
	answers := inParallel(1, func() answer { return s.do("wait", barrier.url) })
	barrier.wait(t, 1)
	running := s.Processes()
	if len(running) != 1 || running[0].Function != s.functions[0].cfg.LogicalID {
		t.Fatalf("%d processes with one request under way: %+v", len(running), running)
	}
	running[0].Kill()
	for _, a := range <-answers {
		a.want(t, 500, internalError)
	}
	if s.logs.count("gateway: the process ended: signal: killed") != 1 {
		t.Errorf("log\n%s", s.logs.all())
	}
	s.do("instance", "").instance(t)
	running[0].Kill() // which is no more
	s.do("instance", "").instance(t)
}

func TestCloseLeavesNoProcess(t *testing.T) {
	s := serveOne(t)
	barrier := newBarrier(t)
	answers := inParallel(3, func() answer { return s.do("wait", barrier.url) })
	barrier.wait(t, 3)
	barrier.release()
	var pids []int
	for _, a := range <-answers {
		pids = append(pids, a.instance(t).PID)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if processtest.Alive(pid) {
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
	eventually(t, "a request waits", func() bool { return s.functions[0].queue() == 1 })
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
		if err := s.Close(context.Background()); err != nil || processtest.Alive(pid) {
			t.Errorf("%v, alive: %t", err, processtest.Alive(pid))
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
		if err := s.Close(ctx); err != nil || processtest.Alive(pid) {
			t.Errorf("%v, alive: %t", err, processtest.Alive(pid))
		}
	})
}
