package blackbox

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestTour plays `make tour` in the working tree of a stack with the demo, and checks every answer that it shows.
// Ctrl-C ends the stack.
func TestTour(t *testing.T) {
	t.Parallel()
	s := newStack(t, "it is about the demo", "SEED=")
	if printed := s.screen.String(); !strings.HasSuffix(printed, "\nReady: "+s.api+"\n") || !strings.Contains(printed, s.endpoint) || !strings.Contains(printed, "make tour") {
		t.Fatalf("the stack prints:\n%s", printed)
	}
	printed := s.tour(t)
	if !strings.HasPrefix(printed, "A tour of "+s.api+", ") || !strings.HasSuffix(printed, " Gold: 600. Season score: 100 in Demo Season.\n") {
		t.Errorf("the tour prints:\n%s", printed)
	}
	if secret := regexp.MustCompile("eyJ[^…]{4}|Bearer|\x1b").FindString(printed); secret != "" {
		t.Errorf("the tour shows %q:\n%s", secret, printed)
	}
	said := exchanges(t, printed, "POST /auth/register", "GET /animals", "GET /events/shows?tier=rookie", "POST /events/shows/{id}/enter",
		"POST /events/shows/{id}/judge", "POST /events/shows/{id}/claim-reward", "GET /events/shows/{id}", "GET /events/season", "POST /auth/login",
		"POST /auth/logout")
	for i, want := range []object{
		{"token": "eyJhbG…"}, nil, nil, entryMade(0), showJudged(1), prizeClaimed(1, 100), {"status": "completed"}, {"name": "Demo Season", "mySeasonScore": 100},
		{"refreshToken": "eyJhbG…"}, {"success": true},
	} {
		if want != nil {
			said[i].is(t, said[i].status, want)
		}
	}
	shows := said[2].list(t) // by closing time: the tour has entered the last
	if last := shows[len(shows)-1]; len(shows) != 4 || !strings.Contains(said[3].path, last["id"].(string)) {
		t.Errorf("%s, of %v", said[3], shows)
	}
	s.tourWithoutShows(t, shows[:3])
	for _, line := range []string{"INF POST /auth/register 201 ", "INF POST /events/shows/{id}/judge 200 ", "INF GET /events/season 200 "} {
		if !strings.Contains(s.screen.String(), line) {
			t.Errorf("the log has no line %q:\n%s", line, s.tail())
		}
	}
	if err := s.stop(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.tree + "/.build/running.json"); err == nil {
		t.Error("it is still announced as running")
	}
}

// tourWithoutShows judges the last rookie shows: the tour then plays the rest, and says how to make a show, which an
// operator does and the next tour plays.
func (s *stack) tourWithoutShows(t *testing.T, open []object) {
	t.Helper()
	p := candidate()
	p.api = s.api
	if err := p.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, show := range open {
		p.judge(t, show["id"].(string)).object(t, 200)
	}
	printed := s.tour(t)
	exchanges(t, printed, "POST /auth/register", "GET /animals", "GET /events/shows?tier=rookie", "GET /events/season", "POST /auth/login", "POST /auth/logout")
	if !strings.HasSuffix(printed, "\nNo show was entered. Gold: 500. Season score: 0 in Demo Season.\n") {
		t.Errorf("without a show the tour prints:\n%s", printed)
	}
	_, create, found := strings.Cut(printed, "go run ./infra/ranchctl ")
	create, _, complete := strings.Cut(create, "\n")
	if !found || !complete {
		t.Fatalf("it does not say how to make another show:\n%s", printed)
	}
	tool := operator{folder: s.tree} // it finds the stack by its working tree
	if out, stderr, exit, err := tool.run(strings.Fields(create)...); err != nil || exit != 0 || !strings.Contains(out, "Encore") {
		t.Errorf("%s: exit %d, %v: %s%s", create, exit, err, out, stderr)
	}
	if printed := s.tour(t); !strings.Contains(printed, " in Encore: rank 1 of 1, and 100 gold as its prize. Gold: 600. ") {
		t.Errorf("with another show the tour prints:\n%s", printed)
	}
	if err := tool.verifyLedgers(); err != nil {
		t.Error(err)
	}
}

// tour plays the tour in the stack's working tree, which names the API, and returns what it prints.
func (s *stack) tour(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), suite.programs.tour)
	cmd.Dir, cmd.Env = s.tree, append(os.Environ(), "API=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the tour ends with %v: %s", err, out)
	}
	return string(out)
}

var exchangeLine = regexp.MustCompile(`^(GET|POST) (\S+?)(, with the access token)?: (\d+) in \d+ ms$`)

// exchanges reads the answers that a tour has shown, which must be those of the routes. Ids are {id} in a route.
func exchanges(t *testing.T, printed string, routes ...string) (said []reply) {
	t.Helper()
	for line := range strings.Lines(printed) {
		if m := exchangeLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			status, _ := strconv.Atoi(m[4])
			said = append(said, reply{request: request{method: m[1], path: m[2]}, status: status})
			if public := strings.HasPrefix(m[2], "/auth/"); public != (m[3] == "") {
				t.Errorf("%s", line)
			}
		} else if body, found := strings.CutPrefix(line, "< "); found && len(said) > 0 {
			said[len(said)-1].body = append(said[len(said)-1].body, body...)
		}
	}
	for i, r := range said {
		if i >= len(routes) || r.method+" "+regexp.MustCompile("[0-9a-f-]{36}").ReplaceAllString(r.path, "{id}") != routes[i] {
			t.Errorf("exchange %d is %s", i+1, r)
		}
	}
	if len(said) != len(routes) {
		t.Fatalf("%d exchanges, not %d:\n%s", len(said), len(routes), printed)
	}
	return said
}
