package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const excusesPath = "localstack/verify/mutants/excuses.txt"

// excuses maps the name of a mutant to the sentence that explains why no test needs to catch the mutant.
type excuses map[string]string

// anyOperation replaces the method in the name of a mutant. The excuse is then for a guard that several operations
// share. It holds only if the tests of at least one operation notice the guard's absence.
const anyOperation = "any"

// of returns the sentence that excuses a mutant, or "". shared reports whether operations share the excused guard.
func (e excuses) of(m mutant) (sentence string, shared bool) {
	if sentence := e[m.name]; sentence != "" {
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

// report prints the excuses that are out of date, and returns their number. An excuse is out of date if its mutant does
// not exist, or if no test notices the absence of the shared guard. The verdicts must be of all mutants.
func (e excuses) report(out io.Writer, verdicts []verdict) (n int) {
	for name := range e {
		if !slices.ContainsFunc(verdicts, func(v verdict) bool {
			return v.mutant.name == name || name == anyOperation+v.mutant.guard() && v.by != ""
		}) {
			n++
			fmt.Fprintf(out, "EXCUSED, but gone: %s\n", name)
		}
	}
	return n
}
