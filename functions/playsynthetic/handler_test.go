package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
)

// api stands in for the service. The drill and the local stack use the real one.
type api struct {
	*httptest.Server
	known  map[string]string // passwords by address
	fails  string            // this call is answered with 503
	body   string            // of that answer
	name   string            // another name, in the answer of /me
	called []string
}

func newAPI(t *testing.T) *api {
	a := &api{known: map[string]string{}, body: "{}"}
	a.Server = httptest.NewServer(http.HandlerFunc(a.answer))
	t.Cleanup(a.Close)
	return a
}

func (a *api) answer(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + r.URL.Path
	a.called = append(a.called, call)
	var sent struct{ Email, Password, Username, RefreshToken string }
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &sent)
	say := func(status int, text string, values ...any) {
		w.WriteHeader(status)
		fmt.Fprintf(w, text, values...)
	}
	session := `{"token":%q,"refreshToken":"refresh %[1]s"}`
	name, authorized := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case call == a.fails:
		say(http.StatusServiceUnavailable, "%s", a.body)
	case call == "POST /auth/login" && a.known[sent.Email] != "" && a.known[sent.Email] == sent.Password:
		say(http.StatusOK, session, strings.TrimSuffix(sent.Email, "@example.com"))
	case call == "POST /auth/login":
		say(http.StatusUnauthorized, "{}")
	case call == "POST /auth/register" && game.ValidUsername(sent.Username) && game.ValidEmail(sent.Email) && len(sent.Password) >= 8:
		a.known[sent.Email] = sent.Password
		say(http.StatusCreated, session, sent.Username)
	case !authorized && call != "POST /auth/refresh":
		say(http.StatusUnauthorized, "{}")
	case call == "GET /me":
		say(http.StatusOK, `{"username":%q}`, name+a.name)
	case call == "GET /events/shows":
		say(http.StatusOK, "[]")
	case call == "POST /auth/refresh" && sent.RefreshToken == "refresh "+name:
		say(http.StatusOK, session, name)
	default:
		say(http.StatusNotFound, "{}")
	}
}

// run runs the job of a stack once. It returns the figure of its line and the number of its calls.
func (a *api) run(t *testing.T, stack string) (plays, calls float64, err error) {
	t.Helper()
	var log bytes.Buffer
	j := job(a.URL, stack)
	j.Logger, j.Metrics = slog.New(slog.NewJSONHandler(&log, nil)), emf.Source{Namespace: "ranch"}
	err = j.Run(t.Context())
	var line map[string]any
	if json.Unmarshal(log.Bytes(), &line) != nil || strings.Contains(log.String(), "@example.com") || line["SyntheticPlays"] == nil {
		t.Errorf("the line is %s", &log)
	}
	plays, _ = line["SyntheticPlays"].(float64)
	calls, _ = line["calls"].(float64)
	return plays, calls, err
}

// The first run registers the stack's player. Later runs log in as that player.
func TestPlays(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for i, want := range []float64{5, 4, 4} {
		if plays, calls, err := a.run(t, "one"); plays != 1 || calls != want || err != nil {
			t.Errorf("run %d: %v plays, %v calls, %v", i, plays, calls, err)
		}
	}
	if _, _, err := a.run(t, "two"); err != nil || len(a.known) != 2 {
		t.Errorf("%v, players %v", err, a.known)
	}
}

// If any call fails, the run fails, names the call, and does not count as played.
func TestACallThatFails(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	_, _, _ = a.run(t, "one")
	for i, call := range []string{"POST /auth/login", "GET /me", "GET /events/shows", "POST /auth/refresh"} {
		a.fails = call
		if plays, calls, err := a.run(t, "one"); plays != 0 || calls != float64(i+1) || err == nil || !strings.Contains(err.Error(), call+" answered 503 {} instead of a status in [200") {
			t.Errorf("%s: %v plays, %v calls, %v", call, plays, calls, err)
		}
	}
	a.body = `{"error":"CLOSED"}`
	if plays, calls, err := a.run(t, "one"); plays != 1 || calls != 4 || err != nil {
		t.Errorf("closed doors: %v plays, %v calls, %v", plays, calls, err)
	}
	a.fails, a.name = "", "x"
	if plays, _, err := a.run(t, "one"); plays != 0 || err == nil || !strings.Contains(err.Error(), "GET /me answered with the player") {
		t.Errorf("another player: %v plays, %v", plays, err)
	}
	a.Close()
	if plays, _, err := a.run(t, "one"); plays != 0 || err == nil {
		t.Errorf("nothing answers: %v plays, %v", plays, err)
	}
}
