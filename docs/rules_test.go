// Package docs_test keeps the pages of this folder true.
package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// sections must all be there, in this order.
var sections = []string{
	"S1", "S2.1", "S2.2", "S2.3", "S2.4", "S2.5", "S2.6", "S2.7", "S2.8", "S2.9", "S3", "S4", "S4.1", "S4.2", "S4.3", "S4.4", "S4.5", "S4.6", "S4.7", "S4.8",
	"S4.9", "S4.10", "S5", "S7", "S8", "S9",
	"R-transport", "R-register", "R-login", "R-tokens", "R-shows", "R-enter", "R-judge", "R-claim", "R-season", "R-beyond", "R-seconds", "R-operators",
}

// TestRules checks rules.md against the tests of this repository.
func TestRules(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("rules.md")
	if err != nil {
		t.Fatal(err)
	}
	p := parsePage(string(page))
	p.check(sections, os.DirFS(".."))
	for _, problem := range p.problems {
		t.Error(problem)
	}
	named, rows := map[string]bool{}, 0
	for _, s := range p.sections {
		rows += len(s.rows)
		for _, r := range s.rows {
			for _, name := range r.tests {
				named[name] = true
			}
		}
	}
	t.Logf("%d rules in %d sections, held by %d tests", rows, len(p.sections), len(named))
}

// rulesPage is what rules.md says, and what is wrong with it.
type rulesPage struct {
	sections []*section
	problems []string
}

type section struct {
	name string
	rows []row
}

type row struct {
	line  int
	id    string
	tests []string
}

func (p *rulesPage) report(line int, format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

const header, divider = "| id | rule | tests |", "|---|---|---|"

// parsePage reads the sections ("### S4.7 A title") with their tables.
func parsePage(text string) *rulesPage {
	p := &rulesPage{}
	var current *section
	for i, line := range strings.Split(text, "\n") {
		name, isSection := strings.CutPrefix(line, "### ")
		switch {
		case isSection:
			name, _, _ = strings.Cut(name, " ")
			current = &section{name: name}
			p.sections = append(p.sections, current)
		case line == header, line == divider, !strings.HasPrefix(line, "|"):
		case current == nil:
			p.report(i+1, "a row outside of any section")
		default:
			p.addRow(current, i+1, line)
		}
	}
	return p
}

func (p *rulesPage) addRow(s *section, line int, text string) {
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "|"), "|"), "|")
	if len(cells) != 3 {
		p.report(line, "a row of %d cells", len(cells))
		return
	}
	id, rule, tests := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
	if rule == "" {
		p.report(line, "%s has no rule", id)
	}
	r := row{line: line, id: id}
	for name := range strings.SplitSeq(tests, ",") {
		name = strings.TrimSpace(name)
		if len(name) < 3 || name[0] != '`' || name[len(name)-1] != '`' {
			p.report(line, "%s: %q is no test in backquotes", id, name)
			continue
		}
		r.tests = append(r.tests, strings.Trim(name, "`"))
	}
	s.rows = append(s.rows, r)
}

// check compares the page with the sections that must be there and with the tests in the repository.
func (p *rulesPage) check(required []string, repository fs.FS) {
	var names []string
	for _, s := range p.sections {
		names = append(names, s.name)
		if len(s.rows) == 0 {
			p.problems = append(p.problems, "section "+s.name+" has no rows")
		}
		p.checkIDs(s)
	}
	if !slices.Equal(names, required) {
		p.problems = append(p.problems, fmt.Sprintf("the sections are %v, not %v", names, required))
	}
	folders := map[string]*tests{}
	for _, s := range p.sections {
		for _, r := range s.rows {
			for i, name := range r.tests {
				if slices.Contains(r.tests[:i], name) {
					p.report(r.line, "%s names %s twice", r.id, name)
				}
				if err := find(repository, folders, name); err != nil {
					p.report(r.line, "%s: %v", r.id, err)
				}
			}
		}
	}
}

var idForm = regexp.MustCompile(`^(\d+)([a-z]?)$`)

// checkIDs checks that a section's ids are 1, 2, 3 … or, where a rule is split, 1a, 1b, 2 …: each once, without gaps.
func (p *rulesPage) checkIDs(s *section) {
	separator := "."
	if strings.HasPrefix(s.name, "R") {
		separator = "-"
	}
	number, letter := 0, ""
	for _, r := range s.rows {
		tail, ours := strings.CutPrefix(r.id, s.name+separator)
		parts := idForm.FindStringSubmatch(tail)
		if !ours || parts == nil {
			p.report(r.line, "%q is no id of section %s", r.id, s.name)
			continue
		}
		next := []string{fmt.Sprint(number + 1), fmt.Sprint(number+1, "a")}
		if letter != "" {
			next = append(next, fmt.Sprint(number, string(rune(letter[0]+1))))
		}
		if letter == "a" { // one letter alone splits nothing
			next = next[2:]
		}
		if !slices.Contains(next, tail) {
			p.report(r.line, "%s is not the next id: that is %s with %s", r.id, s.name, strings.Join(next, " or "))
		}
		number, _ = strconv.Atoi(parts[1]) // the form is known
		letter = parts[2]
	}
	if letter == "a" {
		p.problems = append(p.problems, fmt.Sprintf("section %s ends with %d%s, which splits nothing", s.name, number, letter))
	}
}

// tests are the test functions of a folder, each with the texts in its file.
type tests struct {
	texts map[string]map[string]bool
}

var testForm = regexp.MustCompile(`^([a-z0-9_]+(?:/[a-z0-9_]+)*)\.((?:Test|Fuzz)\w+)(?:/(.+))?$`)

// find returns an error unless there is the test of a name such as shared/game.TestRank or
// functions/login.TestLogin/subtest.
func find(repository fs.FS, folders map[string]*tests, name string) error {
	parts := testForm.FindStringSubmatch(name)
	if parts == nil {
		return fmt.Errorf("%s is no name of a test", name)
	}
	folder, function, subtest := parts[1], parts[2], parts[3]
	if folders[folder] == nil {
		found, err := readTests(repository, folder)
		if err != nil {
			return err
		}
		folders[folder] = found
	}
	texts, ok := folders[folder].texts[function]
	switch {
	case !ok:
		return fmt.Errorf("%s has no %s", folder, function)
	case subtest != "" && !texts[subtest]:
		return fmt.Errorf("%s: the file of %s has no text %q", folder, function, subtest)
	}
	return nil
}

// readTests parses the _test.go files of a folder.
func readTests(repository fs.FS, folder string) (*tests, error) {
	files, err := fs.Glob(repository, path.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	found := &tests{texts: map[string]map[string]bool{}}
	for _, name := range files {
		source, err := fs.ReadFile(repository, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		texts := map[string]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, err := strconv.Unquote(literal.Value)
				texts[text] = err == nil
			}
			return true
		})
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && isTest(f) {
				found.texts[f.Name.Name] = texts
			}
		}
	}
	return found, nil
}

// isTest reports whether go test would run the function, a test or a fuzz target: not where it is a method, has other
// parameters, or sets up the package's tests.
func isTest(f *ast.FuncDecl) bool {
	if f.Recv != nil || len(f.Type.Params.List) != 1 {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	selector, ok := pointer.X.(*ast.SelectorExpr)
	return ok && (selector.Sel.Name == "T" && strings.HasPrefix(f.Name.Name, "Test") || selector.Sel.Name == "F" && strings.HasPrefix(f.Name.Name, "Fuzz"))
}

// TestRulesCheck gives the check pages that are wrong in one way each: it must find that, and nothing in the page that
// is right.
func TestRulesCheck(t *testing.T) {
	t.Parallel()
	repository := fstest.MapFS{
		"game/rank_test.go": {Data: []byte(`package game
import "testing"
func TestMain(m *testing.M) {}
func TestRank(t *testing.T) { t.Run("by score", func(t *testing.T) {}) }
func FuzzRank(f *testing.F) {}
func (x thing) TestMethod(t *testing.T) {}
func TestHelper(t *testing.T, n int) {}
func helper(t *testing.T) {}`)},
		"game/other_test.go": {Data: []byte("package game_test\nimport \"testing\"\nfunc TestOther(t *testing.T) { _ = \"elsewhere\" }")},
		"game/rank.go":       {Data: []byte("package game\nimport \"testing\"\nfunc TestOutside(t *testing.T) {}")},
		"broken/x_test.go":   {Data: []byte("package broken\nfunc {")},
	}
	const good = `# A page

Text with | a bar.

### S1 First

| id | rule | tests |
|---|---|---|
| S1.1 | One. | ` + "`game.TestRank`, `game.TestOther`" + ` |
| S1.2a | Two, this. | ` + "`game.TestRank/by score`" + ` |
| S1.2b | Two, that. | ` + "`game.TestOther`" + ` |
| S1.3 | Three. | ` + "`game.TestOther`" + ` |

### R-enter Second

| id | rule | tests |
|---|---|---|
| R-enter-1 | One. | ` + "`game.TestRank`" + ` |
`
	for name, c := range map[string]struct{ old, new, want string }{
		"right":                   {"", "", ""},
		"no test":                 {"`game.TestRank` |", " |", "line 18: R-enter-1: \"\" is no test in backquotes"},
		"no backquotes":           {"`game.TestRank/by score`", "game.TestRank", "line 10: S1.2a: \"game.TestRank\" is no test in backquotes"},
		"half a list":             {"`, `game.TestOther`", "`,", "line 9: S1.1: \"\" is no test in backquotes"},
		"unknown test":            {"`game.TestRank`,", "`game.TestRanks`,", "line 9: S1.1: game has no TestRanks"},
		"unknown folder":          {"`game.TestRank`,", "`games.TestRank`,", "line 9: S1.1: games has no TestRank"},
		"folder that escapes":     {"`game.TestRank`,", "`../game.TestRank`,", "line 9: S1.1: ../game.TestRank is no name of a test"},
		"no name of a test":       {"`game.TestRank`,", "`game.helper`,", "line 9: S1.1: game.helper is no name of a test"},
		"no folder":               {"`game.TestRank`,", "`TestRank`,", "line 9: S1.1: TestRank is no name of a test"},
		"method":                  {"`game.TestRank`,", "`game.TestMethod`,", "line 9: S1.1: game has no TestMethod"},
		"other parameters":        {"`game.TestRank`,", "`game.TestHelper`,", "line 9: S1.1: game has no TestHelper"},
		"fuzz target":             {"`game.TestRank`,", "`game.FuzzRank`,", ""},
		"unknown fuzz target":     {"`game.TestRank`,", "`game.FuzzRanks`,", "line 9: S1.1: game has no FuzzRanks"},
		"set-up":                  {"`game.TestRank`,", "`game.TestMain`,", "line 9: S1.1: game has no TestMain"},
		"in no test file":         {"`game.TestRank`,", "`game.TestOutside`,", "line 9: S1.1: game has no TestOutside"},
		"unknown subtest":         {"by score", "by name", "line 10: S1.2a: game: the file of TestRank has no text \"by name\""},
		"subtest of another file": {"by score", "elsewhere", "line 10: S1.2a: game: the file of TestRank has no text \"elsewhere\""},
		"empty subtest":           {"/by score", "/", "line 10: S1.2a: game.TestRank/ is no name of a test"},
		"file with a mistake":     {"`game.TestRank`,", "`broken.TestRank`,", "line 9: S1.1: broken/x_test.go:2:6: expected 'IDENT', found '{'"},
		"test twice":              {"`game.TestOther` |\n| S1.2a", "`game.TestRank` |\n| S1.2a", "line 9: S1.1 names game.TestRank twice"},
		"no rule":                 {"One. | `game.TestRank`,", "| `game.TestRank`,", "line 9: S1.1 has no rule"},
		"cell too many":           {"Three.", "Three | four.", "line 12: a row of 4 cells"},
		"id twice":                {"S1.3", "S1.2b", "line 12: S1.2b is not the next id: that is S1 with 3 or 3a or 2c"},
		"gap":                     {"S1.3", "S1.4", "line 12: S1.4 is not the next id: that is S1 with 3 or 3a or 2c"},
		"gap at the start":        {"R-enter-1", "R-enter-2", "line 18: R-enter-2 is not the next id: that is R-enter with 1 or 1a"},
		"letter alone":            {"S1.2b", "S1.3", "line 11: S1.3 is not the next id: that is S1 with 2b"},
		"letter alone at the end": {"S1.3", "S1.3a", "section S1 ends with 3a, which splits nothing"},
		"id of another section":   {"R-enter-1", "S1.4", "line 18: \"S1.4\" is no id of section R-enter"},
		"id that is none":         {"S1.3", "S1.x", "line 12: \"S1.x\" is no id of section S1"},
		"section missing":         {"### R-enter Second\n\n", "### R-claim Second\n\n", "the sections are [S1 R-claim], not [S1 R-enter]"},
		"section without rows":    {"| R-enter-1 | One. | `game.TestRank` |\n", "", "section R-enter has no rows"},
		"section too many":        {"# A page", "### S0 Zeroth", "the sections are [S0 S1 R-enter], not [S1 R-enter]"},
		"row before all sections": {"Text with | a bar.", "| S1.1 | One. | `game.TestRank` |", "line 3: a row outside of any section"},
	} {
		p := parsePage(strings.Replace(good, c.old, c.new, 1))
		p.check([]string{"S1", "R-enter"}, repository)
		if c.want == "" && len(p.problems) > 0 || c.want != "" && !slices.Contains(p.problems, c.want) {
			t.Errorf("%s: found %q, want %q", name, p.problems, c.want)
		}
		if c.old != "" && !strings.Contains(good, c.old) {
			t.Errorf("%s changes nothing", name)
		}
	}
}
