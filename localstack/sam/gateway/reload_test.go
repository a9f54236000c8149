package gateway

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// place replaces a program in one step, by renaming, as `go build` usually does.
func place(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path+".new", content, 0o700), os.Rename(path+".new", path)); err != nil {
		t.Fatal(err)
	}
}

// write replaces a program by only its beginning, and returns a function that writes the rest. `go build` does so if it
// cannot rename.
func write(t *testing.T, path string, content []byte, beginning int) (finish func()) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(content[:beginning]); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		if _, err := f.Write(content[beginning:]); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
	}
}

// serveReplaceable serves one function whose program a test can replace at the returned path. At first, the program is
// the first build.
func serveReplaceable(t *testing.T, changes ...func(*Config, *FunctionConfig)) (s service, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "bootstrap")
	place(t, path, first)
	replaceable := func(cfg *Config, f *FunctionConfig) { cfg.replacementTime, f.Binary = patience, path }
	return serveOne(t, append([]func(*Config, *FunctionConfig){replaceable}, changes...)...), path
}

// wantBuild checks which build answers, or has answered.
func (s service) wantBuild(want string, asked <-chan answer) instance {
	s.t.Helper()
	i := (<-asked).instance(s.t)
	if i.Build != want {
		s.t.Errorf("process %d is of the %s build, want the %s", i.PID, i.Build, want)
	}
	return i
}

func (s service) asking() <-chan answer { return s.doing("instance", "") }

// wantRenewals checks how often the log reports a changed program, and that the log reports nothing else.
func (s service) wantRenewals(want int) {
	s.t.Helper()
	const renewed = "gateway: the program has changed: restarting it"
	processtest.Eventually(s.t, "it says so", func() bool { return s.logs.count(renewed) >= want })
	s.logs.want(s.t, want, renewed)
	s.logs.want(s.t, want, "")
}

// awaitEnd waits until a process is gone.
func awaitEnd(t *testing.T, i instance) {
	t.Helper()
	processtest.Eventually(t, "the old process has ended", func() bool { return !processtest.Alive(i.PID) })
}

// The next request after `go build` gets the new program, and the idle processes of the old program end. If a build
// changes nothing, the processes go on.
func TestReload(t *testing.T) {
	s, path := serveReplaceable(t)
	barrier := newBarrier(t)
	one, other := s.doing("wait", barrier.url), s.doing("wait", barrier.url)
	barrier.wait(t, 2)
	barrier.release()
	old := []instance{s.wantBuild("first", one), s.wantBuild("first", other)}
	var now instance
	for range 2 {
		if err := build(path, "second"); err != nil {
			t.Fatal(err)
		}
		i := s.wantBuild("second", s.asking())
		if now.PID != 0 && i.PID != now.PID {
			t.Error("another process without a change")
		}
		now = i
		for _, i := range old {
			awaitEnd(t, i)
		}
	}
	s.wantRenewals(1)
}

// A busy process finishes its request, and waiting requests get the new program. A process of the old program that is
// just starting gets no request. Close also ends the processes of an old program.
func TestReload_atWork(t *testing.T) {
	t.Run("on a request", func(t *testing.T) {
		barrier := newBarrier(t)
		s, path := serveReplaceable(t, oneProcess)
		working := s.doing("wait", barrier.url)
		barrier.wait(t, 1)
		place(t, path, second)
		waiting := s.asking()
		s.awaitQueue(1)
		barrier.release()
		old := s.wantBuild("first", working)
		s.wantBuild("second", waiting)
		awaitEnd(t, old)
		s.wantRenewals(1)
	})
	t.Run("on its start", func(t *testing.T) {
		barrier := newBarrier(t)
		s, path := serveReplaceable(t, environment("AT_START", barrier.url))
		asking := s.asking()
		barrier.wait(t, 1)
		place(t, path, second)
		barrier.release()
		s.wantBuild("second", asking)
		s.wantRenewals(1)
	})
	t.Run("on its end", func(t *testing.T) {
		s, path := serveReplaceable(t, oneProcess, environment("AT_START", "stubborn"), func(cfg *Config, _ *FunctionConfig) { cfg.gracePeriod = patience })
		old := s.ask()
		place(t, path, second)
		s.wantBuild("second", s.asking())
		if !processtest.Alive(old.PID) {
			t.Fatal("it was killed, and not asked to end")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Close(ctx); err != nil || processtest.Alive(old.PID) {
			t.Errorf("%v, alive: %t", err, processtest.Alive(old.PID))
		}
	})
}

// While the program is missing, the processes of the last program go on. If a request needs a new process, it waits
// until the program is complete.
func TestReload_midway(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, path string) (finish func()){
		"missing": func(t *testing.T, path string) func() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			return func() { place(t, path, second) }
		},
		"open for writing": func(t *testing.T, path string) func() { return write(t, path, second, len(second)) },
		"written in half":  func(t *testing.T, path string) func() { return write(t, path, second, 100) },
		"empty": func(t *testing.T, path string) func() {
			write(t, path, nil, 0)()
			return func() { place(t, path, second) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, path := serveReplaceable(t)
			before := s.ask()
			finish := prepare(t, path)
			if name == "missing" {
				if s.ask().PID != before.PID {
					t.Error("another process without a program")
				}
				s.Processes()[0].Kill()
				processtest.Eventually(t, "it is gone", func() bool { workers, _, _ := s.state(); return workers == 0 })
			}
			asking := s.asking()
			select {
			case a := <-asking:
				t.Fatalf("%d %s before the program is there", a.status, a.body)
			case <-time.After(5 * startPause):
			}
			finish()
			s.wantBuild("second", asking)
			s.logs.want(t, 1, "gateway: the program has changed")
		})
	}
}

// A program that stays incomplete is a failure. After it is replaced, the new program starts at once, without the pause
// that follows a failed start.
func TestReload_afterAFailure(t *testing.T) {
	for text, line := range map[string]string{string(second[:100]): "exec format error", "#!/bin/sh\nexit 9\n": "exit status 9"} {
		s, path := serveReplaceable(t, func(cfg *Config, _ *FunctionConfig) { cfg.replacementTime = 50 * time.Millisecond })
		s.ask()
		place(t, path, []byte(text))
		s.do("instance", "").want(t, 500, internalError)
		f := s.functions[0]
		f.mu.Lock()
		f.notBefore = time.Now().Add(time.Hour)
		f.mu.Unlock()
		s.do("instance", "").want(t, 500, internalError)
		s.logs.want(t, 1, "failed at its start")
		s.logs.want(t, 1, line)
		place(t, path, second)
		s.wantBuild("second", s.asking())
	}
}
