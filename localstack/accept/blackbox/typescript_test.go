package blackbox

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	makefile "github.com/ranch-game/ranch/localstack/kit/build"
)

// TestTypeScriptREADME does what the README of the TypeScript client says: it packs the client, installs it in a
// project, and plays a first show with the lines that are printed there.
func TestTypeScriptREADME(t *testing.T) {
	t.Parallel()
	needPrograms(t, "node", "npm")
	var built bytes.Buffer
	if err := makefile.Make(t.Context(), suite.programs.root, &built, os.Environ(), "client"); err != nil {
		t.Fatalf("%v\n%s", err, &built)
	}
	client := filepath.Join(suite.programs.root, "shared", "client", "typescript")
	text, err := os.ReadFile(filepath.Join(client, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, script, found := strings.Cut(string(text), "```js\n")
	script, _, complete := strings.Cut(script, "```")
	if !found || !complete || strings.Count(strings.TrimSpace(script), "\n") >= 10 {
		t.Fatalf("this is no integration in ten lines:\n%s", script)
	}
	show, name := newShow(t, scene{fee: 10}), unique()
	for printed, ours := range map[string]string{
		`"http://127.0.0.1:3000"`: fmt.Sprintf("%q", suite.api),
		`"ada@example.com"`:       fmt.Sprintf("%q", name+"@example.com"),
		`"ada"`:                   fmt.Sprintf("%q", name),
		`"rookie"`:                fmt.Sprintf("%q", show.tier),
	} {
		if strings.Count(script, printed) != 1 {
			t.Errorf("%s is not there once", printed)
		}
		script = strings.ReplaceAll(script, printed, ours)
	}

	project := t.TempDir()
	run := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = project
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &stderr)
		}
		return string(out)
	}
	if err := os.WriteFile(filepath.Join(project, "play.mjs"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	run("npm", "pack", "--silent", client)
	run("npm", "install", "--silent", "--no-audit", "--no-fund", "ranch-game-client-1.0.0.tgz")
	got := strings.Split(strings.TrimSpace(run("node", "play.mjs")), "\n")
	if len(got) != 4 || got[0] != "sessionStarted" || !strings.HasSuffix(got[1], " entered in "+show.name+"!") ||
		got[2] != "Show judged. 1 entries." || got[3] != "No reward for this placement." {
		t.Errorf("it prints %q", got)
	}
}
