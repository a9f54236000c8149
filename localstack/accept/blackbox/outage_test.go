package blackbox

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
	"github.com/ranch-game/ranch/localstack/kit/racetest"
)

// engineOf returns the process of a stack's engine.
func engineOf(t *testing.T, s *stack) processtest.Process {
	t.Helper()
	all := processtest.Descendants(s.process.PID())
	i := slices.IndexFunc(all, func(c processtest.Process) bool { return c.Name == "dynoxide" || c.Name == "java" })
	if i < 0 {
		t.Fatal("no engine was found among ", all)
	}
	return all[i]
}

// join registers a player with a stack of the demo, and finds a show to enter.
func (s *stack) join(t *testing.T) (p *player, show string) {
	t.Helper()
	p = s.candidate()
	if err := p.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	shows := send(t, p.reading("/events/shows?tier=rookie")).list(t)
	return p, shows[len(shows)-1]["id"].(string)
}

func (s *stack) candidate() *player {
	p := candidate()
	p.api = s.api
	return p
}

// checkOutage asks a stack without its engine for everything at once: the answers are the endpoints' own, and they come
// within the functions' time.
func (s *stack) checkOutage(t *testing.T, p *player, show string) {
	t.Helper()
	type expected struct {
		request
		status int
		want   any
	}
	stranger, nobody := s.candidate(), &player{api: s.api, token: "x"}
	fault := object{"error": "INTERNAL_ERROR"}
	all := []expected{
		{stranger.registering(), 500, object{"error": "INTERNAL_ERROR", "message": "Registration failed"}},
		{p.loggingIn(), 500, object{"error": "INTERNAL_ERROR", "message": "Login failed"}},
		{p.refreshing(), 401, object{"error": "INVALID_TOKEN", "message": "Invalid refresh token"}},
		{stranger.posting("/auth/logout", object{"refreshToken": "x"}), 200, object{"success": true}},
		{p.reading("/animals"), 500, fault},
		{p.reading("/events/shows"), 500, fault},
		{p.reading("/events/shows/" + show), 500, fault},
		{p.reading("/events/season"), 500, fault},
		{p.entering(show, p.buck), 500, fault},
		{p.judging(show), 500, fault},
		{p.claiming(show), 500, fault},
		// What needs no storage is answered as ever.
		{nobody.reading("/animals"), 401, object{"error": "UNAUTHORIZED"}},
		{p.reading("/events/shows/no-id"), 404, object{"error": "NOT_FOUND"}},
		{p.reading("/events/shows?status=nonsense"), 200, list{}},
		{p.reading("/events/shows?tier=" + strings.Repeat("x", 65)), 200, list{}},
		{stranger.posting("/auth/login", object{}), 400, object{"error": "VALIDATION_ERROR", "message": "Invalid input"}},
		{p.posting("/events/shows/"+show+"/enter", object{}), 400, object{"error": "VALIDATION_ERROR"}},
	}
	racetest.AtOnce(len(all), func(i int) {
		start := time.Now()
		try(t.Context(), all[i].request).is(t, all[i].status, all[i].want)
		if took := time.Since(start); took > 15*time.Second {
			t.Errorf("an answer took %v", took)
		}
	})
}

// TestOutage stops the engine for a while. Afterwards nothing has been paid, entered or judged, and all of it can be
// done.
func TestOutage(t *testing.T) {
	t.Parallel()
	s := newStack(t, "it takes the database away", "SEED=demo")
	engine := engineOf(t, s)
	p, show := s.join(t)
	if err := syscall.Kill(engine.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(engine.PID, syscall.SIGCONT) }() // also after a failure
	s.checkOutage(t, p, show)
	if err := syscall.Kill(engine.PID, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	send(t, p.entering(show, p.buck)).is(t, 201, entryMade(0))
	send(t, p.judging(show)).is(t, 200, showJudged(1))
	send(t, p.claiming(show)).is(t, 200, prizeClaimed(1, 100))
	send(t, p.refreshing()).object(t, 200)
	if err := (operator{folder: s.tree}).verifyLedgers(); err != nil {
		t.Error(err)
	}
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// TestOutage_engineKilled takes the engine away for good. The stack says so, goes on answering, and ends in order when
// it is told to.
func TestOutage_engineKilled(t *testing.T) {
	t.Parallel()
	s := newStack(t, "it takes the database away", "SEED=demo")
	engine := engineOf(t, s)
	p, show := s.join(t)
	if err := syscall.Kill(engine.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.checkOutage(t, p, show)
	if text := s.screen.String(); strings.Count(text, "The engine has ended") != 1 {
		t.Errorf("it says:\n%s", s.tail())
	}
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}
