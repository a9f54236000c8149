package client_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/ranch-game/ranch/shared/client"
)

// A 2xx of another shape than the contract's is no success, and no session: not of anything that stands in the API's
// place, and says that all is well.
func TestAnswers_shape(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	login := func(c *client.Client) error { _, err := c.Login(ctx, "", ""); return err }
	animals := func(c *client.Client) error { _, err := c.Animals(ctx); return err }
	shows := func(c *client.Client) error { _, err := c.Shows(ctx, client.ShowFilter{}); return err }
	show := func(c *client.Client) error { _, err := c.Show(ctx, "s-1"); return err }
	season := func(c *client.Client) error { _, err := c.Season(ctx); return err }
	const whole = `{"token":"e30.e30.c2ln","refreshToken":"r.r.2","user":{"id":"u-2"}}`
	for name, test := range map[string]struct {
		call func(*client.Client) error
		path string
		good string
		bad  []string
	}{
		"login": {login, "/auth/login", whole, []string{
			`{"refreshToken":"r.r.2","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","user":{"id":"u-2"}}`,
			`{"token":"e30.e30.c2ln","refreshToken":"r.r.2"}`, `{"token":"e30.e30.c2ln","refreshToken":"r.r.2","user":{}}`,
			`{"token":"e30.e30.c2ln","refreshToken":"r.r.2","user":{"id":2}}`, `{"token":"e30.e30","refreshToken":"r.r.2","user":{"id":"u-2"}}`,
			`{"token":"e30.e30.c2ln","refreshToken":"r. .2","user":{"id":"u-2"}}`, `{"token":"e30..c2ln","refreshToken":"r.r.2","user":{"id":"u-2"}}`,
		}},
		"animals": {animals, animalsPath, `[]`, nil},
		"shows":   {shows, "/events/shows", `[]`, nil},
		"show": {show, showPath, `{"id":"s-1","entries":[]}`, []string{
			`{"id":"s-1"}`, `{"id":"s-1","entries":null}`, `{"id":"s-1","entries":{}}`, `{"entries":[]}`,
		}},
		"season": {season, "/events/season", `{"id":"n-1"}`, []string{`{"active":true}`, `{"active":null}`, `{"id":7}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
			for _, body := range append(test.bad, `{}`, `{"status":"ok"}`, `"ok"`, `true`, `7`, `null`) {
				s.on(test.path, says(http.StatusOK, "%s", body))
				err := test.call(p.Client)
				said, ok := errors.AsType[*client.Error](err)
				if !ok || said.Code != client.Unexpected || said.Status != http.StatusOK || p.stored(t) != first {
					t.Errorf("%s: got %v, stored %q", body, err, p.stored(t))
				}
			}
			s.on(test.path, says(http.StatusCreated, `{"error":"NOT_FOUND"}`))
			if err := test.call(p.Client); client.CodeOf(err) != client.Unexpected {
				t.Errorf("a refusal with 201: %v", err)
			}
			p.wasTold(t)
			s.on(test.path, says(http.StatusOK, "%s", test.good))
			if err := test.call(p.Client); err != nil {
				t.Errorf("%s: %v", test.good, err)
			}
		})
	}
}

// A change that is answered so is looked for, and is not known where it is not found.
func TestChanges_shape(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	enter := func(c *client.Client) (bool, error) { got, err := c.Enter(ctx, "s-1", "a-1"); return got.Resolved, err }
	judge := func(c *client.Client) (bool, error) { got, err := c.Judge(ctx, "s-1"); return got.Resolved, err }
	claim := func(c *client.Client) (bool, error) { got, err := c.Claim(ctx, "s-1"); return got.Resolved, err }
	for name, test := range map[string]struct {
		call   func(*client.Client) (bool, error)
		path   string
		status int
		good   string
		bad    []string
	}{
		"enter": {enter, enterPath, http.StatusCreated, `{"success":true,"entryFee":0}`, []string{
			`{"success":true}`, `{"success":true,"entryFee":null}`, `{"success":true,"entryFee":"50"}`, `{"success":"true","entryFee":50}`,
		}},
		"judge": {judge, judgePath, http.StatusOK, `{"success":true,"topThree":[]}`, []string{
			`{"success":true}`, `{"success":true,"topThree":{}}`, `{"topThree":[]}`,
		}},
		"claim": {claim, claimPath, http.StatusOK, `{"success":true,"goldReward":0}`, []string{
			`{"success":true}`, `{"success":true,"goldReward":null}`, `{"success":false,"goldReward":100}`, `{"success":1,"goldReward":100}`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
			for _, body := range append(test.bad, `{}`, `{"status":"ok"}`, `[]`, `{"error":"NOT_FOUND"}`) {
				s.on(test.path, says(test.status, "%s", body))
				s.on(showPath, says(http.StatusOK, "%s", nothing))
				resolved, err := test.call(p.Client)
				if got := describe(resolved, err); got != "unknown UNEXPECTED" {
					t.Errorf("%s, not there: got %s, %v", body, got, err)
				}
				s.on(showPath, says(http.StatusOK, "%s", completed))
				resolved, err = test.call(p.Client)
				if got := describe(resolved, err); got != "resolved" {
					t.Errorf("%s, there: got %s, %v", body, got, err)
				}
			}
			s.on(test.path, says(test.status, "%s", test.good))
			resolved, err := test.call(p.Client)
			if got := describe(resolved, err); got != "yes" {
				t.Errorf("%s: got %s, %v", test.good, got, err)
			}
		})
	}
}

// A log-out that is not answered as one is over here, and not known there.
func TestLogout_shape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on("/auth/logout", says(http.StatusOK, `{"status":"ok"}`))
	p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
	if err := p.Logout(t.Context()); client.CodeOf(err) != client.Unexpected || p.stored(t) != "" {
		t.Errorf("got %v, stored %q", err, p.stored(t))
	}
}

// A refreshing that is answered with anything else than a token keeps the session.
func TestRefresh_shape(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
	for _, body := range []string{`{}`, `{"status":"ok"}`, `[]`, `{"token":"ok"}`, `{"token":"a.b"}`, `{"token":"a.b.c.d"}`, `{"token":"a.b.c "}`, `{"token":true}`} {
		s.on(refreshPath, says(http.StatusOK, "%s", body))
		p.forward(1 << 40)
		if _, err := p.Animals(t.Context()); client.CodeOf(err) != client.Unexpected || p.stored(t) != first {
			t.Errorf("%s: got %v, stored %q", body, err, p.stored(t))
		}
	}
	p.wasTold(t)
}
