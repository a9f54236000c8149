package blackbox

import (
	"errors"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestExample runs the script of docs/clients.md, which knows nothing but a URL, on the demo's shows until none is left
// and where there is no service.
func TestExample(t *testing.T) {
	t.Parallel()
	needPrograms(t, "node")
	s := newStack(t, "it judges all rookie shows", "SEED=")
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
	for range 4 { // as many rookie shows as the demo has
		out, complaint, exit := example(t, s.api)
		parts := played.FindStringSubmatch(out)
		if exit != 0 || parts == nil || shows[parts[1]] {
			t.Fatalf("exit %d, after %v:\n%s%s", exit, shows, out, complaint)
		}
		shows[parts[1]] = true
	}
	if out, complaint, exit := example(t, s.api); exit != 0 || !strings.HasSuffix(out, "\nNo rookie show is open that this player can pay\n") {
		t.Errorf("without a show: exit %d:\n%s%s", exit, out, complaint)
	}
	for api, want := range map[string]string{"": "usage: ", "nowhere": "usage: ", s.endpoint: "no answer of this service"} {
		if out, complaint, exit := example(t, api); exit != 1 || out != "" || strings.Count(complaint, "\n") != 1 || !strings.Contains(complaint, want) {
			t.Errorf("%q: exit %d:\n%s%s", api, exit, out, complaint)
		}
	}
}

// example runs the script, and returns what it prints, what it complains of, and its exit code.
func example(t *testing.T, api string) (out, complaint string, exit int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(suite.programs.root, "docs", "examples", "first-show.mjs"), api)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}
