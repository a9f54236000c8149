package gateway

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// While there is no program, the processes of the last one go on.
func TestReload_goesOnWithoutAProgram(t *testing.T) {
	_, other := builds(t)
	s, path := serveReplaceable(t)
	before := s.do("instance", "").instance(t)
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if now := s.do("instance", "").instance(t); now.PID != before.PID {
			t.Errorf("process %d after %d", now.PID, before.PID)
		}
	}
	s.wantRenewals(0)
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	place(t, path, other)
	s.do("instance", "").instance(t).wantBuild(t, "second")
	s.wantRenewals(1)
}

// A request that needs a process waits a little for a program that is only just being written.
func TestReload_waitsForAProgram(t *testing.T) {
	_, other := builds(t)
	for name, prepare := range map[string]func(t *testing.T, path string) (finish func() error){
		"that is missing": func(t *testing.T, path string) func() error {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			return func() error { place(t, path, other); return nil }
		},
		"that is open for writing": func(t *testing.T, path string) func() error {
			return write(t, path, other, len(other)).Close
		},
		"that is written in half": func(t *testing.T, path string) func() error {
			const half = 100
			f := write(t, path, other, half)
			return func() error {
				_, err := f.Write(other[half:])
				return errors.Join(err, f.Close())
			}
		},
		"that is empty": func(t *testing.T, path string) func() error {
			f := write(t, path, other, 0)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			return func() error { place(t, path, other); return nil }
		},
	} {
		t.Run("at the first request "+name, func(t *testing.T) {
			s, path := serveReplaceable(t)
			finish := prepare(t, path)
			s.askAndThen(finish).wantBuild(t, "second")
			s.wantRenewals(0)
		})
		if name == "that is missing" {
			continue // TestReload_goesOnWithoutAProgram
		}
		t.Run("in place of another "+name, func(t *testing.T) {
			s, path := serveReplaceable(t)
			s.do("instance", "").instance(t).wantBuild(t, "first")
			finish := prepare(t, path)
			s.askAndThen(finish).wantBuild(t, "second")
			s.wantRenewals(1)
		})
	}
}

// write puts a program's beginning in the place of another and leaves it open for the rest.
func write(t *testing.T, path string, content []byte, n int) *os.File {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(content[:n]); err != nil {
		t.Fatal(err)
	}
	return f
}

// askAndThen sends a request, does something a few attempts to start the function later, and returns who has answered.
func (s service) askAndThen(do func() error) instance {
	s.t.Helper()
	done := make(chan answer, 1)
	go func() { done <- s.do("instance", "") }()
	select {
	case a := <-done:
		s.t.Fatalf("%d %s before the program is there", a.status, a.body)
	case <-time.After(10 * startPause):
	}
	if err := do(); err != nil {
		s.t.Fatal(err)
	}
	return (<-done).instance(s.t)
}

// A program that stays incomplete is a failure, until it is replaced.
func TestReload_givesUpOnHalfAProgram(t *testing.T) {
	_, other := builds(t)
	s, path := serveReplaceable(t, func(cfg *Config, _ *FunctionConfig) { cfg.ReplacementTime = 50 * time.Millisecond })
	s.do("instance", "").instance(t).wantBuild(t, "first")
	place(t, path, other[:100])
	s.do("instance", "").want(t, 500, internalError)
	if s.logs.count("failed at its start") != 1 || s.logs.count("exec format error") != 1 {
		t.Errorf("log\n%s", s.logs.all())
	}
	place(t, path, other)
	s.do("instance", "").instance(t).wantBuild(t, "second")
}

// A program that fails at its start is given a pause, but not the one that takes its place.
func TestReload_forgetsFailures(t *testing.T) {
	_, other := builds(t)
	s, path := serveReplaceable(t)
	place(t, path, []byte("#!/bin/sh\nexit 9\n"))
	s.do("instance", "").want(t, 500, internalError)
	f := s.functions[0]
	f.mu.Lock()
	f.notBefore = time.Now().Add(time.Hour)
	f.mu.Unlock()
	s.do("instance", "").want(t, 500, internalError)
	if n := s.logs.count("exit status 9"); n != 1 {
		t.Errorf("%d starts within the pause", n)
	}
	place(t, path, other)
	s.do("instance", "").instance(t).wantBuild(t, "second")
	if n := s.logs.count(renewed); n != 1 {
		t.Errorf("log\n%s", s.logs.all())
	}
}

// Clients ask without a pause while the program is replaced again and again, in each of the ways in which `go build`
// does it.
func TestReload_underLoad(t *testing.T) {
	const clients, replacements = 8, 8
	first, other := builds(t)
	s, path := serveReplaceable(t, func(cfg *Config, _ *FunctionConfig) { cfg.MaxProcesses = 4 })
	s.do("instance", "").instance(t).wantBuild(t, "first")
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if a := s.do("instance", ""); a.err != nil || a.status != http.StatusOK {
					t.Errorf("%d %s %v", a.status, a.body, a.err)
				}
			}
		})
	}
	for i := range replacements {
		content, name := other, "second"
		if i%2 == 1 {
			content, name = first, "first"
		}
		if i%4 < 2 {
			place(t, path, content)
		} else {
			f := write(t, path, content, len(content)/2)
			if _, err := f.Write(content[len(content)/2:]); err != nil {
				t.Error(err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		s.do("instance", "").instance(t).wantBuild(t, name)
	}
	close(stop)
	all.Wait()
	s.wantRenewals(replacements)
	last := s.do("instance", "").instance(t) // upon which those go that were at work until now
	last.wantBuild(t, "first")
	eventually(t, "only processes of the last build are left", func() bool {
		return !slices.ContainsFunc(s.host.all(), func(b *bootstrap) bool { return b.program() != sha256.Sum256(first) })
	})
}
