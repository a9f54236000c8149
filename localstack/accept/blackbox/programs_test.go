package blackbox

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
)

// runProgram runs a program in a folder. It returns the program's output, its error output, and its exit code.
func runProgram(t *testing.T, folder, name string, args ...string) (out, complaint string, exit int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var stdout, stderr strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &stdout, &stderr
	err := cmd.Run()
	require.True(t, err == nil || cmd.ProcessState != nil, err)
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// TestExamples runs the two example programs. The script of docs/clients.md gets only a URL. It plays until no show is
// left, and must explain a wrong URL. The tour then prints a command that creates another show. The test runs this
// command, and the next tour plays the show.
func TestExamples(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		require.True(t, os.Getenv("CI") != "true", err)
		t.Skip("NOT TESTED: ", err)
	}
	w := newWorld(t, "it judges all rookie shows")
	season, err := w.NewSeason(t.Context(), game.NewID())
	require.NoError(t, err)
	names := []string{"Meadow Ring", "Creekside Open"}
	for i, name := range names {
		_, err := w.NewShow(t.Context(), game.Show{Name: name, Tier: game.TierRookie, EntryFee: int64(25 * i), SeasonID: season.ID}, records.DefaultGates)
		require.NoError(t, err)
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
		require.True(t, exit == 0 && parts != nil && !shows[parts[1]], "exit %d, after %v:\n%s%s", exit, shows, out, complaint)
		shows[parts[1]] = true
	}
	out, complaint, exit := script(w.API)
	assert.True(t, exit == 0 && strings.HasSuffix(out, "\nNo rookie show is open that this player can pay\n"),
		"without a show: exit %d:\n%s%s", exit, out, complaint)
	for api, want := range map[string]string{"": "usage: ", "nowhere": "usage: ", w.Stack.Endpoint: "no answer of this service"} {
		out, complaint, exit := script(api)
		assert.True(t, exit == 1 && out == "" && strings.Count(complaint, "\n") == 1 && strings.Contains(complaint, want),
			"%q: exit %d:\n%s%s", api, exit, out, complaint)
	}

	build := func(of string) string {
		t.Helper()
		program := filepath.Join(t.TempDir(), filepath.Base(of))
		_, complaint, exit := runProgram(t, suite.root, "go", "build", "-o", program, of)
		require.Equal(t, 0, exit, complaint)
		return program
	}
	tour, ranchctl := build("./localstack/run/tour"), build("./infra/ranchctl")
	toured := func() string {
		t.Helper()
		out, complaint, exit := runProgram(t, t.TempDir(), "env", "API="+w.API, tour)
		secret := regexp.MustCompile("eyJ[^…]{4}|Bearer|\x1b").FindString(out)
		require.True(t, exit == 0 && secret == "", "the tour ends with %d and shows %q: %s%s", exit, secret, out, complaint)
		return out
	}
	printed := toured()
	assert.True(t, strings.HasSuffix(printed, "\nNo show was entered. Gold: 500. Season score: 0 in Acceptance.\n"),
		"without a show the tour prints:\n%s", printed)
	_, create, found := strings.Cut(printed, "go run ./infra/ranchctl ")
	create, _, complete := strings.Cut(create, "\n")
	require.True(t, found && complete, "it does not say how to make another show:\n%s", printed)
	table := []string{"--endpoint", w.Stack.Endpoint, "--table", stack.TableName}
	out, complaint, exit = runProgram(t, t.TempDir(), ranchctl, append(table, strings.Fields(create)...)...)
	assert.True(t, exit == 0 && strings.Contains(out, "Encore"), "%s: exit %d: %s%s", create, exit, out, complaint)
	printed = toured()
	assert.Contains(t, strings.Join(strings.Fields(printed), " "), " in Encore: rank 1 of 1, and 100 gold as its prize. Gold: 600. ",
		"with another show the tour prints:\n%s", printed)
	require.NoError(t, ledgersHold(context.Background(), w))
}
