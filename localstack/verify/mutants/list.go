package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// The list of all mutants, and the sentences that excuse those which make no difference.
const (
	listPath    = "localstack/verify/mutants/mutants.txt"
	excusesPath = "localstack/verify/mutants/excuses.txt"
	figuresPath = "localstack/verify/results/figures/mutants.json"
)

// What the list says of a mutant, but for the test that catches it.
const (
	excused  = "excused"
	survives = "SURVIVES"
	unknown  = "NOT RUN"
	caughtBy = "caught by "
	hanging  = ", which hangs"
)

const listHead = `# Every mutant of the guards, and the test that notices it: file, function, what is changed, of which code, verdict.
# Written by "make mutants" (docs/mutants.md). The sentences for what is excused are in excuses.txt.
`

// list is what the list says of each mutant.
type list map[Name]string

// killer is the test that is known to catch the mutant, "" where none is, and whether it hangs with it.
func (l list) killer(n Name) (test string, hangs bool) {
	test, caught := strings.CutPrefix(l[n], caughtBy)
	if !caught {
		return "", false
	}
	return strings.CutSuffix(test, hanging)
}

func readList(root string) (list, error) {
	l := list{}
	err := eachLine(filepath.Join(root, listPath), func(number int, line string) error {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		name, verdict, err := parseLine(line)
		if _, double := l[name]; err == nil && double {
			err = fmt.Errorf("a second line for %v", name)
		}
		l[name] = verdict
		return err
	})
	return l, err
}

// parseLine reads a mutant's name, and what comes after it.
func parseLine(line string) (Name, string, error) {
	fields := strings.SplitN(line, "\t", 5)
	if len(fields) < 4 {
		return Name{}, "", fmt.Errorf("%q has fewer than four fields, between tabs", line)
	}
	verdict := ""
	if len(fields) == 5 {
		verdict = fields[4]
	}
	return Name{File: fields[0], Function: fields[1], Operator: fields[2], Code: fields[3]}, verdict, nil
}

// figures are what docs/truth.md says of the list.
type figures struct {
	batch.Run // the last one of all mutants; the verdicts are of this one and of those since
	counts
}

type counts struct{ Mutants, Caught, Excused, Left int }

func readFigures(root string) (f figures, err error) {
	text, err := os.ReadFile(filepath.Join(root, figuresPath))
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(text, &f)
}

// write writes the list, and its figures: of a run of all mutants, or nil where it was one of some.
func (l list) write(root string, whole *batch.Run) error {
	var b strings.Builder
	b.WriteString(listHead)
	for _, name := range slices.SortedFunc(maps.Keys(l), compareNames) {
		fmt.Fprintf(&b, "%s\t%s\n", strings.Join(name.fields(), "\t"), l[name])
	}
	f, err := readFigures(root)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if whole != nil {
		f.Run = *whole
	}
	f.counts = l.counts()
	return errors.Join(
		err, os.WriteFile(filepath.Join(root, listPath), []byte(b.String()), 0o644), batch.WriteFigures(filepath.Join(root, figuresPath), f),
	)
}

func (l list) counts() (counts counts) {
	for name := range l {
		counts.Mutants++
		killer, _ := l.killer(name)
		switch {
		case killer != "":
			counts.Caught++
		case l[name] == excused:
			counts.Excused++
		default:
			counts.Left++
		}
	}
	return counts
}

// problems says where the list is not that of the mutants, by name, and which of them matter to nobody.
func (l list) problems(mutants []*Mutant, excuses map[Name]string, tests map[string]bool) []string {
	var problems []string
	add := func(n Name, what string) { problems = append(problems, fmt.Sprintf("%v: %s", n, what)) }
	there := map[Name]bool{}
	for _, m := range mutants {
		there[m.Name] = true
		verdict, listed := l[m.Name]
		killer, _ := l.killer(m.Name)
		switch {
		case !listed:
			add(m.Name, "is not in the list")
		case killer != "" && !tests[killer]:
			add(m.Name, verdict+", which is not there")
		case killer != "" && excuses[m.Name] != "":
			add(m.Name, "is caught, and excused all the same")
		case verdict == survives || verdict == unknown:
			add(m.Name, verdict)
		case killer == "" && excuses[m.Name] == "":
			add(m.Name, "is excused by no sentence")
		}
	}
	for n := range l {
		if !there[n] {
			add(n, "is in the list alone")
		}
	}
	for n := range excuses {
		if _, listed := l[n]; !listed && !there[n] {
			add(n, "is excused, and not there")
		}
	}
	slices.Sort(problems)
	return problems
}

// readExcuses returns the sentence that excuses each mutant. A sentence stands alone on its line; below it, each behind
// a tab, come the mutants that it excuses.
func readExcuses(root string) (map[Name]string, error) {
	excuses, sentence := map[Name]string{}, ""
	err := eachLine(filepath.Join(root, excusesPath), func(_ int, line string) error {
		text, mutant := strings.CutPrefix(line, "\t")
		if !mutant {
			if sentence = text; text != "" && !strings.HasPrefix(text, "#") && !strings.HasSuffix(text, ".") {
				return fmt.Errorf("%q is no sentence", text)
			}
			return nil
		}
		name, _, err := parseLine(text)
		switch _, double := excuses[name]; {
		case err != nil:
			return err
		case sentence == "" || strings.HasPrefix(sentence, "#"):
			return fmt.Errorf("%v stands below no sentence", name)
		case double:
			return fmt.Errorf("%v is excused twice", name)
		}
		excuses[name] = sentence
		return nil
	})
	return excuses, err
}

// eachLine calls visit with each line that has something in it, and its number, from 1. A file that is not there has
// none.
func eachLine(path string, visit func(number int, line string) error) error {
	file, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		if lines.Text() == "" {
			continue
		}
		if err := visit(number, lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", filepath.Base(path), number, err)
		}
	}
	return lines.Err()
}
