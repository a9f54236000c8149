package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// interrupted runs a command, and calls before with each operation on its way to the engine. interrupt acts like
// Ctrl-C. The engine gets an operation only if before returns true.
func (x tool) interrupted(before func(operation string, interrupt func()) (answer bool), args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	return x.through(func(engine http.Handler, interrupt func()) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !before(operation(r), interrupt) {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			engine.ServeHTTP(w, r)
		})
	}, args...)
}

func operation(r *http.Request) string {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return operation
}

// through runs a command on an engine behind the handler that front returns.
func (x tool) through(front func(engine http.Handler, interrupt func()) http.Handler, args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	engine, err := url.Parse(storetest.Endpoint())
	if err != nil {
		x.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(x.t.Context())
	defer cancel()
	server := httptest.NewServer(front(loopback.Forward(engine), cancel))
	defer server.Close()
	x.endpoint = server.URL
	return x.runIn(ctx, args...)
}

// The outcome of a file's first show is unknown, and the printed command repeats the file. Whenever the first attempt
// arrives, there is one show.
func TestAFileIsTakenAgainAfterAnUnclearShow(t *testing.T) {
	t.Parallel()
	for name, arrivesBefore := range map[string]func(operation string) bool{
		"before the shows are read":  func(operation string) bool { return operation == "Query" },
		"before the show is created": func(operation string) bool { return operation == "TransactWriteItems" },
		"after the show is created":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			x := newTool(t)
			x.AddSeason(t)
			create := []string{"show", "create", "-f", csvFile(t, "name,tier,fee,closes-at", "Cup,pro,25,2026-11-21T09:30:00Z", "Cap,pro,25,2026-11-21T09:30:00Z"), "-o", "json"}
			var late func()
			_, stderr, exit := x.through(func(engine http.Handler, interrupt func()) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if late == nil && operation(r) == "TransactWriteItems" {
						body, err := io.ReadAll(r.Body)
						if err != nil {
							t.Error(err)
						}
						attempt := r.Clone(t.Context())
						attempt.Body = io.NopCloser(bytes.NewReader(body))
						late = sync.OnceFunc(func() { engine.ServeHTTP(httptest.NewRecorder(), attempt) })
						interrupt()
					}
					if late != nil {
						w.WriteHeader(http.StatusServiceUnavailable)
						return
					}
					engine.ServeHTTP(w, r)
				})
			}, create...)
			if exit != exitUnclear || late == nil || !strings.Contains(stderr, "since it makes no change twice:\n  ranchctl --endpoint") {
				t.Fatalf("exit %d: %s", exit, stderr)
			}
			_, stderr, exit = x.interrupted(func(operation string, _ func()) bool {
				if arrivesBefore != nil && arrivesBefore(operation) {
					late()
				}
				return true
			}, create...)
			late()
			if exit != exitDone || strings.Contains(stderr, "Cup, which closes at 2026-11-21T09:30:00.000Z, exists already") != (arrivesBefore != nil) {
				t.Errorf("exit %d: %s", exit, stderr)
			}
			var shows []object
			if x.json(&shows, "show", "list"); len(shows) != 2 {
				t.Errorf("there are %v", shows)
			}
			x.Invariants(t)
		})
	}
}

// If the change was made and only its result cannot be read, the command succeeds with a warning.
func TestMadeAndNotRead(t *testing.T) {
	t.Parallel()
	for path := range changing {
		switch path {
		case "user delete", "user set", "show cancel", "show repair", "season close":
			// These commands do further required work after the change.
			continue
		}
		t.Run(path, func(t *testing.T) {
			x := newTool(t)
			x.AddFair(t)
			args := x.command(path)
			before := x.audit()
			var written atomic.Bool
			stdout, stderr, exit := x.interrupted(func(operation string, interrupt func()) bool {
				if written.Load() {
					interrupt()
					return false
				}
				written.Store(operation == "TransactWriteItems")
				return true
			}, args...)
			if told := strings.HasSuffix(stderr, "ranchctl: warning: the change was made, but then: interrupted\n"); exit != exitDone || stdout == "" && !told {
				t.Errorf("exit %d: %s%s", exit, stdout, stderr)
			}
			storetest.Equal(t, "records", len(x.auditSince(before)), 1)
		})
	}
}

// The printed command repeats the same change, whatever characters its words have.
func TestRepetition(t *testing.T) {
	t.Parallel()
	a := &app{program: "ranchctl"}
	a.change.ID = "the-id"
	for _, c := range []struct {
		given string
		args  []string
		want  string
	}{
		{"", []string{"user", "ban", "a@b.co"}, "ranchctl user ban a@b.co --change the-id"},
		{"the-id", []string{"user", "ban", "a@b.co", "--change", "the-id"}, "ranchctl user ban a@b.co --change the-id"},
		{"", []string{"gold", "adjust", "--", "-5"}, "ranchctl gold adjust --change the-id -- -5"},
		{"the-id", []string{"", "$x", "a b", "it's", "é", "--name=x"}, `ranchctl '' '$x' 'a b' 'it'\''s' 'é' --name=x`},
	} {
		a.repeated = c.given
		if got := a.repetition(c.args); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// csvFile writes a CSV file with these lines, and returns its path.
func csvFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "shows.csv")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
