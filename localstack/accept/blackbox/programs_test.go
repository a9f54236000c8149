package blackbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// runProgram runs a program in a folder. It returns the program's output, its error output, and its exit code.
func runProgram(t *testing.T, folder, name string, args ...string) (out, complaint string, exit int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// TestExamples runs the example programs until no show is left to play, and also without a service. They are the script
// of docs/clients.md, which gets only a URL, and the tour, which says how to create another show. The test then creates
// a show as an operator, and the next tour plays it.
func TestExamples(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("NOT TESTED: ", err)
	}
	w := newWorld(t, "it judges all rookie shows", &journal{}, 0)
	season, err := w.NewSeason(t.Context(), game.NewID())
	must(t, err)
	names := []string{"Meadow Ring", "Creekside Open"}
	for i, name := range names {
		_, err := w.NewShow(t.Context(), game.Show{Name: name, Tier: game.TierRookie, EntryFee: int64(25 * i), SeasonID: season.ID}, store.DefaultGates)
		must(t, err)
	}
	script := func(api string) (out, complaint string, exit int) {
		t.Helper()
		return runProgram(t, suite.root, "node", filepath.Join("docs", "examples", "first-show.mjs"), api)
	}
	played := regexp.MustCompile("(?m)" + strings.Join([]string{
		`\ARegistered rookie\w{8}, who has 500 gold`,
		`Animals: (?:(?:Buck|Bessie|Millie) \((?:Angus|Holstein), adult\)(?:, |$)){3}`,
		`Chose (.+): fee \d+ gold, open until \S+`,
		`Entered \w+`,
		`Judged`,
		`Claimed the prize: 100 gold`,
		`Standing: rank 1, score \d+(\.\d+)?; season score 100`,
	}, `\n`) + `\n\z`)
	shows := map[string]bool{}
	for range names {
		out, complaint, exit := script(w.API)
		parts := played.FindStringSubmatch(out)
		if exit != 0 || parts == nil || shows[parts[1]] {
			t.Fatalf("exit %d, after %v:\n%s%s", exit, shows, out, complaint)
		}
		shows[parts[1]] = true
	}
	if out, complaint, exit := script(w.API); exit != 0 || !strings.HasSuffix(out, "\nNo rookie show is open that this player can pay\n") {
		t.Errorf("without a show: exit %d:\n%s%s", exit, out, complaint)
	}
	for api, want := range map[string]string{"": "usage: ", "nowhere": "usage: ", w.Stack.Endpoint: "no answer of this service"} {
		if out, complaint, exit := script(api); exit != 1 || out != "" || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, want) {
			t.Errorf("%q: exit %d:\n%s%s", api, exit, out, complaint)
		}
	}

	build := func(of string) string {
		t.Helper()
		program := filepath.Join(t.TempDir(), filepath.Base(of))
		if _, complaint, exit := runProgram(t, suite.root, "go", "build", "-o", program, of); exit != 0 {
			t.Fatal(complaint)
		}
		return program
	}
	tour, ranchctl := build("./localstack/run/tour"), build("./infra/ranchctl")
	toured := func() string {
		t.Helper()
		out, complaint, exit := runProgram(t, t.TempDir(), "env", "API="+w.API, tour)
		if secret := regexp.MustCompile("eyJ[^…]{4}|Bearer|\x1b").FindString(out); exit != 0 || secret != "" {
			t.Fatalf("the tour ends with %d and shows %q: %s%s", exit, secret, out, complaint)
		}
		return out
	}
	printed := toured()
	if !strings.HasSuffix(printed, "\nNo show was entered. Gold: 500. Season score: 0 in Acceptance.\n") {
		t.Errorf("without a show the tour prints:\n%s", printed)
	}
	_, create, found := strings.Cut(printed, "go run ./infra/ranchctl ")
	create, _, complete := strings.Cut(create, "\n")
	if !found || !complete {
		t.Fatalf("it does not say how to make another show:\n%s", printed)
	}
	table := []string{"--endpoint", w.Stack.Endpoint, "--table", stack.TableName}
	if out, complaint, exit := runProgram(t, t.TempDir(), ranchctl, append(table, strings.Fields(create)...)...); exit != 0 || !strings.Contains(out, "Encore") {
		t.Errorf("%s: exit %d: %s%s", create, exit, out, complaint)
	}
	if printed := toured(); !strings.Contains(printed, " in Encore: rank 1 of 1, and 100 gold as its prize. Gold: 600. ") {
		t.Errorf("with another show the tour prints:\n%s", printed)
	}
	must(t, ledgersHold(context.Background(), w))
}
