package client_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

const (
	refreshPath = "/auth/refresh"
	animalsPath = "/animals"
)

var (
	first, second = accessToken("first"), accessToken("second")
	refreshed     = says(http.StatusOK, `{"token":%q}`, second)
)

// Ten calls of each of two clients, which share a store, refresh once, whether the token is known to be old or was
// refused; then nobody refreshes again.
func TestRefresh_shared(t *testing.T) {
	t.Parallel()
	for name, forward := range map[string]time.Duration{"old": 14*time.Minute + 1*time.Second, "refused": 0} {
		for kind, store := range map[string]client.Store{
			"memory": &client.MemoryStore{},
			"file":   client.FileStore{Path: filepath.Join(t.TempDir(), "session.json")},
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				s := newService(t)
				s.on(refreshPath, refreshed)
				s.on(animalsPath, accepts(second))
				players := []*player{newPlayer(t, s, store, client.Options{}), newPlayer(t, s, store, client.Options{})}
				var calls sync.WaitGroup
				for _, p := range players {
					p.forward(forward)
				}
				for i := range 20 {
					calls.Go(func() {
						if _, err := players[i%2].Animals(t.Context()); err != nil {
							t.Error(err)
						}
					})
				}
				calls.Wait()
				if n := s.count(refreshPath); n != 1 {
					t.Errorf("refreshed %d times", n)
				}
				if n := len(players[0].told) + len(players[1].told); n != 1 {
					t.Errorf("told %v and %v", players[0].told, players[1].told)
				}
				if _, err := players[1].Animals(t.Context()); err != nil || s.count(refreshPath) != 1 {
					t.Errorf("afterwards: %v, refreshed %d times", err, s.count(refreshPath))
				}
			})
		}
	}
}

// A token is refreshed when less than a minute is left of it.
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

// Who leaves does not end the refreshing for those who stay; when all have left, it ends.
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

// Logging out or in while a refreshing is under way ends it, and what it would have brought is not kept.
func TestRefresh_overtaken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	asked := make(chan struct{}, 1)
	s.on(refreshPath, func(_ http.ResponseWriter, r *http.Request) { asked <- struct{}{}; <-r.Context().Done() })
	s.on("/auth/logout", says(http.StatusOK, `{"success":true}`))
	s.on("/auth/login", says(http.StatusOK, `{"token":%q,"refreshToken":"r-2","user":{"id":"u-2"}}`, second))
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

// Who cannot wait for another client's refreshing logs out all the same, and what the refreshing brings is not
// kept.
func TestRefresh_overtakenElsewhere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	s.on(refreshPath, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-answer
		refreshed(w, r)
	})
	store := &client.MemoryStore{}
	p, other := newPlayer(t, s, store, client.Options{}), newPlayer(t, s, store, client.Options{})
	p.forward(time.Hour)
	result := make(chan error, 1)
	go func() { _, err := p.Animals(t.Context()); result <- err }()
	<-asked
	hurry, cancel := context.WithCancel(t.Context())
	cancel()
	if err := other.Logout(hurry); !errors.Is(err, context.Canceled) {
		t.Errorf("logged out: %v", err)
	}
	other.wasTold(t, client.Event{Kind: client.SessionEnded, Reason: client.ReasonLogout})
	close(answer)
	if err := <-result; !isEnded(err, client.ReasonNone) {
		t.Errorf("the call that waited got %v", err)
	}
	if stored := p.stored(t); stored != "" {
		t.Errorf("stored %q", stored)
	}
	p.wasTold(t)
}

// A refusal that may be a failure of the service's own ends the session when there has been nothing else for two
// minutes, also over restarts; any other answer counts them anew.
func TestRefresh_doubtfulRefusals(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on(refreshPath, says(http.StatusUnauthorized, `{"error":"INVALID_TOKEN","message":"Invalid refresh token"}`))
	s.on(animalsPath, accepts(second))
	store := &client.MemoryStore{}
	p := newPlayer(t, s, store, client.Options{})
	p.forward(time.Hour)
	fails := func(after time.Duration, want client.Code) {
		t.Helper()
		p.forward(after)
		_, err := p.Animals(t.Context())
		if client.CodeOf(err) != want || p.stored(t) != first {
			t.Errorf("got %v, stored %q", err, p.stored(t))
		}
	}
	fails(0, client.InvalidToken)
	if n := s.count(refreshPath); n != 4 {
		t.Errorf("tried %d times", n)
	}
	fails(119*time.Second, client.InvalidToken)
	s.on(refreshPath, says(http.StatusServiceUnavailable, ``))
	fails(time.Minute, client.ServiceUnavailable)
	s.on(refreshPath, says(http.StatusUnauthorized, `{"error":"INVALID_TOKEN","message":"Invalid refresh token"}`))
	fails(time.Minute, client.InvalidToken)
	fails(-time.Hour, client.InvalidToken) // the clock is set back: from there on
	p.wasTold(t)

	restarted := client.New(s.URL, client.Options{Store: store, Now: func() time.Time { return p.now }, Wait: func(context.Context, time.Duration) error { return nil }})
	p.forward(2 * time.Minute)
	_, err := restarted.Animals(t.Context())
	if over, ok := errors.AsType[*client.SessionEndedError](err); !ok || over.Reason != client.ReasonRefused || p.stored(t) != "" {
		t.Errorf("after two minutes: %v, stored %q", err, p.stored(t))
	}
}

// Events come when nothing is locked: who hears of one may call the client.
func TestEvents_mayCall(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on("/auth/login", says(http.StatusOK, `{"token":%q,"refreshToken":"r-2","user":{"id":"u-2"}}`, second))
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
