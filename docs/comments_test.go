package docs_test

import (
	"go/parser"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// commentColumns is the largest width of a line with a comment. A tab counts as four columns.
const commentColumns = 120

var (
	ruleID     = regexp.MustCompile(`\bS\d+(?:\.\d+)*[a-z]?\b|\bR-[a-z]+(?:-\d+[a-z]?)?\b`)
	speaksOfIt = regexp.MustCompile(`\b[Ss]pecification('s)?\b|\bDESIGN\b|\bREADING\b`)
)

// TestComments checks the width of Go comments and of # comments. Go comments outside docs may not speak of the
// specification, which is not in the repository. If they name rules.md, the rules that they name must exist.
func TestComments(t *testing.T) {
	t.Parallel()
	rules, _ := parseRules(readFile(t, "docs/rules.md"))
	isRule := func(id string) bool { // the id of a row, or the beginning of several ids
		return slices.ContainsFunc(rules, func(r rule) bool {
			return r.id == id || strings.HasPrefix(r.id, id+".") || strings.HasPrefix(r.id, id+"-")
		})
	}
	named := 0
	for _, f := range goFiles() {
		set, parsed := f.parse(t, parser.ParseComments)
		lines := strings.Split(f.text, "\n")
		for _, group := range parsed.Comments {
			for _, c := range group.List {
				line := set.Position(c.Pos()).Line
				width := columns(lines[line-1])
				assert.True(t, width <= commentColumns, "%s:%d: the comment has %d columns", f.name, line, width)
				if path.Dir(f.name) == "docs" { // its comments may speak of the specification
					continue
				}
				assert.False(t, speaksOfIt.MatchString(c.Text),
					"%s:%d: the comment speaks of the specification instead of a rule (docs/rules.md, S4.7.5)", f.name, line)
				if strings.Contains(group.Text(), "rules.md") {
					for _, id := range ruleID.FindAllString(c.Text, -1) {
						if named++; !isRule(id) {
							t.Errorf("%s:%d: docs/rules.md has no %s", f.name, line, id)
						}
					}
				}
			}
		}
	}
	assert.True(t, named >= 20, "the comments name %d rules", named)
	for _, f := range files() {
		for i, line := range strings.Split(f.text, "\n") {
			width := columns(line)
			assert.True(t, !hasNumberSigns(f.name) || width <= commentColumns || !strings.HasPrefix(strings.TrimSpace(line), "#"),
				"%s:%d: the comment has %d columns", f.name, i+1, width)
		}
	}
}

// hasNumberSigns reports whether a file's comments begin with #.
func hasNumberSigns(file string) bool {
	return path.Base(file) == "Makefile" || path.Dir(file) == ".ci" || slices.Contains([]string{".yaml", ".toml"}, path.Ext(file))
}

func columns(line string) int { return len([]rune(line)) + 3*strings.Count(line, "\t") }
