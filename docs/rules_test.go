package docs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sections are the sections with rows that rules.md must have, in this order.
var sections = []string{
	"S1", "S2.1", "S2.2", "S2.3", "S2.4", "S2.5", "S2.6", "S2.7", "S2.8", "S2.9", "S3", "S4", "S4.1", "S4.2", "S4.3", "S4.4", "S4.5", "S4.6", "S4.7", "S4.8",
	"S4.9", "S4.10", "S5", "S7", "S8", "S9",
	"R-transport", "R-register", "R-login", "R-tokens", "R-shows", "R-enter", "R-judge", "R-claim", "R-season", "R-beyond", "R-seconds", "R-operators",
}

// rule is a row of rules.md.
type rule struct {
	section, id string
	tests       []string
}

var (
	rowForm    = regexp.MustCompile("^\\| (\\S+) \\| [^|]+ \\| (`[^`|]+`(?:, `[^`|]+`)*) \\|$")
	rowNumber  = regexp.MustCompile(`^[.-]\d+[a-z]?$`)
	rowHeaders = []string{"| id | rule | tests |", "|---|---|---|"}
)

// parseRules returns the rows of a page like rules.md, and a line for each problem. A row must have a new id of its
// section, a rule, and existing tests.
func parseRules(page string) (rules []rule, problems []string) {
	section := ""
	ids := map[string]bool{}
	for i, line := range strings.Split(page, "\n") {
		report := func(problem any) { problems = append(problems, fmt.Sprintf("rules.md:%d: %v", i+1, problem)) }
		if title, is := strings.CutPrefix(line, "### "); is {
			section, _, _ = strings.Cut(title, " ")
		}
		if !strings.HasPrefix(line, "|") || slices.Contains(rowHeaders, line) {
			continue
		}
		cells := rowForm.FindStringSubmatch(line)
		if cells == nil {
			report("this is no row with an id, a rule, and tests in backquotes")
			continue
		}
		r := rule{section, cells[1], strings.Split(strings.Trim(cells[2], "`"), "`, `")}
		if number, ours := strings.CutPrefix(r.id, section); !ours || !rowNumber.MatchString(number) || ids[r.id] {
			report(fmt.Sprintf("%s is no new id of the section %q", r.id, section))
		}
		ids[r.id] = true
		for _, name := range r.tests {
			if err := findTest(name); err != nil {
				report(err)
			}
		}
		rules = append(rules, r)
	}
	return rules, problems
}

// TestRules checks rules.md against the tests of this repository.
func TestRules(t *testing.T) {
	t.Parallel()
	rules, problems := parseRules(readFile(t, "docs/rules.md"))
	for _, problem := range problems {
		t.Error(problem)
	}
	var named []string
	for _, r := range rules {
		named = append(named, r.section)
	}
	named = slices.Compact(named)
	assert.True(t, slices.Equal(named, sections), "the sections with rows are %v, want %v", named, sections)
	for name, row := range map[string]string{
		"no test":         "| S1.1 | One. | |",
		"no backquotes":   "| S1.1 | One. | docs.TestRules |",
		"no rule":         "| S1.1 | `docs.TestRules` |",
		"unknown test":    "| S1.1 | One. | `docs.TestRules`, `docs.TestNothing` |",
		"unknown subtest": "| S1.1 | One. | `docs.TestRules/no" + " subtest` |",
		"id of another":   "| S2.1 | One. | `docs.TestRules` |",
	} {
		const right = "### S1 Title\n| S1.2 | One. | `docs.TestRules/no rule` |\n"
		_, problems := parseRules(right + row)
		assert.Len(t, problems, 1, "%s: %v", name, problems)
	}
}
