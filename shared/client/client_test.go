package client_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

// accessToken returns a token that is valid for 15 minutes and has a name, so that tokens differ.
func accessToken(name string) string {
	payload := fmt.Sprintf(`{"iat":1795167000,"exp":1795167900,"jti":%q}`, name)
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2ln"
}

var first, second = accessToken("first"), accessToken("second")

// service is an API that gives each path its answers in order, and the last one again and again. An answer is a status
// and a body. "" breaks the connection off. /animals needs the access token second.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string][]string
	calls   []string
}

func newService(t *testing.T, answers map[string][]string) *service {
	t.Helper()
	s := &service{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.calls = append(s.calls, r.URL.Path)
		given := s.answers[r.URL.Path]
		if len(given) > 1 {
			s.answers[r.URL.Path] = given[1:]
		}
		s.mu.Unlock()
		switch {
		case r.URL.Path == "/animals" && r.Header.Get("Authorization") != "Bearer "+second:
			given = []string{`401 {"error":"UNAUTHORIZED"}`}
		case len(given) == 0:
			given = []string{"200 []"}
		}
		text, body, _ := strings.Cut(given[0], " ")
		status, err := strconv.Atoi(text)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) count(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, call := range s.calls {
		if call == path {
			n++
		}
	}
	return n
}

// player returns a client that never waits, and whose access token is that old.
func (s *service) player(age time.Duration, token string) *client.Client {
	session := client.Session{UserID: "u-1", Username: "ann", Token: token, RefreshToken: "r-1", ReceivedAt: time.Now().Add(-age)}
	return client.New(s.URL, client.Options{Session: &session, Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
}

func endedBy(err error) string {
	if over, ok := errors.AsType[*client.SessionEndedError](err); ok {
		return over.Reason
	}
	return fmt.Sprintf("(%v)", err)
}

// A client refreshes a token that is nearly 15 minutes old or comes from the future, and a token that the service
// refuses. Concurrent calls share the refresh.
func TestClient_refreshes(t *testing.T) {
	t.Parallel()
	for age, refused := range map[time.Duration]bool{
		14*time.Minute + time.Second: false, 14*time.Minute - time.Second: true, -time.Hour: false,
	} {
		s := newService(t, map[string][]string{"/auth/refresh": {"429", "", fmt.Sprintf(`200 {"token":%q}`, second)}})
		c := s.player(age, first)
		var calls sync.WaitGroup
		for range 10 {
			calls.Go(func() {
				if _, err := c.Animals(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		calls.Wait()
		if n := s.count("/auth/refresh"); n != 3 || (s.count("/animals") > 10) != refused {
			t.Errorf("at the age of %v there are %d refreshes, want 3: after a 429 and a lost answer; and %d calls, of 10", age, n, s.count("/animals"))
		}
	}
}

// Three refusals of a refresh end the session, and no other answer does.
func TestClient_ends(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`400 {"error":"MISSING_TOKEN"}`:                                              "refused",
		`401 {"error":"UNAUTHORIZED"}`:                                               "banned",
		`401 {"error":"INVALID_TOKEN","message":"Refresh token invalid or expired"}`: "refused",
		`401 {"error":"INVALID_TOKEN","message":"Invalid refresh token"}`:            "",
		`500 {"error":"INTERNAL_ERROR"}`:                                             "",
		`200 <html>`:                                                                 "",
		"429":                                                                        "",
		"":                                                                           "",
	} {
		s := newService(t, map[string][]string{"/auth/refresh": {answer}})
		c := s.player(0, first)
		_, err := c.Animals(t.Context())
		if _, there := c.Session(); err == nil || there != (want == "") || want != "" && endedBy(err) != want {
			t.Errorf("after %q: %v, the session goes on: %t", answer, err, there)
		}
	}
}

// A log-in begins a session, and a log-out ends it even if the service fails.
func TestClient_logsInAndOut(t *testing.T) {
	t.Parallel()
	s := newService(t, map[string][]string{
		"/auth/login":  {"503", fmt.Sprintf(`200 {"token":%q,"refreshToken":"r.r.2","user":{"id":"u-2","username":"bob"}}`, second)},
		"/auth/logout": {"500"},
	})
	c := client.New(s.URL, client.Options{Wait: func(context.Context, time.Duration) error { return nil }})
	if _, err := c.Animals(t.Context()); endedBy(err) != "none" || len(s.calls) != 0 {
		t.Errorf("before: %v after %q", err, s.calls)
	}
	account, loginErr := c.Login(t.Context(), "bob@example.com", "a long password")
	_, animalsErr := c.Animals(t.Context())
	session, there := c.Session()
	if err := errors.Join(loginErr, animalsErr); err != nil || account.ID != "u-2" || !there || session.Username != "bob" {
		t.Errorf("logged in as %+v: %v, %v", account, session, err)
	}
	if shown := fmt.Sprintf("%v %+v %#v", session, &session, session); strings.Contains(shown, second) {
		t.Errorf("a session shows its token: %s", shown)
	}
	if err := c.Logout(t.Context()); err == nil {
		t.Error("a log-out that the service has not confirmed has no error")
	}
	if _, err := c.Animals(t.Context()); endedBy(err) != "logout" || c.Logout(t.Context()) != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A change is repeated only after an answer that rules it out. A read is repeated after every failure that may pass.
func TestClient_repeats(t *testing.T) {
	t.Parallel()
	const enter, entered = "/events/shows/s-1/enter", `201 {"success":true,"entryFee":10}`
	for _, c := range []struct {
		answers string // with ; between them
		calls   int
		kind    string // of the error
	}{
		{"429;429;" + entered, 3, ""},
		{";" + entered, 1, "unknown"},
		{"503;" + entered, 1, "unknown"},
		{"500;" + entered, 1, "unknown"},
		{"200 <html>;" + entered, 1, "unknown"},
		{"201 <html>;" + entered, 1, "unknown"},
		{`409 {"error":"DUPLICATE"};` + entered, 1, "refused"},
		{"429", 4, "refused"},
	} {
		s := newService(t, map[string][]string{enter: strings.Split(c.answers, ";")})
		_, err := s.player(0, second).Enter(t.Context(), "s-1", "a-1")
		kind := ""
		if _, unknown := errors.AsType[*client.UnknownOutcomeError](err); unknown {
			kind = "unknown"
		} else if err != nil {
			kind = "refused"
		}
		if s.count(enter) != c.calls || kind != c.kind {
			t.Errorf("%q: %d calls, %q: %v; want %d, %q", c.answers, s.count(enter), kind, err, c.calls, c.kind)
		}
	}
	s := newService(t, map[string][]string{"/me": {"502", "", "504", `200 {"id":"u-1"}`}})
	if _, err := s.player(0, second).Me(t.Context()); err != nil || s.count("/me") != 4 {
		t.Errorf("a read: %v after %d calls", err, s.count("/me"))
	}
	s.Close()
	if _, err := s.player(0, second).Enter(t.Context(), "s-1", "a-1"); !is[*client.NetworkError](err) {
		t.Errorf("an entry without a connection: %v", err)
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// TestClient_waits checks the time limit of an attempt and the waits between attempts. The numbers are literal, so that
// the test fails if a constant changes.
func TestClient_waits(t *testing.T) {
	t.Parallel()
	for limit, call := range map[time.Duration]func(context.Context, *client.Client) error{
		10 * time.Second: func(ctx context.Context, c *client.Client) error {
			_, err := c.Shows(ctx, client.ShowFilter{})
			return err
		},
		35 * time.Second: func(ctx context.Context, c *client.Client) error { _, err := c.Judge(ctx, "s-1"); return err },
	} {
		synctest.Test(t, func(t *testing.T) {
			var began, took []time.Duration
			start := time.Now()
			silent := roundTripper(func(r *http.Request) (*http.Response, error) {
				from := time.Now()
				began = append(began, from.Sub(start))
				<-r.Context().Done()
				took = append(took, time.Since(from))
				return nil, r.Context().Err()
			})
			session := client.Session{UserID: "u-1", Token: second, RefreshToken: "r-1", ReceivedAt: start}
			err := call(t.Context(), client.New("https://api.test", client.Options{
				HTTP: &http.Client{Transport: silent}, Session: &session, Random: func() float64 { return 1 },
			}))
			want := []time.Duration{0, limit + 200*time.Millisecond, 2*limit + 600*time.Millisecond, 3*limit + 1400*time.Millisecond}
			if limit > 10*time.Second { // a change: the silent attempt leaves it in doubt
				want = want[:1]
			}
			if err == nil || !slices.Equal(began, want) || took[0] != limit {
				t.Errorf("attempts begin at %v and last %v, want %v and %v: %v", began, took, want, limit, err)
			}
		})
	}
}

// A client sends nothing to the http:// address of another machine, unless an option allows it.
func TestAddressesThatAreNotSafe(t *testing.T) {
	t.Parallel()
	for api, want := range map[string]bool{"http://api.test": false, "https://api.test": true, "http://127.0.0.1:1": true, "http://localhost:1": true} {
		sent := false
		_, err := client.New(api, client.Options{Attempts: 1, HTTP: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			sent = true
			return nil, errors.New("no network")
		})}}).Login(t.Context(), "", "")
		if sent != want || errors.Is(err, client.ErrHTTP) == want {
			t.Errorf("%s: sent %t, %v", api, sent, err)
		}
	}
}
