package conformance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

// samples are the code blocks of a client's README.
type samples struct {
	*testing.T
	root  string   // of the working tree
	texts []string // the blocks in the client's language, in order. Each is a file that a reader can paste
	page  string
	show  game.Show // that the samples play
}

// readSamples returns the n samples in a language of a README. They play a new show of the stage.
func readSamples(t *testing.T, readme, language string, n int) samples {
	t.Helper()
	w, err := theStage()
	s := samples{T: t}
	s.must(err)
	template, err := samtemplate.LoadRoot()
	s.must(err)
	s.root = template.Root
	text, err := os.ReadFile(filepath.Join(s.root, readme))
	s.must(err)
	s.show, err = w.NewShow(t.Context(), game.Show{Name: "County Fair", Tier: "t" + world.NewName(), EntryFee: 10, SeasonID: w.season.ID}, 1)
	s.must(err)
	for _, replaced := range []string{"http://127.0.0.1:3000", `"rookie"`} {
		assert.Contains(t, string(text), replaced, "%s does not contain %s, which the samples need", readme, replaced)
	}
	s.page = strings.NewReplacer("http://127.0.0.1:3000", w.API, "/path/to/ranch", s.root, `"rookie"`, `"`+s.show.Tier+`"`).Replace(string(text))
	for _, block := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(s.page, -1) {
		s.texts = append(s.texts, block[1])
	}
	require.Len(t, s.texts, n, "%s has %d samples in %s, want %d", readme, len(s.texts), language, n)
	return s
}

func (s samples) must(err error) {
	s.Helper()
	require.NoError(s, err)
}

// write writes files below a new folder, and returns the folder.
func (s samples) write(files map[string]string) (folder string) {
	s.Helper()
	folder = s.TempDir()
	for name, text := range files {
		s.must(os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o700))
		s.must(os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

// plays runs a sample. It must print the messages of a whole game, with text before and after them that matches the
// patterns. The game's show has a tier of its own, so that no other player enters it. Such a tier has no prizes.
func (s samples) plays(folder, before, after string, command ...string) {
	s.Helper()
	out := printed(s.T, folder, command...)
	game := `[^\n]* entered in County Fair!\nShow judged\. 1 entries\.\nNo reward for this placement\.\n`
	assert.True(s, regexp.MustCompile(`(?s)^`+before+game+after+`$`).MatchString(out), "%q prints %q", command, out)
}

// printed returns the output of a program, which must succeed within patience.
func printed(t *testing.T, folder string, command ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var complaint strings.Builder
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = folder, &complaint, time.Second
	out, err := cmd.Output()
	require.NoError(t, err, "%q: %v\n%s%s", command, err, out, &complaint)
	return string(out)
}

// TestSamplesInTypeScript packs the client in a fresh clone, installs the package in a project, and compiles the
// samples of its README there. It runs the first one, which must have at most ten lines.
func TestSamplesInTypeScript(t *testing.T) {
	t.Parallel()
	if typescript(t) == nil {
		return
	}
	s := readSamples(t, "shared/client/typescript/README.md", "ts", 2)
	lines := strings.Count(s.texts[0], "\n")
	assert.True(t, lines <= 10, "the first integration has %d lines, want 10", lines)
	project, clone := s.write(map[string]string{"first.mts": s.texts[0], "first.mjs": s.texts[0], "game.mts": s.texts[1]}), t.TempDir()
	// The command that packs the client first builds it, because the clone has no built files. The clone uses the tools
	// that are installed in this tree.
	const client = "shared/client/typescript"
	printed(t, s.root, "bash", "-ec", `git ls-files -z docs/openapi.yaml shared/client/typescript | tar -c --null -T - | tar -x -C "$0"`, clone)
	s.must(os.Symlink(filepath.Join(s.root, client, "node_modules"), filepath.Join(clone, client, "node_modules")))
	tarball := strings.TrimSpace(printed(t, filepath.Join(clone, client), "npm", "pack", "--silent", "--pack-destination", project))
	assert.Contains(t, s.page, "npm install "+tarball)
	printed(t, project, "npm", "install", "--silent", "--no-audit", "--no-fund", "--offline", tarball)
	printed(t, project, filepath.Join(s.root, client, "node_modules", ".bin", "tsc"), "--strict", "--noUncheckedIndexedAccess", "--noEmit", "--target", "es2022", "--module", "nodenext",
		"first.mts", "game.mts")
	s.plays(project, "", "", "node", "first.mjs")
}

// sampleInGDScript plays the addon's sample in Godot's engine for browsers, which only `make gdscript` installs.
func sampleInGDScript(t *testing.T) {
	w, err := theStage()
	require.NoError(t, err)
	show := game.Show{Name: world.NewName(), Tier: game.TierRookie, EntryFee: 50, SeasonID: w.season.ID}
	show, err = w.NewShow(t.Context(), show, 1)
	require.NoError(t, err)
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	godot := filepath.Join(root, "localstack/accept/conformance/driver/gdscript/godot.mjs")
	out := printed(t, filepath.Join(root, "shared/client/gdscript"), "node", godot, w.API, world.NewName(), show.Name)
	assert.True(t, strings.HasSuffix(strings.TrimSpace(out), "You have 550 gold."), out)
}

// guide is the code around the README's sample of an entry.
const guide = `#nullable enable
using System.Threading.Tasks;
using RanchGame;
using RanchGame.Unity;

abstract class Guide
{
    protected interface IPurse { void Show(long gold); }

    protected abstract void Tell(string text);

    protected async Task PlayAsync(string email, string password, ListedShow show, Animal animal, IPurse purse)
    {
%s
    }
}
`

// TestSamplesInCSharp compiles the samples of the package's README. It runs the scene for Unity and the program for
// .NET. Each of the two plays a whole game.
func TestSamplesInCSharp(t *testing.T) {
	t.Parallel()
	d := csharp(t)
	if d == nil {
		return
	}
	const readme = "shared/client/csharp/README.md"
	s := readSamples(t, readme, "csharp", 3)
	text, err := os.ReadFile(d.path("shared/client/csharp/Samples~/FirstShow/FirstShow.cs"))
	s.must(err)
	scene := d.compile(t, s.write(map[string]string{
		"Login.cs": s.texts[0], "Guide.cs": fmt.Sprintf(guide, s.texts[2]), "FirstShow.cs": strings.ReplaceAll(string(text), "rookie", s.show.Tier),
	}), "localstack/accept/conformance/testdata/csharp/Scene.cs", standIns, clientSources, unitySources)
	const last = "You have 490 gold."
	s.plays(t.TempDir(), `.*\(SessionStarted\).* look for .*`, last+"\n", append(d.run(scene), opened.API, last)...)

	s = readSamples(t, readme, "csharp", 3)
	program := d.compile(t, s.write(map[string]string{"Program.cs": s.texts[1]}), clientSources)
	s.plays(t.TempDir(), ".*SessionStarted.*", ".*: rank 1\n", d.run(program)...)
}
