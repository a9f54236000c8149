package explore

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.yaml.in/yaml/v3"
)

// plant is a planted bug: a change of one place in a file in shared, and a case whose histories show the bug. The
// file itself does not change: a build of the explorer uses a changed copy (go build -overlay).
type plant struct {
	What     string // what is wrong, as a sentence
	File     string
	Old, New string
	History  string // a case, or one history with its choices
}

//go:embed testdata/plants.yaml
var plantsFile []byte

// plants has all planted bugs by the names that `make explore PLANT=` accepts.
var plants = func() (all map[string]plant) {
	if err := yaml.Unmarshal(plantsFile, &all); err != nil {
		panic(err)
	}
	return all
}()

// corePath is the folder of the core's packages.
const corePath = "../../../shared"

// planted returns the path of the file that has the bug's place, and its text with the bug.
func (p plant) planted() (path string, text []byte, err error) {
	path, err = filepath.Abs(filepath.Join(corePath, p.File))
	if err != nil {
		return "", nil, err
	}
	sound, err := os.ReadFile(path)
	if n := bytes.Count(sound, []byte(p.Old)); err == nil && n != 1 {
		err = fmt.Errorf("%s has %q %d times, not once", path, p.Old, n)
	}
	return path, bytes.Replace(sound, []byte(p.Old), []byte(p.New), 1), err
}

// search compiles the explorer with the bug, and runs it until it finds the bug. It returns what the explorer prints.
func (p plant) search(ctx context.Context) (found string, err error) {
	path, text, err := p.planted()
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "ranch-plant-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	overlay, changed, program := filepath.Join(folder, "overlay.json"), filepath.Join(folder, "changed"), filepath.Join(folder, "explore")
	content, err := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
	if err := errors.Join(err, os.WriteFile(overlay, content, 0o600), os.WriteFile(changed, text, 0o600)); err != nil {
		return "", err
	}
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", program, ".")
	if out, err := compile.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	run := shareProcess(ctx, program, "0/1")
	run.Env = append(run.Env, "HISTORY="+p.History)
	out, err := run.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("histories with violations")) {
		return "", fmt.Errorf("not found in %s: %w\n%s", p.History, err, out)
	}
	return string(out), nil
}

// searchPlants does the work of `make explore PLANT=`: it looks for the named bug, or for all bugs.
func searchPlants(ctx context.Context, named string) error {
	names := slices.Sorted(maps.Keys(plants))
	if named != "all" {
		if _, there := plants[named]; !there {
			return fmt.Errorf("PLANT=%s: there is no such bug; there are all, %s", named, strings.Join(names, ", "))
		}
		names = []string{named}
	}
	var all error
	for _, name := range names {
		found, err := plants[name].search(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("PLANT=%s: %w", name, err))
			continue
		}
		if fmt.Printf("%s (%s): found\n", name, plants[name].What); named != "all" {
			fmt.Println(found)
		}
	}
	return all
}

// TestPlantsApply checks that each bug's place is in its file once, the changed file parses, and the bug's case exists.
func TestPlantsApply(t *testing.T) {
	t.Parallel()
	for name, p := range plants {
		path, text, err := p.planted()
		if err == nil {
			_, err = parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		}
		c, _, historyErr := ParseHistory(p.History)
		err = errors.Join(err, historyErr, c.known())
		assert.NoError(t, err, "%s", name)
	}
}

// TestPlantsAreFound looks for two bugs. The first shows only if a sleep ends early, the second only if a batch of
// reads is split. .ci/nightly looks for all bugs.
func TestPlantsAreFound(t *testing.T) {
	t.Parallel()
	for name, shows := range map[string]string{"pause-then-plain-read": "time passes", "unprocessed-dropped": "the fault split"} {
		switch found, err := plants[name].search(t.Context()); {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !strings.Contains(found, shows):
			t.Errorf("%s does not show that %s:\n%s", name, shows, found)
		}
	}
}
