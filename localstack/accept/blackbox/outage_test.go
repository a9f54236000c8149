package blackbox

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
)

// TestOutage stops the engine's process, and calls every endpoint at the same time. Each endpoint must give its own
// error response within 15 s. If the service is closed, each must answer 503, which needs no table. After the outage,
// the entry, judging, claim and refresh succeed, because none of them was made before.
func TestOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "it takes the database away")
	p := newPlayer(t, w)
	season, err := w.NewSeason(t.Context(), game.NewID())
	require.NoError(t, err)
	made, err := w.NewShow(t.Context(), game.Show{Name: "County Fair", Tier: game.TierRookie, SeasonID: season.ID}, 1)
	require.NoError(t, err)
	show := string(made.ID)
	w.Engine.Signal(syscall.SIGSTOP)
	defer w.Engine.Signal(syscall.SIGCONT) // also after a failure

	type expected struct {
		request
		status int
		want   any
	}
	all := []expected{ // the first needs no table; the second needs the public keys, which are in the table
		{p.anonymously("/auth/login", object{}), 400, object{"error": "VALIDATION_ERROR", "message": "Invalid input"}},
		{p.entering(show, "no id"), 500, object{"error": "INTERNAL_ERROR"}},
	}
	for _, o := range suite.Operations() {
		e := expected{endpoint(o, show), 500, object{"error": "INTERNAL_ERROR"}}
		e.api = w.API
		switch {
		case o.Protected:
			all = append(all, expected{e.request, 401, object{"error": "UNAUTHORIZED"}})
			e.token = p.token
		case o.ID == "login":
			e.request = p.loggingIn()
		case o.ID == "refresh":
			e = expected{p.refreshing(p.refresh), 401, object{"error": "INVALID_TOKEN", "message": "Invalid refresh token"}}
		case o.ID == "logout":
			e.status, e.want = 200, object{"success": true}
		}
		all = append(all, e)
	}
	atOnce(len(all), func(i int) {
		start := time.Now()
		try(t.Context(), all[i].request).is(t, all[i].status, all[i].want)
		took := time.Since(start)
		assert.True(t, took <= 15*time.Second, "an answer took %v", took)
	})
	w.Stack.Doors("closed")
	atOnce(len(all), func(i int) {
		got := try(t.Context(), all[i].request)
		got.is(t, 503, object{"error": "CLOSED", "message": "The game is closed for maintenance. Please come back soon."})
		wait, err := strconv.Atoi(got.header.Get("Retry-After"))
		assert.True(t, err == nil && wait >= 10, "%s %s: come back in %d s, %v", got.method, got.path, wait, err)
	})
	w.Stack.Doors("open")
	w.Engine.Signal(syscall.SIGCONT)
	p.enters(t, show, p.animals[0])
	p.judges(t, show, 1)
	p.claims(t, show, 1, 100)
	p.renew(t, p.refresh).object(t, 200)
	assert.NoError(t, ledgersHold(t.Context(), w))
}
