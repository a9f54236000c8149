package explore

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// plant is a planted bug: a change of one place in a file in shared, and a case whose histories show the bug. The
// file itself does not change: a build of the explorer uses a changed copy (go build -overlay).
type plant struct {
	What     string // what is wrong, as a sentence
	File     string
	Old, New string
	History  string // a case, or one history with its choices
	Shows    string // a text of the story of a wrong history
}

//go:embed testdata/plants.yaml
var plantsFile []byte

// TestPlants checks that each bug's place is in its file once, the changed file parses, and the bug's case exists. It
// looks for the bugs that PLANT names, or for all if PLANT is "all". By default it looks for two: the first shows only
// if a sleep ends early, the second only if a batch of reads is split.
func TestPlants(t *testing.T) {
	t.Parallel()
	var plants map[string]plant
	require.NoError(t, yaml.Unmarshal(plantsFile, &plants))
	named := cmp.Or(os.Getenv("PLANT"), "pause-then-plain-read,unprocessed-dropped")
	for name := range strings.SplitSeq(named, ",") {
		assert.True(t, name == "all" || plants[name].File != "", "PLANT=%s: testdata/plants.yaml has no such bug", name)
	}
	for name, p := range plants {
		t.Run(name, func(t *testing.T) {
			path, err := filepath.Abs(filepath.Join("../../../shared", p.File))
			require.NoError(t, err)
			sound, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, 1, bytes.Count(sound, []byte(p.Old)), "%s must have this text once: %s", path, p.Old)
			text := strings.Replace(string(sound), p.Old, p.New, 1)
			_, err = parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
			require.NoError(t, err)
			_, err = choose(p.History)
			require.NoError(t, err)
			if named == "all" || strings.Contains(","+named+",", ","+name+",") {
				p.search(t, path, text)
			}
		})
	}
}

// search compiles the explorer with the file's text in place of its own, and checks that the explorer finds the bug.
func (p plant) search(t *testing.T, path, text string) {
	overlay, changed := filepath.Join(t.TempDir(), "overlay.json"), filepath.Join(t.TempDir(), "changed")
	replacements, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	require.NoError(t, err)
	require.NoError(t, errors.Join(os.WriteFile(overlay, replacements, 0o600), os.WriteFile(changed, []byte(text), 0o600)))
	explore := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-timeout=0", "-overlay="+overlay,
		"-run=^TestExplore$", ".")
	explore.Env = append(os.Environ(), "SHARE=0/1", "CASES="+p.History)
	out, err := explore.CombinedOutput()
	assert.True(t, err != nil && bytes.Contains(out, []byte("make explore CASES=")), "%s: not found: %s", p.What, out)
	assert.Contains(t, string(out), p.Shows)
	fmt.Printf("%s: found\n", p.What)
	t.Logf("%s", out)
}
