package blackbox

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// engineOf returns the process of a stack's engine.
func engineOf(t *testing.T, s *stack) child {
	t.Helper()
	all := descendants(s.process.Pid)
	i := slices.IndexFunc(all, func(c child) bool { return c.name == "dynoxide" || c.name == "java" })
	if i < 0 {
		t.Fatal("no engine was found among ", all)
	}
	return all[i]
}

// ownOutage starts a stack that a test may harm, and that the test ends.
func ownOutage(t *testing.T) *stack {
	t.Helper()
	ownStack(t, "it takes the database away")
	s, err := startStack("SEED=demo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		select {
		case <-s.ended:
		default:
			_ = s.stop(syscall.SIGTERM) // the test has failed already
		}
	})
	return s
}

// at sends a request to another stack than the suite's.
func (s *stack) at(r request) request {
	r.api, r.mayFail = s.api, true
	return r
}

// join registers a player with another stack, and returns it with one of its animals and a show.
func (s *stack) join(t *testing.T) (p *player, show string) {
	t.Helper()
	p = candidate()
	session := send(t, s.at(request{method: "POST", path: "/auth/register", body: p.form()})).object(t, 201)
	p.token, p.refresh = session["token"].(string), session["refreshToken"].(string)
	p.buck = send(t, s.at(request{method: "GET", path: "/animals", token: p.token})).list(t)[0]["id"].(string)
	shows := send(t, s.at(request{method: "GET", path: "/events/shows?tier=rookie", token: p.token})).list(t)
	return p, shows[len(shows)-1]["id"].(string)
}

// checkOutage asks a stack without its engine for everything at once: the answers are the endpoints' own, and they come within the functions' time.
func (s *stack) checkOutage(t *testing.T, p *player, show string) {
	t.Helper()
	type expected struct {
		request
		status int
		want   any
	}
	fault := object{"error": "INTERNAL_ERROR"}
	shows := request{method: "GET", path: "/events/shows", token: p.token}
	all := []expected{
		{request{method: "POST", path: "/auth/register", body: candidate().form()}, 500, object{"error": "INTERNAL_ERROR", "message": "Registration failed"}},
		{request{method: "POST", path: "/auth/login", body: object{"email": p.email, "password": p.password}}, 500, object{"error": "INTERNAL_ERROR", "message": "Login failed"}},
		{request{method: "POST", path: "/auth/refresh", body: object{"refreshToken": p.refresh}}, 401, object{"error": "INVALID_TOKEN", "message": "Invalid refresh token"}},
		{request{method: "POST", path: "/auth/logout", body: object{"refreshToken": "x"}}, 200, object{"success": true}},
		{request{method: "GET", path: "/animals", token: p.token}, 500, fault},
		{shows, 500, fault},
		{request{method: "GET", path: "/events/shows/" + show, token: p.token}, 500, fault},
		{request{method: "GET", path: "/events/season", token: p.token}, 500, fault},
		{p.entering(show, p.buck), 500, fault},
		{p.judging(show), 500, fault},
		{p.claiming(show), 500, fault},
		// What needs no storage is answered as ever.
		{request{method: "GET", path: "/animals", token: "x"}, 401, object{"error": "UNAUTHORIZED"}},
		{request{method: "GET", path: "/events/shows/no-id", token: p.token}, 404, object{"error": "NOT_FOUND"}},
		{request{method: "POST", path: "/auth/login", body: object{}}, 400, object{"error": "VALIDATION_ERROR", "message": "Invalid input"}},
		{request{method: "POST", path: "/events/shows/" + show + "/enter", token: p.token, body: object{}}, 400, object{"error": "VALIDATION_ERROR"}},
	}
	for _, query := range []string{"?status=nonsense", "?tier=" + strings.Repeat("x", 65)} {
		r := shows
		r.path += query
		all = append(all, expected{r, 200, list{}})
	}
	done := make(chan time.Duration)
	for _, e := range all {
		go func() {
			start := time.Now()
			try(t.Context(), s.at(e.request)).is(t, e.status, e.want)
			done <- time.Since(start)
		}()
	}
	for range all {
		if took := <-done; took > 15*time.Second {
			t.Errorf("an answer took %v", took)
		}
	}
}

// TestOutage stops the engine for a while. Afterwards nothing has been paid, entered or judged, and all of it can be done.
func TestOutage(t *testing.T) {
	t.Parallel()
	s := ownOutage(t)
	engine := engineOf(t, s)
	p, show := s.join(t)
	if err := syscall.Kill(engine.pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(engine.pid, syscall.SIGCONT) }() // also after a failure
	s.checkOutage(t, p, show)
	if err := syscall.Kill(engine.pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	send(t, s.at(p.entering(show, p.buck))).is(t, 201, object{"success": true, "message": anyText, "entryFee": 0})
	send(t, s.at(p.judging(show))).is(t, 200, object{"success": true, "message": "Show judged. 1 entries.", "topThree": anyList})
	send(t, s.at(p.claiming(show))).is(t, 200, object{"success": true, "rank": 1, "goldReward": 100, "message": anyText})
	send(t, s.at(request{method: "POST", path: "/auth/refresh", body: object{"refreshToken": p.refresh}})).is(t, 200, object{"token": anyToken})
	checkLedgers(t, s)
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// TestOutage_engineKilled takes the engine away for good. The stack says so, goes on answering, and ends in order when it is told to.
func TestOutage_engineKilled(t *testing.T) {
	t.Parallel()
	s := ownOutage(t)
	engine := engineOf(t, s)
	p, show := s.join(t)
	if err := syscall.Kill(engine.pid, syscall.SIGKILL); err != nil {
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
