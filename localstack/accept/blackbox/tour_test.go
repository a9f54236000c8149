package blackbox

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTour plays `make tour` in the working tree of a stack with the demo, and checks what it asks and prints.
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
	exchanges(t, printed, "POST /auth/register: 201", "GET /animals: 200", "GET /events/shows?tier=rookie: 200", "POST /events/shows/{id}/enter: 201",
		"POST /events/shows/{id}/judge: 200", "POST /events/shows/{id}/claim-reward: 200", "GET /events/shows/{id}: 200", "GET /events/season: 200",
		"POST /auth/login: 200", "POST /auth/logout: 200")
	s.tourWithoutShows(t)
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
func (s *stack) tourWithoutShows(t *testing.T) {
	t.Helper()
	p := candidate()
	p.api = s.api
	if err := p.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, show := range send(t, p.reading("/events/shows?tier=rookie")).list(t) {
		p.judge(t, show["id"].(string)).object(t, 200)
	}
	printed := s.tour(t)
	exchanges(t, printed, "POST /auth/register: 201", "GET /animals: 200", "GET /events/shows?tier=rookie: 200", "GET /events/season: 200",
		"POST /auth/login: 200", "POST /auth/logout: 200")
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

var exchangeLine = regexp.MustCompile(`(?m)^((?:GET|POST) (\S+?))(, with the access token)?(: \d+) in \d+ ms$`)

// exchanges checks which requests a tour has shown, with the statuses of their answers. Ids are {id}.
func exchanges(t *testing.T, printed string, want ...string) {
	t.Helper()
	var shown []string
	for _, m := range exchangeLine.FindAllStringSubmatch(printed, -1) {
		shown = append(shown, regexp.MustCompile("[0-9a-f-]{36}").ReplaceAllString(m[1], "{id}")+m[4])
		if public := strings.HasPrefix(m[2], "/auth/"); public != (m[3] == "") {
			t.Error(m[0])
		}
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("the tour's exchanges (-want +got):\n%s", diff)
	}
}
