package blackbox

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestTour pastes what a stack prints for that into a shell, and checks every answer. Ctrl-C ends the stack.
func TestTour(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "node"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip("NOT TESTED: ", err)
		}
	}
	s := newStack(t, "it is about what ranch-local prints", "SEED=")
	printed := s.screen.String()
	_, commands, found := strings.Cut(printed, "to paste into a shell:\n\n")
	commands, _, complete := strings.Cut(commands, "\nCtrl-C ends it.")
	if !found || !complete || !strings.HasSuffix(printed, "\nReady: "+s.api+"\n") || !strings.Contains(printed, s.endpoint) {
		t.Fatalf("it prints:\n%s", printed)
	}
	cmd := exec.CommandContext(t.Context(), "bash")
	cmd.Stdin = strings.NewReader(commands)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 8 {
		t.Fatalf("%d answers:\n%s", len(lines), out)
	}
	said := func(i int) reply {
		return reply{request: request{method: "answer", path: string(rune('1' + i))}, status: 200, body: []byte(lines[i])}
	}
	user := said(0).object(t, 200)["user"].(object)
	name := user["username"].(string)
	said(0).is(t, 200, object{"token": anyToken, "refreshToken": anyToken, "user": object{
		"id": anyID, "email": name + "@example.com", "username": matching("a rider", `^rider-\d+$`), "status": "active", "goldBalance": 500, "premiumBalance": 0,
		"prestigePoints": 0, "marketRestrictedUntil": anyTime, "createdAt": anyTime,
	}})
	animals, shows := said(1).list(t), said(2).list(t)
	if len(animals) != 3 || len(shows) != 12 {
		t.Fatalf("%d animals and %d shows", len(animals), len(shows))
	}
	var show object
	for _, s := range shows {
		if s["status"] != "open" || show != nil && s["entryClosesAt"].(string) < show["entryClosesAt"].(string) && s["tier"] == "rookie" {
			t.Errorf("%v", s)
		}
		if s["tier"] == "rookie" {
			show = s
		}
	}
	animal := animals[0]
	said(3).is(t, 200, entryMade(animal["name"].(string)+" entered in "+show["name"].(string)+"!", 0))
	said(4).is(t, 200, showJudged(1, list{winner(1, user["id"], animal["id"])}))
	said(5).is(t, 200, prizeClaimed(1, 100, containing("100", "1")))
	said(6).is(t, 200, object{
		"id": show["id"], "name": show["name"], "tier": "rookie", "entryFee": 0, "entryClosesAt": show["entryClosesAt"], "judgedAt": anyTime, "status": "completed",
		"seasonId": show["seasonId"], "entries": list{object{
			"id": anyID, "playerId": user["id"], "playerUsername": name, "animalId": animal["id"], "animalName": animal["name"], "breed": animal["breed"],
			"rarityTier": animal["rarity_tier"], "score": anyDecimal, "rank": 1, "rewardClaimed": true,
		}},
	})
	said(7).is(t, 200, object{"id": show["seasonId"], "name": "Demo Season", "startDate": anyTime, "endDate": anyTime, "isActive": true, "mySeasonScore": 100})
	tool := operator{folder: s.tree} // it finds the stack by its working tree
	if err := tool.verifyLedgers(); err != nil {
		t.Error(err)
	}
	_, create, found := strings.Cut(commands, "go run ./infra/ranchctl ")
	create, _, complete = strings.Cut(create, "'\n")
	if !found || !complete {
		t.Errorf("it does not say how to make another show")
	}
	if out, stderr, exit, err := tool.run(strings.Fields(create)...); err != nil || exit != 0 || !strings.Contains(out, "Encore") {
		t.Errorf("%s: exit %d, %v: %s%s", create, exit, err, out, stderr)
	}
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

// A port that is in use is one clear line and an exit code, whichever of them it is.
func TestProgram_portInUse(t *testing.T) {
	t.Parallel()
	ownStack(t, "it is about ranch-local")
	free, err := freePorts()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ports [2]int
		page  string
	}{
		"PORT":      {[2]int{suite.own.ports[0], free[1]}, "none"},
		"DB_PORT":   {[2]int{free[0], suite.own.ports[1]}, "none"},
		"PLAY_PORT": {free, fmt.Sprint(suite.own.ports[0])},
	} {
		s, err := launch(c.ports, "PLAY_PORT="+c.page)
		if err != nil {
			t.Fatal(err)
		}
		exit, err := s.wait()
		if err != nil {
			t.Fatal(err)
		}
		text := s.screen.String()
		if exit == 0 || strings.Count(text, "\n") != 1 || !strings.Contains(text, "is in use") || !strings.Contains(text, name+"=") {
			t.Errorf("%s in use: it ends with %d and says %q", name, exit, text)
		}
	}
}
