package client_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

const (
	refreshPath = "/auth/refresh"
	animalsPath = "/animals"
	enterPath   = "/events/shows/s-1/enter"
	ownPath     = "/me/entries"
)

var (
	first, second, third = accessToken("first"), accessToken("second"), accessToken("third")
	refreshed            = says(http.StatusOK, `{"token":%q}`, second)
)

// service is a stand-in for the API, for answers that the real one gives too rarely. A test sets the answer of each
// path. It counts requests.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	calls   map[string]int
}

// newService returns a service that answers 404 until the test sets an answer.
func newService(t *testing.T) *service {
	s := &service{answers: map[string]http.HandlerFunc{}, calls: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that the caller has gone after it has read the body
		s.mu.Lock()
		s.calls[r.URL.Path]++
		answer := s.answers[r.URL.Path]
		s.mu.Unlock()
		if answer == nil {
			answer = http.NotFound
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) on(path string, answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = answer
}

func (s *service) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[path]
}

// says answers with a status and a body.
func says(status int, format string, args ...any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, format, args...)
	}
}

// lost reads the request and breaks the connection.
func lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// accepts answers [] to requests with one token, and 401 to others.
func accepts(token string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"UNAUTHORIZED"}`)
			return
		}
		_, _ = io.WriteString(w, "[]")
	}
}

// accessToken returns a token that is valid for 15 minutes.
func accessToken(name string) string {
	const issued = 1_795_167_000
	payload := fmt.Sprintf(`{"jti":%q,"iat":%d,"exp":%d}`, name, issued, issued+900)
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2ln"
}

// player is a client whose session has an access token named "first". Its clock stands still.
type player struct {
	*client.Client
	store client.Store
	mu    sync.Mutex
	now   time.Time
	told  []client.Event
}

func newPlayer(t *testing.T, s *service, store client.Store, o client.Options) *player {
	p := &player{store: store, now: time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)}
	o.Store = store
	o.Now = func() time.Time { p.mu.Lock(); defer p.mu.Unlock(); return p.now }
	if o.Wait == nil {
		o.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	if o.Events == nil {
		o.Events = func(e client.Event) { p.mu.Lock(); defer p.mu.Unlock(); p.told = append(p.told, e) }
	}
	p.Client = client.New(s.URL+"/", o)
	put(t, store, &client.Session{
		API: s.URL, UserID: "u-1", Username: "ann", Token: accessToken("first"), RefreshToken: "r-1",
		ReceivedAt: p.now, Lifetime: 15 * time.Minute,
	})
	return p
}

// put stores a session; nil stores none.
func put(t *testing.T, store client.Store, s *client.Session) {
	t.Helper()
	if err := store.Update(t.Context(), func(*client.Session) *client.Session { return s }); err != nil {
		t.Fatal(err)
	}
}

func (p *player) forward(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(d)
}

// wasTold fails the test unless these are all events since its last call.
func (p *player) wasTold(t *testing.T, want ...client.Event) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.told, want) {
		t.Errorf("told %v, want %v", p.told, want)
	}
	p.told = nil
}
