package docs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sections are the sections of the specification, and those of our reading of it, that must have rows in rules.md.
var sections = strings.Fields(`
	S1 S2.1 S2.2 S2.3 S2.4 S2.5 S2.6 S2.7 S2.8 S2.9 S3
	S4 S4.1 S4.2 S4.3 S4.4 S4.5 S4.6 S4.7 S4.8 S4.9 S4.10 S5 S7 S8 S9
	R-transport R-register R-login R-tokens R-seconds R-shows R-enter R-judge R-claim R-season R-beyond R-operators
`)

var (
	rowForm    = regexp.MustCompile("^\\| (\\S+)[.-]\\d+[a-z]? \\| [^|]+ \\| (`[^`|]+`(?:, `[^`|]+`)*) \\|$")
	rowHeaders = []string{"| id | rule | tests |", "|---|---|---|"}
)

// parseRules returns the section of each row on a page like rules.md, and a line for each problem. A row must have a
// new id, a rule, and existing tests.
func parseRules(page string) (named, problems []string) {
	ids := map[string]bool{}
	for i, line := range strings.Split(page, "\n") {
		if !strings.HasPrefix(line, "|") || slices.Contains(rowHeaders, line) {
			continue
		}
		report := func(problem any) { problems = append(problems, fmt.Sprintf("rules.md:%d: %v", i+1, problem)) }
		cells := rowForm.FindStringSubmatch(line)
		if cells == nil {
			report("this is no row with an id, a rule, and tests in backquotes")
			continue
		}
		id := strings.Fields(line)[1]
		if ids[id] {
			report("another row has the id " + id)
		}
		ids[id] = true
		for _, name := range strings.Split(strings.Trim(cells[2], "`"), "`, `") {
			if err := findTest(name); err != nil {
				report(err)
			}
		}
		named = append(named, cells[1])
	}
	return named, problems
}

// TestRules checks rules.md against the tests of this repository.
func TestRules(t *testing.T) {
	t.Parallel()
	named, problems := parseRules(readFile(t, "docs/rules.md"))
	assert.Empty(t, problems)
	assert.Equal(t, sections, slices.Compact(named), "the sections with rows")
	for name, row := range map[string]string{
		"no test":         "| S1.1 | One. | |",
		"no backquotes":   "| S1.1 | One. | docs.TestRules |",
		"no rule":         "| S1.1 | `docs.TestRules` |",
		"no number":       "| S | One. | `docs.TestRules` |",
		"the same id":     "| S1.2 | One. | `docs.TestRules` |",
		"unknown test":    "| S1.1 | One. | `docs.TestRules`, `docs.TestNothing` |",
		"unknown subtest": "| S1.1 | One. | `docs.TestRules/no" + " subtest` |",
	} {
		_, problems := parseRules("| S1.2 | One. | `docs.TestRules/no rule` |\n" + row)
		assert.Len(t, problems, 1, "%s: %v", name, problems)
	}
}
