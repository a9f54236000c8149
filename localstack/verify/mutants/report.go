package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// report prints the surviving mutants, and how many mutants of each kind were caught. It returns the number of
// problems: mutants that survive without an excuse, are caught in spite of one, or are invalid. It stores the verdicts
// in book.
func report(out io.Writer, verdicts []verdict, excuses excuses, book map[string]string) (wrong int) {
	for _, kind := range []string{"requests", "code"} {
		var run, caught, excused int
		for _, v := range verdicts {
			if v.mutant == nil || (v.mutant.source == nil) != (kind == "requests") {
				continue
			}
			run++
			name := v.mutant.name
			sentence, shared := excuses.of(v.mutant)
			switch {
			case v.by != nil:
				caught, book[name] = caught+1, caughtBy+v.by.String()
				if v.invalid {
					wrong++
					fmt.Fprintf(out, "INVALID, since the table refuses the condition: %s\n\n", name)
				} else if sentence != "" && !shared {
					wrong++
					fmt.Fprintf(out, "EXCUSED, but caught by %v: %s\nTake it out of %s.\n\n", v.by, name, excusesPath)
				}
			case sentence != "":
				excused, book[name] = excused+1, "excused"
			default:
				book[name] = "SURVIVES"
				wrong++
				fmt.Fprintf(out, "SURVIVES %s\n%s  %s\n\n", name, v.mutant.diff(), come(v.reached))
			}
		}
		if run > 0 {
			fmt.Fprintf(out, "Mutants of %s: %d run, %d caught, %d excused, %d survive\n", kind, run, caught, excused, run-caught-excused)
		}
	}
	return wrong
}

// caughtBy begins the verdict on a caught mutant in the book. The test's name follows.
const caughtBy = "caught by "

// readBook returns the last verdict on each mutant, by the mutant's name, or none if it cannot read the file.
func readBook(file string) map[string]string {
	book := map[string]string{}
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
			book[fields[1]] = fields[2]
		}
	}
	return book
}

// writeBook writes a line for each mutant that has a verdict.
func writeBook(file string, all []*mutant, book map[string]string) error {
	var b strings.Builder
	for _, m := range all {
		if verdict := book[m.name]; verdict != "" {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", m.line(), m.name, verdict)
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

// diff returns a change of the code as removed and added lines, or "" for a mutant of a request.
func (m *mutant) diff() string {
	if m.source == nil {
		return ""
	}
	text := "  " + m.line() + "\n"
	for line := range strings.Lines(m.source.code(m.node)) {
		text += "  - " + strings.TrimSpace(line) + "\n"
	}
	return text + "  + " + m.after + "\n"
}

// come returns a sentence about the tests that execute a mutant. It names at most 12.
func come(tests []*test) string {
	if len(tests) == 0 {
		return "No test comes by it."
	}
	return fmt.Sprintf("%d tests come by it: %v", len(tests), tests[:min(len(tests), 12)])
}

const excusesPath = "localstack/verify/mutants/excuses.txt"

// excuses maps the name of a mutant to the sentence that explains why no test needs to catch the mutant.
type excuses map[string]string

// anyOperation replaces the method in the name of a request's mutant. The excuse is then for a guard that several
// operations share. It holds only if the tests of at least one operation notice the guard's absence.
const anyOperation = "any"

// of returns the sentence that excuses a mutant, or "". shared reports whether operations share the excused guard.
func (e excuses) of(m *mutant) (sentence string, shared bool) {
	if sentence := e[m.name]; sentence != "" || m.source != nil {
		return sentence, false
	}
	sentence = e[anyOperation+m.guard()]
	return sentence, sentence != ""
}

// readExcuses reads the file of excuses. A sentence is a line of its own. The names of the mutants that the sentence
// excuses follow, each on a line that begins with a tab.
func readExcuses(root string) (excuses, error) {
	file, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(excusesPath)))
	if err != nil {
		return nil, err
	}
	read, sentence := excuses{}, ""
	for line := range strings.SplitSeq(string(file), "\n") {
		name, isName := strings.CutPrefix(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case !isName && line != "" && !strings.HasSuffix(line, "."):
			return nil, fmt.Errorf("%s: %q is no sentence", excusesPath, line)
		case !isName:
			sentence = line
		case sentence == "" || read[name] != "":
			return nil, fmt.Errorf("%s: %q stands below no sentence, or twice", excusesPath, name)
		default:
			read[name] = sentence
		}
	}
	return read, nil
}

// reportFalse prints the excuses that are out of date, and returns their number. An excuse is out of date if its mutant
// does not exist, or if no test notices the absence of the shared guard. book must have the verdicts of all mutants.
func reportFalse(out io.Writer, excuses excuses, all []*mutant, book map[string]string) (n int) {
	for name := range excuses {
		if !slices.ContainsFunc(all, func(m *mutant) bool {
			shared := m.source == nil && name == anyOperation+m.guard()
			return m.name == name || shared && book[m.name] != "excused"
		}) {
			n++
			fmt.Fprintf(out, "EXCUSED, but gone: %s\n", name)
		}
	}
	return n
}
