package client

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// service is an API that knows one access token at a time. It replaces answers by the path's text in instead: a status
// and a body.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	valid   string // the access token
	instead map[string]string
	calls   map[string]int
}

func newService(t *testing.T) *service {
	s := &service{valid: "first", instead: map[string]string{}, calls: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *service) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[r.URL.Path]++
	sent, _ := io.ReadAll(r.Body)
	status, body := 200, "[]"
	switch text, instead := s.instead[r.URL.Path]; {
	case instead:
		_, _ = fmt.Sscan(text, &status)
		body = text[3:]
	case r.URL.Path == "/auth/login":
		body = fmt.Sprintf(`{"token":%q,"refreshToken":"lasting","user":{"goldBalance":7}}`, s.valid)
	case r.URL.Path == "/auth/refresh" && strings.Contains(string(sent), "lasting"):
		body = fmt.Sprintf(`{"token":%q}`, s.valid)
	case r.Header.Get("Authorization") != "Bearer "+s.valid:
		status = http.StatusUnauthorized
	}
	w.Header().Set("Location", "/elsewhere") // of a redirect
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// player returns a client of the service that has logged in.
func (s *service) player(t *testing.T) *Client {
	t.Helper()
	c := New(Transport{API: s.URL})
	account, err := c.Login(t.Context(), "ann@example.com", "a long password")
	assert.True(t, err == nil && account.GoldBalance == 7, "the account is %+v: %v", account, err)
	return c
}

// If the service refuses an access token, concurrent calls refresh it once, and send their requests again.
func TestClient_refreshes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.player(t)
	s.valid = "second"
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			_, err := c.Animals(t.Context())
			assert.NoError(t, err)
		})
	}
	calls.Wait()
	assert.True(t, s.calls["/auth/refresh"] == 1 && s.calls["/animals"] > 10, s.calls)
}

// If the service refuses the new token, too, or the refresh, the call fails. It sends nothing more.
func TestClient_refused(t *testing.T) {
	t.Parallel()
	for path, answer := range map[string]string{"/animals": "401", "/auth/refresh": `401{"error":"INVALID_TOKEN"}`} {
		s := newService(t)
		c := s.player(t)
		s.valid, s.instead[path] = "second", answer
		_, err := c.Animals(t.Context())
		assert.ErrorContains(t, err, "the service answered 401")
		assert.Equal(t, map[string]int{"/auth/login": 1, "/auth/refresh": 1, "/animals": 2}[path], s.calls[path], path)
	}
}

// A log-out ends the session even if the service fails. Without a session, a client sends nothing.
func TestClient_logsOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.player(t)
	s.instead["/auth/logout"] = "500"
	assert.Error(t, c.Logout(t.Context()))
	assert.NoError(t, c.Logout(t.Context()))
	_, err := c.Animals(t.Context())
	assert.ErrorIs(t, err, ErrLoggedOut)
	assert.Equal(t, map[string]int{"/auth/login": 1, "/auth/logout": 1}, s.calls)
}

// An answer with another status, or that is no JSON, is an error, and never an empty list. The client follows no
// redirect, and repeats nothing.
func TestClient_fails(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := s.player(t)
	const duplicate = `409{"error":"DUPLICATE","message":"Again","details":{"a":["b"]}}`
	for answer, code := range map[string]Code{
		duplicate: "DUPLICATE", `503{"error":"CLOSED"}`: Closed, "503": "", "302": "", "200<html>": "", "200": "", "201[]": "",
	} {
		s.instead["/animals"] = answer
		before := s.calls["/animals"]
		animals, err := c.Animals(t.Context())
		assert.True(t, err != nil && CodeOf(err) == code && animals == nil, "%s: %v %v", answer, animals, err)
		assert.Equal(t, before+1, s.calls["/animals"], answer)
	}
	s.instead["/animals"] = duplicate
	_, err := c.Animals(t.Context())
	assert.EqualError(t, err, `the service answered 409 DUPLICATE Again{"a":["b"]}`)
	assert.Equal(t, 0, s.calls["/elsewhere"])
	s.Close()
	_, err = c.Animals(t.Context())
	assert.ErrorContains(t, err, "refused")
}

// A client sends nothing to the http:// address of another machine.
func TestAddressesThatAreNotSafe(t *testing.T) {
	t.Parallel()
	for api, safe := range map[string]bool{
		"http://api.test": false, "https://api.test": true, "http://127.0.0.1:1": true, "http://localhost:1": true,
	} {
		sent := false
		c := New(Transport{API: api, HTTP: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			sent = true
			return nil, io.EOF
		})}})
		_, err := c.Login(t.Context(), "", "")
		assert.Equal(t, safe, sent, api)
		assert.ErrorIs(t, err, map[bool]error{true: io.EOF, false: ErrHTTP}[safe], api)
	}
}
