package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/client"
)

const (
	showPath  = "/events/shows/s-1"
	enterPath = showPath + "/enter"
	claimPath = showPath + "/claim-reward"
	judgePath = showPath + "/judge"
	ownPath   = "/me/entries"
	nothing   = `[]`
	// A ranked show. The caller has two entries; the better one has a score of 0 and ranks behind another player's.
	completed = `{"id":"s-1","name":"Spring Fair","tier":"pro","entryFee":50,"status":"completed","entries":[
		{"playerId":"u-2","animalId":"a-2","animalName":"Bo","score":80.5,"rank":1,"rewardClaimed":false},
		{"playerId":"u-1","animalId":"a-1","animalName":"Buck","score":null,"rank":2,"rewardClaimed":true},
		{"playerId":"u-1","animalId":"a-3","animalName":"Millie","score":null,"rank":null,"rewardClaimed":true}]}`
	own = `[{"id":"e-3","showId":"s-1","showName":"Spring Fair","entryFee":50,"showStatus":"completed","animalId":"a-3","animalName":"Millie",
			"rank":null,"goldReward":0,"rewardClaimed":true},
		{"id":"e-1","showId":"s-1","showName":"Spring Fair","entryFee":50,"showStatus":"completed","animalId":"a-1","animalName":"Buck",
			"rank":2,"goldReward":200,"rewardClaimed":true}]`
)

// inTurn gives each answer once, and repeats the last.
func inTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	calls := make(chan http.HandlerFunc, len(answers))
	for _, a := range answers[:len(answers)-1] {
		calls <- a
	}
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case answer := <-calls:
			answer(w, r)
		default:
			answers[len(answers)-1](w, r)
		}
	}
}

// lost reads the request and breaks the connection.
func lost(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// The outcome of a change is a success if an attempt confirms it, or if the client finds the change afterwards.
// Otherwise it is the refusal if a rule refused, or else an UnknownOutcomeError. docs/scenarios.md has the cases that
// every client must pass; here are mixed ones.
func TestChanges_inDoubt(t *testing.T) {
	t.Parallel()
	yes := says(http.StatusCreated, `{"success":true,"message":"Buck entered in Spring Fair!","entryFee":50}`)
	duplicate := says(http.StatusConflict, `{"error":"DUPLICATE","message":"Animal already entered"}`)
	poor := says(http.StatusBadRequest, `{"error":"INSUFFICIENT_GOLD","message":"50 gold"}`)
	failed := says(http.StatusInternalServerError, `{"error":"INTERNAL_ERROR"}`)
	busy := says(http.StatusTooManyRequests, `{"message":"Too Many Requests"}`)
	entered, empty := says(http.StatusOK, "%s", own), says(http.StatusOK, "%s", nothing)
	cancelled := says(http.StatusOK, "%s", strings.ReplaceAll(own, `"showStatus":"completed"`, `"showStatus":"cancelled"`))
	for name, test := range map[string]struct {
		answers http.HandlerFunc
		look    http.HandlerFunc
		looks   int
		want    string // the code of a refusal, "unknown " and what it wraps, "resolved", or "yes"
	}{
		"a yes in the end":             {inTurn(lost, busy, yes), entered, 0, "yes"},
		"a refusal after 429":          {inTurn(busy, duplicate), entered, 0, "DUPLICATE"},
		"lost, then another, but done": {inTurn(lost, poor), entered, 1, "resolved"},
		"lost, then 500":               {inTurn(lost, failed), empty, 1, "unknown INTERNAL_ERROR"},
		"lost, then busy":              {inTurn(lost, busy), empty, 1, "unknown TOO_MANY_REQUESTS"},
		"all lost, not there":          {lost, empty, 1, "unknown network"},
		"lost, then there is no show":  {inTurn(lost, says(http.StatusNotFound, `{"error":"NOT_FOUND"}`)), empty, 1, "NOT_FOUND"},
		"unreadable, not there":        {says(http.StatusOK, "<html>"), empty, 1, "unknown UNEXPECTED"},
		"all lost, cancelled":          {lost, cancelled, 1, "unknown network"},
		"somebody else's refusal":      {says(http.StatusForbidden, "<html>"), entered, 0, "UNEXPECTED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.on(enterPath, test.answers)
			s.on(ownPath, test.look)
			p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
			got, err := p.Enter(t.Context(), "s-1", "A-1")
			if said := describe(got.Resolved, err); said != test.want || s.count(ownPath) != test.looks {
				t.Errorf("got %s (%v) with %d looks, want %s with %d", said, err, s.count(ownPath), test.want, test.looks)
			}
			if err == nil && got != (client.Entered{Success: true, Message: "Buck entered in Spring Fair!", EntryFee: 50, Resolved: got.Resolved}) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func describe(resolved bool, err error) string {
	said := string(client.CodeOf(err))
	if _, ok := errors.AsType[*client.NetworkError](err); ok {
		said = "network"
	}
	unknown, ok := errors.AsType[*client.UnknownOutcomeError](err)
	switch {
	case ok && (unknown.Advice == "" || !strings.HasSuffix(err.Error(), unknown.Advice)):
		return "no advice"
	case ok:
		return "unknown " + said
	case err != nil:
		return said
	case resolved:
		return "resolved"
	}
	return "yes"
}

// If a claim's answer is lost, the caller's entries give the result; if a judging's is lost, the show does. The
// messages are the service's.
func TestChanges_resolved(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.on(claimPath, inTurn(lost, says(http.StatusBadRequest, `{"error":"ALREADY_CLAIMED"}`)))
	s.on(judgePath, inTurn(lost, says(http.StatusNotFound, `{"error":"NOT_FOUND","message":"Show not open"}`)))
	s.on(showPath, says(http.StatusOK, "%s", completed))
	s.on(ownPath, says(http.StatusOK, "%s", own))
	p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
	claimed, err := p.Claim(t.Context(), "s-1")
	if err != nil || *claimed.Rank != 2 || claimed.GoldReward != 200 || claimed.Message != "You received 200 gold for rank 2!" || !claimed.Resolved {
		t.Errorf("claimed %+v, %v", claimed, err)
	}
	judged, err := p.Judge(t.Context(), "s-1")
	want := "{true Show judged. 2 entries. [{1 u-2 a-2 80.5} {2 u-1 a-1 0}] true}"
	if got := fmt.Sprint(judged); err != nil || got != want {
		t.Errorf("judged %s, %v, want %s", got, err, want)
	}
}

// If a registration is in doubt, the client tries to log in.
func TestRegister_inDoubt(t *testing.T) {
	t.Parallel()
	taken := says(http.StatusConflict, `{"error":"CONFLICT","message":"Email or username already taken"}`)
	login := func(name string) http.HandlerFunc {
		return says(http.StatusOK, `{"token":%q,"refreshToken":"r.r.2","user":{"id":"u-2","username":%q}}`, second, name)
	}
	for name, test := range map[string]struct {
		register, login http.HandlerFunc
		want            string
	}{
		"another password":          {inTurn(lost, taken), says(http.StatusUnauthorized, `{"error":"INVALID_CREDENTIALS"}`), "CONFLICT"},
		"all lost, not there":       {lost, says(http.StatusUnauthorized, `{"error":"INVALID_CREDENTIALS"}`), "unknown network"},
		"the service has failed":    {says(http.StatusInternalServerError, `{"error":"INTERNAL_ERROR"}`), login("ann"), "yes"},
		"another shape, both":       {says(http.StatusOK, `{}`), says(http.StatusOK, `{}`), "unknown UNEXPECTED"},
		"it fails, and is too busy": {says(http.StatusInternalServerError, ``), says(http.StatusTooManyRequests, ``), "unknown TOO_MANY_REQUESTS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.on("/auth/register", test.register)
			s.on("/auth/login", test.login)
			p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
			user, err := p.Register(t.Context(), client.Registration{Username: "ann"})
			if got := describe(false, err); got != test.want {
				t.Errorf("got %s: %v", got, err)
			}
			started := p.stored(t) == second
			if started != (err == nil) || started && user.ID != "u-2" {
				t.Errorf("got %+v, %v, stored %q", user, err, p.stored(t))
			}
		})
	}
}

// A call whose context has ended sends nothing, and is not in doubt.
func TestChanges_givenUpBefore(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := newPlayer(t, s, &client.MemoryStore{}, client.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.Enter(ctx, "s-1", "a-1")
	if _, unknown := errors.AsType[*client.UnknownOutcomeError](err); unknown || !errors.Is(err, context.Canceled) || s.count(enterPath) != 0 {
		t.Errorf("got %v, and %d calls", err, s.count(enterPath))
	}
}
