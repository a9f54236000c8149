package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/emf"
)

// api stands in for the service, and checks no password or token.
type api struct {
	*httptest.Server
	players map[string]string // names by address
	fails   string            // method and path of a call that gets a 503
	body    string            // of the 503
	name    string            // is appended to the name in the answer of /me
	callers map[string]bool   // the callers' addresses: one for each connection
}

func newAPI(t *testing.T) *api {
	a := &api{players: map[string]string{}, body: "{}", callers: map[string]bool{}}
	a.Server = httptest.NewServer(http.HandlerFunc(a.answer))
	t.Cleanup(a.Close)
	return a
}

func (a *api) answer(w http.ResponseWriter, r *http.Request) {
	a.callers[r.RemoteAddr] = true
	var sent struct{ Email, Username, RefreshToken string }
	_ = json.NewDecoder(r.Body).Decode(&sent) // a GET has no body
	name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + strings.TrimPrefix(sent.RefreshToken, "refresh ")
	status, body := http.StatusOK, "{}"
	switch call := r.Method + " " + r.URL.Path; call {
	case a.fails:
		status, body = http.StatusServiceUnavailable, a.body
	case "POST /auth/register":
		status, name = http.StatusCreated, sent.Username
		a.players[sent.Email] = name
	case "POST /auth/login":
		if name = a.players[sent.Email]; name == "" {
			status = http.StatusUnauthorized
		}
	case "GET /me":
		body = fmt.Sprintf(`{"username":%q}`, name+a.name)
	case "GET /events/shows":
		body = "[]"
	}
	if strings.HasPrefix(r.URL.Path, "/auth/") && status < 300 {
		body = fmt.Sprintf(`{"token":%q,"refreshToken":"refresh %[1]s"}`, name)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// run runs the job of a stack once. It returns SyntheticPlays and the number of calls from the run's log line.
func (a *api) run(t *testing.T, stack string) (plays, calls float64, err error) {
	t.Helper()
	var log bytes.Buffer
	j := job(a.URL, stack)
	j.Logger, j.Metrics = slog.New(slog.NewJSONHandler(&log, nil)), emf.Source{Namespace: "ranch"}
	err = j.Run(t.Context())
	var line map[string]any
	assert.True(t, json.Unmarshal(log.Bytes(), &line) == nil && !strings.Contains(log.String(), "@example.com") && line["SyntheticPlays"] != nil,
		"the line is %s", &log)
	plays, _ = line["SyntheticPlays"].(float64)
	calls, _ = line["calls"].(float64)
	return plays, calls, err
}

// The first run registers the stack's player: five calls. Later runs log in: four calls. No run uses a connection of
// another: Lambda freezes the process between them, and connections die meanwhile.
func TestPlays(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	used := map[string]bool{}
	for i, want := range []float64{5, 4, 4} {
		clear(a.callers)
		plays, calls, err := a.run(t, "one")
		assert.True(t, plays == 1 && calls == want && err == nil, "run %d: %v plays, %v calls, %v", i, plays, calls, err)
		for caller := range a.callers {
			assert.False(t, used[caller], "run %d uses the connection from %s again", i, caller)
		}
		maps.Copy(used, a.callers)
	}
	_, _, err := a.run(t, "two")
	assert.True(t, err == nil && len(a.players) == 2, "%v, players %v", err, a.players)
}

// If a call fails, the run's error names the call, and SyntheticPlays is 0. If the API is closed, the run succeeds.
func TestACallThatFails(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	_, _, _ = a.run(t, "one")
	for i, call := range []string{"POST /auth/login", "GET /me", "GET /events/shows", "POST /auth/refresh"} {
		a.fails = call
		plays, calls, err := a.run(t, "one")
		assert.True(t, plays == 0 && calls == float64(i+1) && err != nil && strings.Contains(err.Error(), call+" answered 503 {} instead of the status 200"),
			"%s: %v plays, %v calls, %v", call, plays, calls, err)
	}
	a.body = `{"error":"CLOSED"}`
	plays, calls, err := a.run(t, "one")
	assert.True(t, plays == 1 && calls == 4 && err == nil, "closed doors: %v plays, %v calls, %v", plays, calls, err)
	a.fails, a.name = "", "x"
	plays, _, err = a.run(t, "one")
	assert.True(t, plays == 0 && err != nil && strings.Contains(err.Error(), "GET /me answered with the player"),
		"another player: %v plays, %v", plays, err)
	a.Close()
	plays, _, err = a.run(t, "one")
	assert.True(t, plays == 0 && err != nil, "nothing answers: %v plays, %v", plays, err)
}
