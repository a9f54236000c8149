package gateway

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

const renewed = "gateway: the program has changed: starting it anew"

// second is another build of the function of testdata.
var second = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaries, "second")
	return path, build(path, "second")
})

// builds returns the contents of both builds.
func builds(t *testing.T) (first, other []byte) {
	t.Helper()
	path, err := second()
	if err != nil {
		t.Fatal(err)
	}
	return read(t, binary), read(t, path)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// place puts a program in the place of another at once, as `go build` does where it can.
func place(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// serveReplaceable serves one function whose program, the first build, may be replaced at the path returned.
func serveReplaceable(t *testing.T, changes ...func(*Config, *FunctionConfig)) (s service, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "bootstrap")
	place(t, path, read(t, binary))
	replaceable := func(cfg *Config, f *FunctionConfig) { cfg.ReplacementTime, f.Binary = patience, path }
	return serveOne(t, append([]func(*Config, *FunctionConfig){replaceable}, changes...)...), path
}

// wantBuild checks which build a process is of.
func (i instance) wantBuild(t *testing.T, want string) {
	t.Helper()
	if i.Build != want {
		t.Errorf("process %d is of the %s build, want the %s", i.PID, i.Build, want)
	}
}

// wantRenewals checks how often the log says that the program has changed, and that it says nothing else.
func (s service) wantRenewals(want int) {
	s.t.Helper()
	eventually(s.t, "it says so", func() bool { return s.logs.count(renewed) >= want })
	if n := s.logs.count(renewed); n != want || s.logs.count("") != want {
		s.t.Errorf("%d renewals, want %d; log\n%s", n, want, s.logs.all())
	}
}

// The compiler writes over the program of a running process, and touches one that is the same as before.
func TestReload_afterGoBuild(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bootstrap")
	s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.Binary = path })
	var last instance
	for i, name := range []string{"first", "second", "second"} {
		before, _ := os.Stat(path)
		if err := build(path, name); err != nil {
			t.Fatal(err)
		}
		if after, err := os.Stat(path); err != nil || before != nil && after.ModTime().Equal(before.ModTime()) {
			t.Errorf("build %d: not even the time is new: %v", i, err)
		}
		now := s.do("instance", "").instance(t)
		now.wantBuild(t, name)
		if same := now.PID == last.PID; same != (name == last.Build) {
			t.Errorf("build %d: process %d after %d", i, now.PID, last.PID)
		}
		last = now
	}
	s.wantRenewals(1)
}

func TestReload_replacesIdleProcesses(t *testing.T) {
	const n = 3
	first, other := builds(t)
	barrier := newBarrier(t)
	s, path := serveReplaceable(t)
	answers := inParallel(n, func() answer { return s.do("wait", barrier.url) })
	barrier.wait(t, n)
	barrier.release()
	var old []instance
	for _, a := range <-answers {
		old = append(old, a.instance(t))
	}
	eventually(t, "all are idle", func() bool { return s.functions[0].onOffer() == n })
	for i, step := range []struct {
		content []byte
		name    string
	}{{other, "second"}, {first, "first"}} {
		place(t, path, step.content)
		now := s.do("instance", "").instance(t)
		now.wantBuild(t, step.name)
		for range 3 {
			if again := s.do("instance", "").instance(t); again.PID != now.PID {
				t.Errorf("process %d after %d", again.PID, now.PID)
			}
		}
		eventually(t, "those of the build before have ended", func() bool {
			for _, o := range old {
				if processtest.Alive(o.PID) {
					return false
				}
			}
			return len(s.host.all()) == 1
		})
		old = []instance{now}
		s.wantRenewals(i + 1)
	}
}

// onOffer gives the number of idle processes.
func (f *function) onOffer() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.idle)
}

func TestReload_keepsTheProcessesOfAnUnchangedProgram(t *testing.T) {
	first, _ := builds(t)
	s, path := serveReplaceable(t)
	before := s.do("instance", "").instance(t)
	for name, change := range map[string]func() error{
		"touched":   func() error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) },
		"rewritten": func() error { place(t, path, first); return nil },
		"linked":    func() error { return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if after := s.do("instance", "").instance(t); after.PID != before.PID {
			t.Errorf("%s: process %d after %d", name, after.PID, before.PID)
		}
	}
	s.wantRenewals(0)
}

// A process at work finishes its request, whoever waits; those who wait get the new program.
func TestReload_letsAProcessFinish(t *testing.T) {
	_, other := builds(t)
	barrier := newBarrier(t)
	s, path := serveReplaceable(t, func(cfg *Config, _ *FunctionConfig) { cfg.MaxProcesses = 1 })
	working, waiting := make(chan answer, 1), make(chan answer, 1)
	go func() { working <- s.do("wait", barrier.url) }()
	barrier.wait(t, 1)
	place(t, path, other)
	go func() { waiting <- s.do("instance", "") }()
	eventually(t, "a request waits", func() bool { return s.functions[0].queue() == 1 })
	barrier.release()
	old := (<-working).instance(t)
	old.wantBuild(t, "first")
	(<-waiting).instance(t).wantBuild(t, "second")
	eventually(t, "the old process has ended", func() bool { return !processtest.Alive(old.PID) })
	s.wantRenewals(1)
}

// A process that only just starts when the program changes gets no request.
func TestReload_replacesAProcessThatWasStarting(t *testing.T) {
	first, other := builds(t)
	barrier := newBarrier(t)
	s, path := serveReplaceable(t, func(_ *Config, f *FunctionConfig) { f.Environment = map[string]string{"AT_START": barrier.url} })
	asking := make(chan answer, 1)
	go func() { asking <- s.do("instance", "") }()
	barrier.wait(t, 1)
	if s.host.all()[0].program() != sha256.Sum256(first) {
		t.Fatal("it is not known what has been started")
	}
	place(t, path, other)
	barrier.release()
	(<-asking).instance(t).wantBuild(t, "second")
	s.wantRenewals(1)
}

// What is on its way out is no less the gateway's to end.
func TestReload_closeEndsTheRetired(t *testing.T) {
	_, other := builds(t)
	s, path := serveReplaceable(t, func(cfg *Config, f *FunctionConfig) {
		cfg.GracePeriod, cfg.MaxProcesses, f.Environment = patience, 1, map[string]string{"AT_START": "stubborn"}
	})
	old := s.do("instance", "").instance(t)
	place(t, path, other)
	s.do("instance", "").instance(t).wantBuild(t, "second")
	if !processtest.Alive(old.PID) {
		t.Fatal("it has not been asked to end, but made to")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ctx); err != nil || processtest.Alive(old.PID) {
		t.Errorf("%v, alive: %t", err, processtest.Alive(old.PID))
	}
}

// program gives what the process runs.
func (b *bootstrap) program() digest {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content
}
