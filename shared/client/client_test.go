package client_test

import (
	"cmp"
	"context"
	"encoding/base64"
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
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

const (
	refreshPath = "/auth/refresh"
	loginPath   = "/auth/login"
	logoutPath  = "/auth/logout"
	animalsPath = "/animals"
)

var first, second = accessToken("first"), accessToken("second")

// accessToken returns a token that is valid for 15 minutes.
func accessToken(name string) string {
	const issued = 1_795_167_000
	payload := fmt.Sprintf(`{"jti":%q,"iat":%d,"exp":%d}`, name, issued, issued+900)
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2ln"
}

// service stands in for the API in tests that the conformance scenarios cannot play with the real service. It accepts
// only the access token second.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]string // by path: the status and the body; "" means that the connection breaks
	calls   map[string]int    // by path
}

func newService(t *testing.T, answers map[string]string) *service {
	s := &service{answers: answers, calls: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.calls[r.URL.Path]++
		answer := s.answers[r.URL.Path]
		s.mu.Unlock()
		if r.URL.Path == animalsPath {
			answer = map[bool]string{true: "200 []", false: `401 {"error":"UNAUTHORIZED"}`}[r.Header.Get("Authorization") == "Bearer "+second]
		}
		text, body, said := strings.Cut(answer, " ")
		status, err := strconv.Atoi(text)
		if !said || err != nil {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) on(path, answer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer
}

func (s *service) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[path]
}

// loggedIn returns the answer to a log-in, with the access token.
func loggedIn(access string) string {
	return fmt.Sprintf(`200 {"token":%q,"refreshToken":"r.r.2","user":{"id":"u-2"}}`, access)
}

// put stores a session.
func put(t *testing.T, store client.Store, s *client.Session) {
	t.Helper()
	if err := store.Update(t.Context(), func(*client.Session) *client.Session { return s }); err != nil {
		t.Fatal(err)
	}
}

// player returns a client that never waits, and whose session has the access token first.
func player(t *testing.T, s *service, o client.Options) *client.Client {
	t.Helper()
	o.Store, o.Wait = cmp.Or(o.Store, client.Store(&client.MemoryStore{})), func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	put(t, o.Store, &client.Session{API: s.URL, UserID: "u-1", Username: "ann", Token: first, RefreshToken: "r-1"})
	return client.New(s.URL, o)
}

// If the session's store fails, the player can still play: the client keeps the session in memory, and Session returns
// the error.
func TestClient_storeFails(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string]string{loginPath: loggedIn(first), logoutPath: `200 {"success":true}`, refreshPath: fmt.Sprintf(`200 {"token":%q}`, second)})
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
	if err := c.Logout(t.Context()); err == nil || s.count(logoutPath) != 1 {
		t.Errorf("logged out: %v, said so %d times", err, s.count(logoutPath))
	}
	if _, err := c.Animals(t.Context()); !isEnded(err, client.ReasonLogout) {
		t.Errorf("afterwards: %v", err)
	}
}

func isEnded(err error, reason string) bool {
	over, ok := errors.AsType[*client.SessionEndedError](err)
	return ok && over.Reason == reason
}

// If a listener logs in or out during a refresh, it gets no further event of that refresh.
func TestEvents_overtaken(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string]string{loginPath: loggedIn(accessToken("third")), logoutPath: `200 {"success":true}`})
	for name, test := range map[string]struct {
		do   func(*client.Client) error
		told client.Event
	}{
		"logout": {func(c *client.Client) error { return c.Logout(t.Context()) }, client.Event{Kind: client.SessionEnded, Reason: client.ReasonLogout}},
		"login":  {func(c *client.Client) error { _, err := c.Login(t.Context(), "", ""); return err }, client.Event{Kind: client.SessionStarted}},
	} {
		var told []client.Event
		var c *client.Client
		c = player(t, s, client.Options{Attempts: 1, Events: func(e client.Event) {
			told = append(told, e)
			if e.Kind == client.Reachable {
				if err := test.do(c); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}})
		s.on(refreshPath, "")
		_, _ = c.Animals(t.Context())
		s.on(refreshPath, fmt.Sprintf(`200 {"token":%q}`, second))
		_, err := c.Animals(t.Context())
		if _, over := errors.AsType[*client.SessionEndedError](err); !over {
			t.Errorf("%s: the call got %v", name, err)
		}
		if want := []client.Event{{Kind: client.Unreachable}, {Kind: client.Reachable}, test.told}; !slices.Equal(told, want) {
			t.Errorf("%s: told %v, want %v", name, told, want)
		}
	}
}

// The client holds no lock while it delivers an event, so that the listener may call the client.
func TestEvents_mayCall(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string]string{loginPath: loggedIn(second), refreshPath: `401 {"error":"UNAUTHORIZED"}`})
	store, told := &client.MemoryStore{}, []client.Event(nil)
	var c *client.Client
	c = player(t, s, client.Options{Store: store, Events: func(e client.Event) {
		unlock, err := store.Lock(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		unlock()
		if told = append(told, e); e.Kind != client.SessionEnded {
			return
		}
		_, login := c.Login(t.Context(), "ann@example.com", "a long password")
		_, animals := c.Animals(t.Context())
		if err := errors.Join(login, animals); err != nil {
			t.Error(err)
		}
	}})
	if _, err := c.Animals(t.Context()); !isEnded(err, client.ReasonBanned) {
		t.Errorf("got %v", err)
	}
	if want := []client.Event{{Kind: client.SessionEnded, Reason: client.ReasonBanned}, {Kind: client.SessionStarted}}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
}

// No printed or logged form of a session shows a token.
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

// An error's text is for people: the service's message, or else the client's own sentence.
func TestError(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"Show not open": &client.Error{Status: 404, Code: client.NotFound, Message: "Show not open"},
		"It does not exist, or no longer exists.":             &client.Error{Status: 404, Code: client.NotFound},
		"The service has answered 418.":                       &client.Error{Status: 418, Code: "TEAPOT"},
		"Invalid input; a: is short, is odd; b: is long":      &client.Error{Message: "Invalid input", Details: map[string][]string{"b": {"is long"}, "a": {"is short", "is odd"}}},
		"The service cannot be reached.":                      &client.NetworkError{Err: errors.New("dial tcp 127.0.0.1:1")},
		"It is not known whether this was done (lost). Wait.": &client.UnknownOutcomeError{Advice: "Wait.", Err: errors.New("lost")},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err.Error(), want)
		}
	}
}

// If a call gets no connection, it certainly changed nothing: closed port, unknown name, dead proxy, untrusted
// certificate, or a time-out while it connects.
func TestClient_noConnection(t *testing.T) {
	t.Parallel()
	const closed = "http://127.0.0.1:1" // no system assigns this port to a program that asks for a free port
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
		"silent, refused":   {closed, silent(failsWith(&net.OpError{Op: "dial", Err: errors.New("refused")})), 0},
	} {
		store := &client.MemoryStore{}
		put(t, store, &client.Session{API: test.api, UserID: "u-1", Token: first})
		c := client.New(test.api, client.Options{
			HTTP: &http.Client{Transport: test.connections}, Store: store, Timeout: test.timeout,
			Wait: func(context.Context, time.Duration) error { return nil },
		})
		_, err := c.Enter(t.Context(), "s-1", "a-1")
		if _, certain := err.(*client.NetworkError); !certain {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func dialsForEver(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// silent drops the request's trace, as the RoundTrippers of other libraries may.
func silent(next http.RoundTripper) roundTripper {
	return func(r *http.Request) (*http.Response, error) {
		return next.RoundTrip(r.WithContext(context.Background()))
	}
}

func failsWith(err error) roundTripper {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// If a connection breaks, or the client cannot know whether there was one, the outcome of a change is unknown.
func TestClient_connectionLost(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string]string{"/me/entries": `200 []`})
	for name, connections := range map[string]http.RoundTripper{"not seen": silent(http.DefaultTransport), "not said": failsWith(errors.New("it has failed"))} {
		_, err := player(t, s, client.Options{HTTP: &http.Client{Transport: connections}}).Enter(t.Context(), "s-1", "a-1")
		if _, unknown := errors.AsType[*client.UnknownOutcomeError](err); !unknown {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// The client sends nothing to another machine over http://, unless Options.AllowHTTP is set.
func TestAddressesThatAreNotSafe(t *testing.T) {
	var sent int
	sends := func(api string, o client.Options) (bool, error) {
		sent = 0
		o.HTTP, o.Attempts = &http.Client{Transport: failsWith(errors.New("no answer"))}, 1
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
