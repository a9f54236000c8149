package client_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/client"
)

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
		p.forward(time.Hour)
		s.on(refreshPath, lost)
		_, _ = p.Animals(t.Context())
		s.on(refreshPath, refreshed)
		_, err := p.Animals(t.Context())
		if _, over := errors.AsType[*client.SessionEndedError](err); !over {
			t.Errorf("%s: the call got %v", name, err)
		}
		p.wasTold(t, client.Event{Kind: client.Unreachable}, client.Event{Kind: client.Reachable}, test.told)
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
