// Package runbook reads docs/runbook.md: which alarms have a section there, and which command an operator runs first.
// The drill runs these commands, so that only the page has to name them.
package runbook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Page is the runbook, from the root of the repository.
const Page = "docs/runbook.md"

// Section is the section on an alarm.
type Section struct {
	Text    string // all of it, without the heading
	Command string // the first line of its first block of commands
}

// Read returns the alarms' sections of the runbook in the repository at root, by the alarms' logical ids. A section
// belongs to an alarm if its heading has the third rank and is one word that ends in Alarm. Two sections on an alarm,
// or a section without a command, are an error.
func Read(root string) (map[string]Section, error) {
	page, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(Page)))
	if err != nil {
		return nil, err
	}
	sections := map[string]Section{}
	for part := range strings.SplitSeq("\n"+string(page), "\n##") {
		heading, text, _ := strings.Cut(part, "\n")
		name, third := strings.CutPrefix(heading, "# ")
		if !third || !strings.HasSuffix(name, "Alarm") || strings.Contains(name, " ") {
			continue
		}
		if _, twice := sections[name]; twice {
			return nil, fmt.Errorf("%s has two sections on %s", Page, name)
		}
		_, block, found := strings.Cut(text, "\n```sh\n")
		command, _, _ := strings.Cut(block, "\n")
		if !found || command == "" || command == "```" {
			return nil, fmt.Errorf("%s names no command for %s", Page, name)
		}
		sections[name] = Section{text, command}
	}
	return sections, nil
}
