package client_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

// If the store fails, the player can still play: the client keeps the session in memory, and Session returns the error.
func TestClient_storeFails(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on("/auth/login", says(http.StatusOK, `{"token":%q,"refreshToken":"r.r.2","user":{"id":"u-2"}}`, first))
	s.on("/auth/logout", says(http.StatusOK, `{"success":true}`))
	s.on(refreshPath, refreshed)
	s.on(animalsPath, accepts(second))
	file := filepath.Join(t.TempDir(), "file")
	blocked := client.FileStore{Path: filepath.Join(file, "session.json")}
	put(t, client.FileStore{Path: file}, &client.Session{})
	c := client.New(s.URL, client.Options{Store: blocked})
	if _, there, err := c.Session(t.Context()); there || err == nil {
		t.Errorf("before: %v, %v", there, err)
	}
	if _, err := c.Login(t.Context(), "ann@example.com", "a long password"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := c.Animals(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if n := s.count(refreshPath); n != 1 {
		t.Errorf("refreshed %d times", n)
	}
	if session, there, err := c.Session(t.Context()); session.Token != second || !there || err == nil {
		t.Errorf("got %v, %v, %v", session, there, err)
	}
	if err := c.Logout(t.Context()); err == nil || s.count("/auth/logout") != 1 {
		t.Errorf("logged out: %v, said so %d times", err, s.count("/auth/logout"))
	}
	if _, err := c.Animals(t.Context()); !isEnded(err, client.ReasonLogout) {
		t.Errorf("afterwards: %v", err)
	}
}

func isEnded(err error, reason string) bool {
	over, ok := errors.AsType[*client.SessionEndedError](err)
	return ok && over.Reason == reason
}

// A printed session shows the player, and no secret.
func TestSession_String(t *testing.T) {
	t.Parallel()
	s := client.Session{API: "http://127.0.0.1:1", Username: "ann", Token: "secret-1", RefreshToken: "secret-2"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t", "%T"} {
		for _, v := range []any{s, &s, []client.Session{s}, struct{ S client.Session }{s}} {
			got := fmt.Sprintf(format, v)
			if strings.Contains(got, "secret") || strings.Contains(got, hex.EncodeToString([]byte("secret"))) {
				t.Errorf("%s of %T: %s", format, v, got)
			}
		}
	}
	var lines strings.Builder
	for _, handler := range []slog.Handler{slog.NewJSONHandler(&lines, nil), slog.NewTextHandler(&lines, nil)} {
		slog.New(handler).Info("loaded", "session", s, "the same", &s)
	}
	if said := lines.String(); strings.Contains(said, "secret") || strings.Count(said, s.String()) != 4 {
		t.Errorf("logged %s", said)
	}
	if s.GoString() != s.String() {
		t.Error(s.GoString())
	}
}

// Every answer that is not a success becomes an error by its status and body. Only transient ones are repeated.
func TestClient_answers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer   http.HandlerFunc
		attempts int
		code     client.Code
		text     string
	}{
		"words":         {says(404, `{"error":"NOT_FOUND","message":"Show not open"}`), 1, client.NotFound, "Show not open"},
		"no words":      {says(404, `{"error":"NOT_FOUND"}`), 1, client.NotFound, "There is no such thing, or not any more."},
		"a new code":    {says(418, `{"error":"TEAPOT"}`), 1, "TEAPOT", "The service has answered 418."},
		"details":       {says(400, `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"b":["is long"],"a":["is short","is odd"]}}`), 1, client.ValidationError, "Invalid input; a: is short, is odd; b: is long"},
		"500":           {says(500, `{"error":"INTERNAL_ERROR"}`), 1, client.InternalError, "The service has failed. Please try again later."},
		"429":           {says(429, `{}`), 4, client.TooManyRequests, "Too many ask at the moment. Please try again shortly."},
		"502":           {says(502, `<html>`), 4, client.ServiceUnavailable, "The service is not there at the moment. Please try again shortly."},
		"503":           {says(503, ``), 4, client.ServiceUnavailable, "The service is not there at the moment. Please try again shortly."},
		"closed":        {says(503, `{"error":"CLOSED","message":"Please come back soon."}`), 4, client.Closed, "Please come back soon."},
		"504":           {says(504, ``), 4, client.ServiceUnavailable, "The service is not there at the moment. Please try again shortly."},
		"a redirection": {http.RedirectHandler("/", http.StatusFound).ServeHTTP, 1, client.Unexpected, "The service has given an answer that this version does not understand."},
		"no JSON":       {says(200, `<html>`), 1, client.Unexpected, "The service's answer was not understood: invalid character '<' looking for beginning of value"},
		"null":          {says(200, ` null`), 1, client.Unexpected, "The service's answer was not understood: there is nothing in it"},
		"too large":     {says(200, "%s", "["+strings.Repeat(" ", 32<<20)), 1, client.Unexpected, "The service's answer was not understood: the answer has more than 32 MB"},
	} {
		s := newService(t)
		s.on(animalsPath, test.answer)
		p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
		_, err := p.Animals(t.Context())
		if client.CodeOf(err) != test.code || err == nil || err.Error() != test.text || s.count(animalsPath) != test.attempts {
			t.Errorf("%s: got %s, %v in %d attempts", name, client.CodeOf(err), err, s.count(animalsPath))
		}
	}
}

// The client ignores unknown fields of an answer.
func TestClient_newFields(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on(animalsPath, says(200, `[{"id":"a-1","horns":2}]`))
	s.on("/events/season", inTurn(says(200, `{"active":false,"next":"soon"}`), says(200, `{"id":"n-1","isActive":true,"mySeasonScore":7,"weather":"dry"}`)))
	p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
	if animals, err := p.Animals(t.Context()); err != nil || len(animals) != 1 || animals[0].ID != "a-1" {
		t.Errorf("animals: %v, %v", animals, err)
	}
	if season, err := p.Season(t.Context()); err != nil || season != nil {
		t.Errorf("no season: %v, %v", season, err)
	}
	if season, err := p.Season(t.Context()); err != nil || season == nil || season.MySeasonScore != 7 {
		t.Errorf("season: %v, %v", season, err)
	}
}

// A change is not in doubt if no connection was made: closed port, unknown name, dead proxy, untrusted certificate, or
// a time-out before.
func TestClient_noConnection(t *testing.T) {
	t.Parallel()
	const closed = "http://127.0.0.1:1" // no system gives this port to a program that asks for a free one
	unresolved := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "api.example.com", IsNotFound: true}
	}}
	untrusted := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked") }))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()
	proxy, _ := url.Parse(closed)
	for name, test := range map[string]struct {
		api         string
		connections http.RoundTripper
		timeout     time.Duration
	}{
		"refused":           {closed, nil, 0},
		"unresolved":        {closed, unresolved, 0},
		"no proxy":          {closed, &http.Transport{Proxy: http.ProxyURL(proxy)}, 0},
		"no proxy, TLS":     {"https://127.0.0.1:1", &http.Transport{Proxy: http.ProxyURL(proxy)}, 0},
		"not trusted":       {untrusted.URL, nil, 0},
		"dialling too long": {closed, &http.Transport{DialContext: dialsForEver}, 20 * time.Millisecond},
		"silent, refused":   {closed, silent{failsWith{&net.OpError{Op: "dial", Err: errors.New("refused")}}}, 0},
	} {
		store := &client.MemoryStore{}
		put(t, store, &client.Session{API: test.api, UserID: "u-1", Token: first})
		c := client.New(test.api, client.Options{
			HTTP: &http.Client{Transport: test.connections}, Store: store, Timeout: test.timeout,
			Wait: func(context.Context, time.Duration) error { return nil },
		})
		_, err := c.Enter(t.Context(), "s-1", "a-1")
		if got := describe(false, err); got != "network" {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

func dialsForEver(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// silent drops the request's trace, as the RoundTrippers of other libraries may.
type silent struct{ http.RoundTripper }

func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	return s.RoundTripper.RoundTrip(r.WithContext(context.Background()))
}

type failsWith struct{ error }

func (f failsWith) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.error }

// If there was a connection, or the client cannot know, the change is in doubt.
func TestClient_connectionLost(t *testing.T) {
	t.Parallel()
	for name, sender := range map[string]*http.Client{
		"seen": nil, "not seen": {Transport: silent{http.DefaultTransport}}, "not said": {Transport: failsWith{errors.New("it has failed")}},
	} {
		s := newService(t)
		s.on(enterPath, lost)
		s.on(ownPath, says(http.StatusOK, "%s", nothing))
		p := newPlayer(t, s, &client.MemoryStore{}, client.Options{HTTP: sender})
		_, err := p.Enter(t.Context(), "s-1", "a-1")
		if got := describe(false, err); got != "unknown network" {
			t.Errorf("%s: got %s, %v", name, got, err)
		}
	}
}

// A network error's message is a sentence for people, without addresses. A program can unwrap the cause.
func TestNetworkError(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Close()
	p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
	_, err := p.Animals(t.Context())
	failed, ok := errors.AsType[*client.NetworkError](err)
	if !ok || err.Error() != "The service cannot be reached." {
		t.Fatalf("got %v", err)
	}
	if _, ok := errors.AsType[*net.OpError](err); !ok || !strings.Contains(failed.Unwrap().Error(), s.URL) {
		t.Errorf("the cause: %v", failed.Unwrap())
	}
}

// No redirect is followed, with any HTTP client.
func TestClient_redirections(t *testing.T) {
	t.Parallel()
	elsewhere := newService(t)
	for name, sender := range map[string]*http.Client{
		"none": nil, "own": {}, "follows": {CheckRedirect: func(*http.Request, []*http.Request) error { return nil }},
	} {
		for _, status := range []int{302, 307} {
			s := newService(t)
			away := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL+r.URL.Path, status) }
			for _, path := range []string{"/auth/login", refreshPath, animalsPath, enterPath} {
				s.on(path, away)
			}
			p := newPlayer(t, s, &client.MemoryStore{}, client.Options{HTTP: sender})
			_, animals := p.Animals(t.Context())
			_, enter := p.Enter(t.Context(), "s-1", "a-1")
			_, login := p.Login(t.Context(), "ann@example.com", "a long password")
			p.forward(time.Hour)
			_, refresh := p.Animals(t.Context())
			for _, err := range []error{animals, enter, login, refresh} {
				if client.CodeOf(err) != client.Unexpected {
					t.Errorf("%s, %d: got %v", name, status, err)
				}
			}
			if sender != nil && (name == "own") != (sender.CheckRedirect == nil) {
				t.Errorf("%s: the caller's own client was changed", name)
			}
		}
	}
	elsewhere.mu.Lock()
	defer elsewhere.mu.Unlock()
	if len(elsewhere.calls) > 0 {
		t.Errorf("asked elsewhere: %v", elsewhere.calls)
	}
}

// Passwords and tokens do not go to another machine over http://, unless the game allows it.
func TestAddressesThatAreNotSafe(t *testing.T) {
	var sent int
	sends := func(api string, o client.Options) (bool, error) {
		sent = 0
		o.HTTP, o.Attempts = &http.Client{Transport: failsWith{errors.New("no answer")}}, 1
		o.Trace = func(client.Exchange) { sent++ }
		_, err := client.New(api, o).Login(t.Context(), "ann@example.com", "password")
		return sent > 0, err
	}
	for _, host := range []string{"api.example.com", "localhost.example.com", "127.0.0.1.example.com", "localhost@example.com", "10.0.0.1", "[::2]", "0.0.0.0"} {
		for _, scheme := range []string{"http://", "HTTP://"} {
			if does, err := sends(scheme+host, client.Options{}); does || !errors.Is(err, client.ErrHTTP) {
				t.Errorf("%s%s: sent: %v, %v", scheme, host, does, err)
			}
			if does, err := sends(scheme+host, client.Options{AllowHTTP: true}); !does || errors.Is(err, client.ErrHTTP) {
				t.Errorf("%s%s, allowed: sent: %v, %v", scheme, host, does, err)
			}
		}
		if does, _ := sends("https://"+host, client.Options{}); !does {
			t.Errorf("https://%s: not sent", host)
		}
	}
	for _, host := range []string{"localhost", "LOCALHOST:3000", "127.0.0.1:3000", "127.9.9.9", "[::1]:3000"} {
		if does, _ := sends("http://"+host, client.Options{}); !does {
			t.Errorf("http://%s: not sent", host)
		}
	}
}
