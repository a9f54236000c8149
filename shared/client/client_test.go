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

// An error's text is a sentence for people: the service's, or else the client's own.
func TestError(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"Show not open": &client.Error{Status: 404, Code: client.NotFound, Message: "Show not open"},
		"There is no such thing, or not any more.":            &client.Error{Status: 404, Code: client.NotFound},
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
		if _, certain := err.(*client.NetworkError); !certain {
			t.Errorf("%s: got %v", name, err)
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

// If a connection broke, or the client cannot know, the change is in doubt.
func TestClient_connectionLost(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on(enterPath, lost)
	s.on(ownPath, says(http.StatusOK, `[]`))
	for name, connections := range map[string]http.RoundTripper{"not seen": silent{http.DefaultTransport}, "not said": failsWith{errors.New("it has failed")}} {
		p := newPlayer(t, s, &client.MemoryStore{}, client.Options{HTTP: &http.Client{Transport: connections}})
		_, err := p.Enter(t.Context(), "s-1", "a-1")
		if _, unknown := errors.AsType[*client.UnknownOutcomeError](err); !unknown {
			t.Errorf("%s: got %v", name, err)
		}
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
