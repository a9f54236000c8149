package blackbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	makefile "github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/shared/game"
)

// samples returns the code blocks in a language in the READMEs of the clients, in order. Each block is a whole file
// that a reader can paste.
func samples(t *testing.T, language string) (texts []string) {
	t.Helper()
	blocks := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, page := range []string{"shared/client/typescript/README.md", "shared/client/README.md"} {
		text, err := os.ReadFile(filepath.Join(suite.root, page))
		must(t, err)
		for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
			texts = append(texts, block[1])
		}
	}
	if len(texts) != 2 && language != "sh" {
		t.Fatalf("the READMEs have %d samples in %s, want 2", len(texts), language)
	}
	return texts
}

// commands returns the block of shell commands that contains a text in those READMEs. Its paths are changed to
// this clone.
func commands(t *testing.T, with string) string {
	t.Helper()
	for _, block := range samples(t, "sh") {
		if strings.Contains(block, with) {
			return strings.ReplaceAll(block, "/path/to/ranch", suite.root)
		}
	}
	t.Fatalf("no block of commands has %q", with)
	return ""
}

// printed returns the output of a program, which must succeed.
func printed(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	out, complaint, exit := runProgram(t, folder, name, args...)
	if exit != 0 {
		t.Fatalf("%s %q: exit %d\n%s%s", name, args, exit, out, complaint)
	}
	return out
}

// adapt changes a sample so that it plays a new show of the suite as a new player. It also returns a pattern of the
// output that the sample must print.
func adapt(t *testing.T, sample string) (adapted string, prints *regexp.Regexp) {
	t.Helper()
	show := newShow(t, game.Show{EntryFee: 10})
	for shown, ours := range map[string]string{"http://127.0.0.1:3000": suite.API, "rookie": show.Tier} {
		shown, ours = fmt.Sprintf("%q", shown), fmt.Sprintf("%q", ours)
		if strings.Count(sample, shown) != 1 {
			t.Errorf("%s is not there once", shown)
		}
		sample = strings.ReplaceAll(sample, shown, ours)
	}
	return sample, regexp.MustCompile(`^.* entered in ` + show.Name + `!\nShow judged\. 1 entries\.\nNo reward for this placement\.\n$`)
}

// TestSamplesInGo builds the samples of the client's README in a module outside the repository, without a network, and
// runs the first one. The module gets the client by the README's commands, and must get no other module with it.
func TestSamplesInGo(t *testing.T) {
	project := t.TempDir()
	for name, value := range map[string]string{"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOWORK": "off"} {
		t.Setenv(name, value)
	}
	printed(t, project, "go", "mod", "init", "example.com/game")
	texts := samples(t, "go")
	first, prints := adapt(t, texts[0])
	for name, text := range map[string]string{"first/main.go": first, "game/game.go": texts[1]} {
		must(t, os.MkdirAll(filepath.Join(project, filepath.Dir(name)), 0o700))
		must(t, os.WriteFile(filepath.Join(project, name), []byte(text), 0o600))
	}
	printed(t, project, "bash", "-ec", commands(t, "go mod edit -replace"))
	printed(t, project, "go", "vet", "./...")
	const module = "github.com/ranch-game/ranch/shared/client"
	if got := printed(t, project, "go", "list", "-m", "-f", "{{.Path}}", "all"); got != "example.com/game\n"+module+"\n" {
		t.Errorf("the module graph is\n%s", got)
	}
	if out := printed(t, project, "go", "run", "./first"); !prints.MatchString(out) {
		t.Errorf("the sample prints %q", out)
	}
	// The client's own tests need no other module, either.
	printed(t, filepath.Join(suite.root, "shared", "client"), "go", "vet", "./...")
}

// TestSamplesInTypeScript packs the client in a fresh clone, installs the package in a project, and compiles the
// samples of its README there. It runs the first one, which must have at most ten lines.
func TestSamplesInTypeScript(t *testing.T) {
	t.Parallel()
	needPrograms(t, "node", "npm")
	var built bytes.Buffer
	if err := makefile.Make(t.Context(), suite.root, &built, os.Environ(), "client"); err != nil {
		t.Fatalf("%v\n%s", err, &built)
	}
	client, clone, project := filepath.Join("shared", "client", "typescript"), t.TempDir(), t.TempDir()
	texts := samples(t, "ts")
	if lines := strings.Count(texts[0], "\n"); lines > 10 {
		t.Errorf("the first integration has %d lines, want 10", lines)
	}
	first, prints := adapt(t, texts[0])
	for name, text := range map[string]string{"first.mts": first, "first.mjs": first, "game.mts": texts[1]} {
		must(t, os.WriteFile(filepath.Join(project, name), []byte(text), 0o600))
	}
	// The command that packs the client first builds it, because the clone has no built files. The clone uses the tools
	// that are installed in this tree.
	printed(t, suite.root, "bash", "-ec", `git ls-files -z docs/openapi.yaml shared/client/typescript | tar -c --null -T - | tar -x -C "$0"`, clone)
	must(t, os.Symlink(filepath.Join(suite.root, client, "node_modules"), filepath.Join(clone, client, "node_modules")))
	tarball := strings.TrimSpace(printed(t, filepath.Join(clone, client), "npm", "pack", "--silent", "--pack-destination", project))
	commands(t, "npm install "+tarball)
	printed(t, project, "npm", "install", "--silent", "--no-audit", "--no-fund", "--offline", tarball)
	printed(t, project, filepath.Join(suite.root, client, "node_modules", ".bin", "tsc"), "--strict", "--noEmit", "--target", "es2022", "--module", "nodenext",
		"first.mts", "game.mts")
	if out := printed(t, project, "node", "first.mjs"); !prints.MatchString(out) {
		t.Errorf("the README's sample prints %q", out)
	}
}
