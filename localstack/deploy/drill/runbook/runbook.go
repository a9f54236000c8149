// Package runbook reads docs/runbook.md: which alarms have a section there, and which command an operator runs first.
// The drill runs these commands, so that only the page has to name them.
package runbook

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Page is the runbook, from the root of the repository.
const Page = "docs/runbook.md"

// Section is an alarm's.
type Section struct {
	Alarm   string // its logical id
	Text    string // all of it, without the heading
	Command string // the first line of its first block of commands
}

// Read returns the alarms' sections of the runbook in the repository at root, in the page's order. A section is an
// alarm's if its heading has the third rank and is one word that ends in Alarm.
func Read(root string) ([]Section, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Page)))
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}

func parse(page string) ([]Section, error) {
	var sections []Section
	for part := range strings.SplitSeq("\n"+page, "\n##") {
		heading, text, _ := strings.Cut(part, "\n")
		name, third := strings.CutPrefix(heading, "# ")
		if !third || !strings.HasSuffix(name, "Alarm") || strings.Contains(name, " ") {
			continue
		}
		if slices.ContainsFunc(sections, func(s Section) bool { return s.Alarm == name }) {
			return nil, fmt.Errorf("%s has two sections on %s", Page, name)
		}
		_, block, found := strings.Cut(text, "\n```sh\n")
		command, _, _ := strings.Cut(block, "\n")
		if !found || command == "" || command == "```" {
			return nil, fmt.Errorf("%s names no command for %s", Page, name)
		}
		sections = append(sections, Section{name, text, command})
	}
	return sections, nil
}
