package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// interrupted runs a command, and calls before with each operation on its way to the engine. interrupt acts like
// Ctrl-C. The engine gets an operation only if before returns true.
func (x tool) interrupted(before func(operation string, interrupt func()) (answer bool), args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	at, err := url.Parse(storetest.Endpoint())
	require.NoError(x.t, err)
	engine := loopback.Forward(at)
	ctx, interrupt := context.WithCancel(x.t.Context())
	defer interrupt()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !before(operation(r), interrupt) {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		engine.ServeHTTP(w, r)
	}))
	defer server.Close()
	x.endpoint = server.URL
	return x.runIn(ctx, args...)
}

func operation(r *http.Request) string {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return operation
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
			told := strings.HasSuffix(stderr, "ranchctl: warning: the change was made, but then: interrupted\n")
			assert.True(t, exit == exitDone && (stdout != "" || told), "exit %d: %s%s", exit, stdout, stderr)
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
		assert.Equal(t, c.want, a.repetition(c.args))
	}
}

// csvFile writes a CSV file with these lines, and returns its path.
func csvFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "shows.csv")
	require.NoError(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600))
	return name
}

// A change by a machine whose clock differs from the table's by more than a minute is refused.
func TestAWrongClock(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	for off, want := range map[time.Duration]int{-55 * time.Second: exitDone, 90 * time.Second: exitUsage, -90 * time.Second: exitUsage} {
		at, err := url.Parse(storetest.Endpoint())
		require.NoError(t, err)
		engine := loopback.Forward(at)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
			engine.ServeHTTP(w, r)
		}))
		defer server.Close()
		x.endpoint = server.URL
		_, stderr, exit := x.run("user", "ban", x.Ann.Email)
		assert.True(t, exit == want && (exit == exitDone || strings.Contains(stderr, map[bool]string{true: " behind the service's", false: " ahead of the service's"}[off > 0])), "%v: exit %d: %s", off, exit, stderr)
		_, stderr, exit = x.run("user", "get", x.Ann.Email)
		assert.Equal(t, exitDone, exit, stderr)
	}
}
