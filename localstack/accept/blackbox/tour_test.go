package blackbox

import (
	"bytes"
	"encoding/pem"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
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
	token := matching("the first letters of a token", "^eyJ...…$")
	user := said[0].object(t, 201)["user"].(object)
	name := user["username"].(string)
	registered := object{
		"id": anyID, "email": name + "@example.com", "username": matching("a rider", "^rider-[a-z0-9]{12}$"), "status": "active", "goldBalance": 500, "premiumBalance": 0,
		"prestigePoints": 0, "marketRestrictedUntil": anyTime, "createdAt": anyTime,
	}
	said[0].is(t, 201, object{"token": token, "refreshToken": token, "user": registered})
	animals, shows := said[1].list(t), said[2].list(t)
	if len(animals) != 3 || len(shows) != 4 {
		t.Fatalf("%d animals and %d shows", len(animals), len(shows))
	}
	var show object
	for _, s := range shows {
		if s["status"] != "open" || s["tier"] != "rookie" || show != nil && s["entryClosesAt"].(string) < show["entryClosesAt"].(string) {
			t.Errorf("%v", s)
		}
		show = s
	}
	animal := animals[0]
	said[3].is(t, 201, entryMade(animal["name"].(string)+" entered in "+show["name"].(string)+"!", 0))
	said[4].is(t, 200, showJudged(1, list{winner(1, user["id"], animal["id"])}))
	said[5].is(t, 200, prizeClaimed(1, 100, containing("100", "1")))
	said[6].is(t, 200, object{
		"id": show["id"], "name": show["name"], "tier": "rookie", "entryFee": 0, "entryClosesAt": show["entryClosesAt"], "judgedAt": anyTime, "status": "completed",
		"seasonId": show["seasonId"], "entries": list{object{
			"id": anyID, "playerId": user["id"], "playerUsername": name, "animalId": animal["id"], "animalName": animal["name"], "breed": animal["breed"],
			"rarityTier": animal["rarity_tier"], "score": anyDecimal, "rank": 1, "rewardClaimed": true,
		}},
	})
	said[7].is(t, 200, object{"id": show["seasonId"], "name": "Demo Season", "startDate": anyTime, "endDate": anyTime, "isActive": true, "mySeasonScore": 100})
	registered["goldBalance"], registered["lastLoginAt"] = 600, anyTime
	registered["ranch"] = object{"id": anyID, "name": "Sunny Acres", "plotCount": 4, "prestigeLevel": 0}
	said[8].is(t, 200, object{"token": token, "refreshToken": token, "user": registered})
	said[9].is(t, 200, object{"success": true})
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
	if stdout, stderr, exit := s.tryTour(t, "API="+s.api); exit != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "nothing answers at "+s.api) {
		t.Errorf("without a service the tour ends with %d: %s%s", exit, stdout, stderr)
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
	at, variables := s.overTLS(t)
	stdout, stderr, exit := s.tryTour(t, append(variables, "API="+at+"/")...)
	if exit != 0 || !strings.HasPrefix(stdout, "A tour of "+at+", ") || !strings.Contains(stdout, " in Encore: rank 1 of 1, and 100 gold as its prize. Gold: 600. ") {
		t.Errorf("with another show, over TLS, the tour ends with %d: %s%s", exit, stdout, stderr)
	}
	if err := tool.verifyLedgers(); err != nil {
		t.Error(err)
	}
}

// tour plays the tour in the stack's working tree, which names the API, and returns what it prints.
func (s *stack) tour(t *testing.T) string {
	t.Helper()
	stdout, stderr, exit := s.tryTour(t, "API=")
	if exit != 0 || stderr != "" {
		t.Fatalf("the tour ends with %d: %s%s", exit, stdout, stderr)
	}
	return stdout
}

func (s *stack) tryTour(t *testing.T, variables ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), suite.programs.tour)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.tree, append(os.Environ(), variables...), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// overTLS serves the stack's API at an https URL, too, and returns it with the variables of who is to trust it.
func (s *stack) overTLS(t *testing.T) (api string, variables []string) {
	t.Helper()
	at, err := url.Parse(s.api)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(loopback.Forward(at))
	t.Cleanup(server.Close)
	trusted := filepath.Join(t.TempDir(), "trusted.pem")
	if err := os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, []string{"SSL_CERT_FILE=" + trusted}
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
