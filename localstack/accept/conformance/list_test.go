package conformance

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/template"
)

// scenarios returns all scenarios, by theme.
func scenarios() []scenario {
	var all []scenario
	for _, theme := range themes {
		all = append(all, theme.scenarios...)
	}
	return all
}

// theme is a group of scenarios about one subject.
type theme struct {
	title     string
	scenarios []scenario
}

var themes = []theme{
	{"Logging in and out", accounts},
	{"Refreshing", refreshing},
	{"Doubtful refusals of a refresh: `INVALID_TOKEN` with `Invalid refresh token`", doubt},
	{"Logging in and out during a refresh", overtaking},
	{"Storage, tabs and processes", storage},
	{"Clocks", clocks},
	{"Lost answers: entering", entering},
	{"Lost answers: judging, claiming, registering", otherChanges},
	{"Refusals", refusals},
	{"Pages of lists", pages},
	{"Repeating and waiting", repeating},
	{"Giving up: cancellation and time-outs", givingUp},
	{"Events", events},
	{"Foreign answers", hostile},
	{"Answers of another shape", shapes},
}

// listPage is docs/scenarios.md without the list.
//
//go:embed testdata/scenarios.md
var listPage string

const listFile = "../../../docs/scenarios.md"

// TestList checks that docs/scenarios.md lists all scenarios. With the flag -update it writes the list.
func TestList(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	if err := template.Must(template.New("").Parse(listPage)).Execute(&page, map[string]any{"Count": len(scenarios()), "List": list()}); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(listFile, page.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(listFile)
	if err != nil || !bytes.Equal(written, page.Bytes()) {
		t.Errorf("docs/scenarios.md is not what the scenarios are (%v): go test ./localstack/accept/conformance -run TestList -update", err)
	}
}

func list() string {
	var b strings.Builder
	for _, theme := range themes {
		fmt.Fprintf(&b, "\n### %s\n\n| Scenario | What holds |\n|---|---|\n", theme.title)
		for _, s := range theme.scenarios {
			fmt.Fprintf(&b, "| `%s` | %s |\n", s.id, s.sentence)
		}
	}
	return b.String()
}
