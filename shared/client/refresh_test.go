package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

const (
	refreshPath = "/auth/refresh"
	animalsPath = "/animals"
)

var (
	first, second, third = accessToken("first"), accessToken("second"), accessToken("third")
	refreshed            = says(http.StatusOK, `{"token":%q}`, second)
)

// A token is refreshed if it is valid for less than a minute.
func TestRefresh_age(t *testing.T) {
	t.Parallel()
	for forward, want := range map[time.Duration]int{
		-24 * time.Hour: 0, 0: 0, 14 * time.Minute: 0, 14*time.Minute + time.Millisecond: 1, 24 * time.Hour: 1,
	} {
		s := newService(t)
		s.on(refreshPath, refreshed)
		s.on(animalsPath, says(http.StatusOK, `[]`))
		p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
		p.forward(forward)
		if _, err := p.Animals(t.Context()); err != nil || s.count(refreshPath) != want {
			t.Errorf("after %v: %v, refreshed %d times", forward, err, s.count(refreshPath))
		}
	}
}

// A call that stops waiting does not end the refresh for the others. When the last one stops, the refresh ends.
func TestRefresh_left(t *testing.T) {
	t.Parallel()
	s := newService(t)
	asked, answer, ended := make(chan struct{}, 1), make(chan struct{}), make(chan struct{}, 1)
	s.on(refreshPath, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-answer:
			refreshed(w, r)
		case <-r.Context().Done():
			ended <- struct{}{}
		}
	})
	s.on(animalsPath, accepts(second))
	p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
	call := func(ctx context.Context) chan error {
		result := make(chan error, 1)
		go func() { _, err := p.Animals(ctx); result <- err }()
		return result
	}
	p.forward(time.Hour)

	leaving, leave := context.WithCancel(t.Context())
	gone := call(leaving)
	<-asked
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v", err)
	}
	<-ended

	leaving, leave = context.WithCancel(t.Context())
	gone = call(leaving)
	<-asked
	staying := call(t.Context())
	for p.Waiting() < 2 {
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the one who left: %v", err)
	}
	close(answer)
	if err := <-staying; err != nil || s.count(refreshPath) != 2 {
		t.Errorf("the one who stayed: %v, refreshed %d times", err, s.count(refreshPath))
	}
	if stored := p.stored(t); stored != second {
		t.Errorf("stored %q", stored)
	}
}

// A log-in or log-out ends a refresh that is under way, and its token is not kept.
func TestRefresh_overtaken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	asked := make(chan struct{}, 1)
	s.on(refreshPath, func(_ http.ResponseWriter, r *http.Request) { asked <- struct{}{}; <-r.Context().Done() })
	s.on("/auth/logout", says(http.StatusOK, `{"success":true}`))
	s.on("/auth/login", says(http.StatusOK, `{"token":%q,"refreshToken":"r.r.2","user":{"id":"u-2"}}`, second))
	for name, overtake := range map[string]struct {
		do     func(*player) error
		reason string
		token  string
	}{
		"logout": {func(p *player) error { return p.Logout(t.Context()) }, client.ReasonLogout, ""},
		"login":  {func(p *player) error { _, err := p.Login(t.Context(), "", ""); return err }, client.ReasonNone, second},
	} {
		p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
		p.forward(time.Hour)
		result := make(chan error, 1)
		go func() { _, err := p.Animals(t.Context()); result <- err }()
		<-asked
		if err := overtake.do(p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		over, ok := errors.AsType[*client.SessionEndedError](<-result)
		if !ok || over.Reason != overtake.reason {
			t.Errorf("%s: the call that waited got %v", name, over)
		}
		if stored := p.stored(t); stored != overtake.token {
			t.Errorf("%s: stored %q", name, stored)
		}
	}
	if n := s.count(animalsPath); n != 0 {
		t.Errorf("%d calls went on", n)
	}
}

// A listener that logs in or out during a refresh gets no more events of that refresh.
func TestEvents_overtaken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on("/auth/logout", says(http.StatusOK, `{"success":true}`))
	s.on("/auth/login", says(http.StatusOK, `{"token":%q,"refreshToken":"r.r.2","user":{"id":"u-2"}}`, third))
	for name, test := range map[string]struct {
		do   func(*client.Client) error
		told client.Event
	}{
		"logout": {func(c *client.Client) error { return c.Logout(t.Context()) }, client.Event{Kind: client.SessionEnded, Reason: client.ReasonLogout}},
		"login":  {func(c *client.Client) error { _, err := c.Login(t.Context(), "", ""); return err }, client.Event{Kind: client.SessionStarted}},
	} {
		var p *player
		p = newPlayer(t, s, &client.MemoryStore{}, client.Options{Attempts: 1, Events: func(e client.Event) {
			p.told = append(p.told, e)
			if e.Kind == client.Reachable {
				if err := test.do(p.Client); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}})
		s.on(refreshPath, inTurn(lost, refreshed))
		p.forward(time.Hour)
		_, _ = p.Animals(t.Context())
		_, err := p.Animals(t.Context())
		if _, over := errors.AsType[*client.SessionEndedError](err); !over {
			t.Errorf("%s: the call got %v", name, err)
		}
		p.wasTold(t, client.Event{Kind: client.Unreachable}, client.Event{Kind: client.Reachable}, test.told)
	}
}

// A call without a session returns why the session ended, unless another session has begun since, of this client or
// another one.
func TestSessionEnded_reason(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on("/auth/logout", says(http.StatusOK, `{"success":true}`))
	s.on(animalsPath, accepts(second))
	p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
	if err := p.Logout(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := p.Animals(t.Context()); !isEnded(err, client.ReasonLogout) {
		t.Errorf("logged out: %v", err)
	}
	put(t, p.store, &client.Session{API: s.URL, UserID: "u-2", Token: second, RefreshToken: "r-2"})
	if _, err := p.Animals(t.Context()); err != nil {
		t.Errorf("logged in elsewhere: %v", err)
	}
	put(t, p.store, nil)
	if _, err := p.Animals(t.Context()); !isEnded(err, client.ReasonNone) {
		t.Errorf("logged out elsewhere: %v", err)
	}
}

// A session ends after an hour of nothing but doubtful refusals, also over restarts of the client. Any other outcome,
// or a gap, starts the hour again.
func TestRefresh_doubtfulRefusals(t *testing.T) {
	t.Parallel()
	doubtful := says(http.StatusUnauthorized, `{"error":"INVALID_TOKEN","message":"Invalid refresh token"}`)
	busy := says(http.StatusServiceUnavailable, ``)
	for name, test := range map[string]struct {
		between http.HandlerFunc // the answer after half an hour
		after   time.Duration    // a gap after it, besides the 10 minutes
		attempt int
	}{
		"nothing else":                {doubtful, 0, 1},
		"another answer":              {says(http.StatusInternalServerError, ``), 0, 1},
		"no answer":                   {lost, 0, 1},
		"no verdict":                  {says(http.StatusUnauthorized, `<html>`), 0, 1},
		"not understood":              {says(http.StatusOK, `{"status":"ok"}`), 0, 1},
		"another answer on the way":   {inTurn(busy, doubtful), 0, 4},
		"no answer on the way":        {inTurn(doubtful, lost, doubtful), 0, 4},
		"a gap":                       {doubtful, time.Millisecond, 1},
		"the clock goes back":         {doubtful, -time.Hour, 1},
		"the clock goes back a bit":   {doubtful, -11 * time.Minute, 1},
		"the clock goes far ahead":    {doubtful, 24 * time.Hour, 1},
		"the same, with four at once": {doubtful, 0, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			p := newPlayer(t, s, &client.MemoryStore{}, client.Options{Attempts: test.attempt})
			p.forward(time.Hour)
			row := 0 // consecutive doubtful refusals, 10 minutes apart
			for i := range 20 {
				s.on(refreshPath, doubtful)
				if i == 3 {
					s.on(refreshPath, test.between)
				}
				restarted := client.New(s.URL, client.Options{
					Store: p.store, Attempts: test.attempt, Now: func() time.Time { return p.now },
					Wait: func(context.Context, time.Duration) error { return nil },
				})
				_, err := restarted.Animals(t.Context())
				if isEnded(err, client.ReasonRefused) {
					break
				}
				row++
				if p.stored(t) != first || err == nil {
					t.Fatalf("after %d refusals: %v, stored %q", row, err, p.stored(t))
				}
				p.forward(10 * time.Minute)
				if i == 3 {
					p.forward(test.after)
				}
			}
			// There are six times ten minutes between the first and the last of seven refusals. The last one ends the
			// session.
			want := 6
			switch {
			case strings.HasSuffix(name, "on the way"): // the hour begins with the fourth refresh's last answer
				want += 3
			case name != "nothing else" && name != "the same, with four at once":
				want += 4
			}
			if row != want || p.stored(t) != "" {
				t.Errorf("the session went on for %d refusals, want %d; stored %q", row, want, p.stored(t))
			}
		})
	}
}

// No lock is held while an event is delivered: the listener may call the client.
func TestEvents_mayCall(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on("/auth/login", says(http.StatusOK, `{"token":%q,"refreshToken":"r.r.2","user":{"id":"u-2"}}`, second))
	s.on(refreshPath, says(http.StatusUnauthorized, `{"error":"UNAUTHORIZED"}`))
	s.on(animalsPath, accepts(second))
	var p *player
	store := &client.MemoryStore{}
	p = newPlayer(t, s, store, client.Options{Events: func(e client.Event) {
		unlock, err := store.Lock(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		unlock()
		p.mu.Lock()
		p.told = append(p.told, e)
		p.mu.Unlock()
		if e.Kind != client.SessionEnded {
			return
		}
		if _, err := p.Login(t.Context(), "ann@example.com", "a long password"); err != nil {
			t.Error(err)
		}
		if _, err := p.Animals(t.Context()); err != nil {
			t.Error(err)
		}
	}})
	_, err := p.Animals(t.Context())
	if over, ok := errors.AsType[*client.SessionEndedError](err); !ok || over.Reason != client.ReasonBanned {
		t.Errorf("got %v", err)
	}
	p.wasTold(t, client.Event{Kind: client.SessionEnded, Reason: client.ReasonBanned}, client.Event{Kind: client.SessionStarted})
}
