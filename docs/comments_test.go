package docs_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// commentColumns is how wide a comment may be; a tab is four columns.
const commentColumns = 120

// TestComments checks the comments of every file: they fit, and where they name a rule of rules.md, there is one. The
// specification itself is not in the repository: rules.md is.
func TestComments(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("rules.md")
	if err != nil {
		t.Fatal(err)
	}
	problems, err := checkComments(os.DirFS(".."), rules(parsePage(string(page))))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

func TestComments_check(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a/b.go": &fstest.MapFile{Data: []byte(`package b

// Good names a rule (docs/rules.md, S4.7.5 to S4.7.9), a section (docs/rules.md, S8), several (docs/rules.md, S2) and
// one of ours (docs/rules.md, R-beyond-1a).
const Good = "the specification // in a text is a text ` + strings.Repeat("x", 120) + `"

	// A line that has with its four columns for the tab more than there may be, which is one hundred and twenty of them.
const Wide = 1

// Bad names rules that are not there (docs/rules.md, S4.7.99 and R-nothing-1).
const Bad = 1 // as the Specification says
`)}, ".ci/run": &fstest.MapFile{Data: []byte("# " + strings.Repeat("x", 118) + "\n  # " + strings.Repeat("x", 118) + "\n")}}
	problems, err := checkComments(files, []string{"S4.7.5", "S4.7.9", "S8.1", "S2.1.1", "R-beyond-1a"})
	want := []string{
		"a/b.go:7: the comment has 121 columns",
		"a/b.go:10: docs/rules.md has no S4.7.99",
		"a/b.go:10: docs/rules.md has no R-nothing-1",
		"a/b.go:11: the comment speaks of the specification instead of a rule (docs/rules.md, S4.7.5)",
		".ci/run:2: the comment has 122 columns",
	}
	if err != nil || !slices.Equal(problems, want) {
		t.Errorf("got %v\n%s\nwant\n%s", err, strings.Join(problems, "\n"), strings.Join(want, "\n"))
	}
}

// rules are the ids of all rows.
func rules(p *rulesPage) (ids []string) {
	for _, s := range p.sections {
		for _, r := range s.rows {
			ids = append(ids, r.id)
		}
	}
	return ids
}

var (
	ruleID      = regexp.MustCompile(`\bS\d+(?:\.\d+)*[a-z]?\b|\bR-[a-z]+(?:-\d+[a-z]?)?\b`)
	speaksOfIt  = regexp.MustCompile(`\b[Ss]pecification('s)?\b|\bDESIGN\b|\bREADING\b`)
	ownLanguage = "docs" // whose tests are about rules.md, which is about the specification
)

func checkComments(repository fs.FS, ids []string) (problems []string, err error) {
	isRule := func(id string) bool { // of a row, or the beginning of some
		return slices.ContainsFunc(ids, func(row string) bool {
			return row == id || strings.HasPrefix(row, id+".") || strings.HasPrefix(row, id+"-")
		})
	}
	err = eachGoFile(repository, func(file string, text []byte) error {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
		if err != nil {
			return err
		}
		lines := strings.Split(string(text), "\n")
		for _, group := range parsed.Comments {
			for _, c := range group.List {
				line := set.Position(c.Pos()).Line
				report := func(format string, args ...any) {
					problems = append(problems, fmt.Sprintf("%s:%d: ", file, line)+fmt.Sprintf(format, args...))
				}
				if width := columns(lines[line-1]); width > commentColumns {
					report("the comment has %d columns", width)
				}
				if path.Dir(file) == ownLanguage {
					continue
				}
				if speaksOfIt.MatchString(c.Text) {
					report("the comment speaks of the specification instead of a rule (docs/rules.md, S4.7.5)")
				}
				if strings.Contains(group.Text(), "rules.md") {
					for _, id := range ruleID.FindAllString(c.Text, -1) {
						if !isRule(id) {
							report("docs/rules.md has no %s", id)
						}
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachFile(repository, hasNumberSigns, func(file string, text []byte) error {
		for i, line := range strings.Split(string(text), "\n") {
			if width := columns(line); width > commentColumns && strings.HasPrefix(strings.TrimSpace(line), "#") {
				problems = append(problems, fmt.Sprintf("%s:%d: the comment has %d columns", file, i+1, width))
			}
		}
		return nil
	})
	return problems, err
}

// hasNumberSigns reports whether a file's comments begin with #.
func hasNumberSigns(file string) bool {
	return path.Base(file) == "Makefile" || path.Dir(file) == ".ci" || slices.Contains([]string{".yaml", ".toml"}, path.Ext(file))
}

func columns(line string) (n int) {
	for _, r := range line {
		if n++; r == '\t' {
			n += 3
		}
	}
	return n
}
