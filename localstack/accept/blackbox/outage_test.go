package blackbox

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
	"github.com/ranch-game/ranch/localstack/kit/racetest"
	"github.com/ranch-game/ranch/shared/game"
)

// TestOutage stops the engine for a while, and asks for everything at once: the answers are the endpoints' own, and
// they come within the functions' time. Afterwards nothing has been paid, entered or judged, and all of it can be done.
func TestOutage(t *testing.T) {
	// No other test starts an engine until this one is parallel.
	before := processtest.Descendants(os.Getpid())
	w := newWorld(t, "it takes the database away", &journal{}, 0)
	engine := slices.DeleteFunc(processtest.Descendants(os.Getpid()), func(p processtest.Process) bool {
		return slices.Contains(before, p) || p.Name != "dynoxide" && p.Name != "java"
	})
	if len(engine) != 1 {
		t.Fatal("the engine is not among ", engine)
	}
	t.Parallel()
	p, stranger := newPlayer(t, w), candidate()
	season, err := w.NewSeason(t.Context(), game.NewID())
	must(t, err)
	made, err := w.NewShow(t.Context(), game.Show{Name: "County Fair", Tier: game.TierRookie, SeasonID: season.ID}, 1)
	must(t, err)
	show := string(made.ID)
	must(t, syscall.Kill(engine[0].PID, syscall.SIGSTOP))
	defer func() { _ = syscall.Kill(engine[0].PID, syscall.SIGCONT) }() // also after a failure

	stranger.api = w.API
	fault := object{"error": "INTERNAL_ERROR"}
	all := []struct {
		request
		status int
		want   any
	}{
		{stranger.registering(), 500, object{"error": "INTERNAL_ERROR", "message": "Registration failed"}},
		{p.loggingIn(), 500, object{"error": "INTERNAL_ERROR", "message": "Login failed"}},
		{p.refreshing(p.refresh), 401, object{"error": "INVALID_TOKEN", "message": "Invalid refresh token"}},
		{p.anonymously("/auth/logout", object{"refreshToken": "x"}), 200, object{"success": true}},
		{p.reading("/animals"), 500, fault},
		{p.reading("/events/shows"), 500, fault},
		{p.reading("/events/shows/" + show), 500, fault},
		{p.reading("/events/season"), 500, fault},
		{p.entering(show, p.animals[0]), 500, fault},
		{p.judging(show), 500, fault},
		{p.claiming(show), 500, fault},
		// An answer that needs no storage is as ever.
		{stranger.reading("/animals"), 401, object{"error": "UNAUTHORIZED"}},
		{p.reading("/events/shows/no-id"), 404, object{"error": "NOT_FOUND"}},
		{p.reading("/events/shows?status=nonsense"), 200, list{}},
		{p.reading("/events/shows?tier=" + strings.Repeat("x", 65)), 200, list{}},
		{p.anonymously("/auth/login", object{}), 400, object{"error": "VALIDATION_ERROR", "message": "Invalid input"}},
		{p.entering(show, "no id"), 400, object{"error": "VALIDATION_ERROR"}},
	}
	racetest.AtOnce(len(all), func(i int) {
		start := time.Now()
		try(t.Context(), all[i].request).is(t, all[i].status, all[i].want)
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("an answer took %v", took)
		}
	})
	must(t, syscall.Kill(engine[0].PID, syscall.SIGCONT))
	p.enters(t, show, p.animals[0])
	p.judges(t, show, 1)
	p.claims(t, show, 1, 100)
	p.renew(t, p.refresh).object(t, 200)
	if err := ledgersHold(t.Context(), w); err != nil {
		t.Error(err)
	}
}
