package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/bench/figures"
)

// TestFigures checks that every generated block has the day and commit of its figures, and its tolerance. The test that
// a tolerance names reads the block with it; TestPages checks that the test exists.
func TestFigures(t *testing.T) {
	t.Parallel()
	pages, err := fs.Glob(os.DirFS("."), "*.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		found, problems := readBlocks(string(text))
		blocks += found
		for _, problem := range problems {
			t.Errorf("%s: %s", page, problem)
		}
	}
	if blocks < 11 {
		t.Errorf("there are %d blocks", blocks)
	}
}

var marker = regexp.MustCompile(`(?m)^<!-- (\S+?)(: .*)? -->\n(.*)$`)

// readBlocks returns how many blocks a page has, and what is wrong with them.
func readBlocks(page string) (blocks int, problems []string) {
	open := ""
	for _, found := range marker.FindAllStringSubmatch(page+"\n", -1) {
		name, command, line := found[1], found[2], found[3]
		switch {
		case name == "end" && open == "":
			problems = append(problems, "an end without a block")
		case name == "end":
			open = ""
		case open != "":
			problems = append(problems, fmt.Sprintf("%s begins before %s ends", name, open))
		case command == "":
			problems = append(problems, name+" does not name the command that writes it")
		case !figures.AsOf.MatchString(line):
			problems = append(problems, fmt.Sprintf("%s has no day, commit and tolerance, but %q", name, line))
		}
		if name != "end" {
			open = name
			blocks++
		}
	}
	if open != "" {
		problems = append(problems, open+" has no end")
	}
	return blocks, problems
}

func TestFigures_check(t *testing.T) {
	t.Parallel()
	const good = "<!-- a: make a -->\nAs of 2026-11-23, commit 1a0c26c. Tolerance: 1 %.\n\n| a |\n<!-- end -->\ntext\n" +
		"<!-- b: make b -->\nAs of 2026-11-23, commit 1a0c26c, with changes. Tolerance: none (`TestB`).\n\n| b |\n<!-- end -->"
	for name, c := range map[string]struct{ old, new, want string }{
		"right":        {"x", "", ""},
		"no command":   {"<!-- a: make a -->", "<!-- a -->", "a does not name the command that writes it"},
		"no day":       {"As of 2026-11-23, commit 1a0c26c. T", "T", `a has no day, commit and tolerance, but "Tolerance: 1 %."`},
		"no commit":    {", commit 1a0c26c.", ".", `a has no day, commit and tolerance, but "As of 2026-11-23. Tolerance: 1 %."`},
		"no tolerance": {" Tolerance: 1 %.", "", `a has no day, commit and tolerance, but "As of 2026-11-23, commit 1a0c26c."`},
		"no end":       {"| a |\n<!-- end -->\n", "", "b begins before a ends"},
		"no last end":  {"| b |\n<!-- end -->", "", "b has no end"},
		"no block":     {"<!-- a: make a -->\n", "", "an end without a block"},
	} {
		_, problems := readBlocks(strings.Replace(good, c.old, c.new, 1))
		if got := strings.Join(problems, "; "); got != c.want {
			t.Errorf("%s: found %q, want %q", name, got, c.want)
		}
	}
}
