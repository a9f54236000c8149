package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// settings are what the environment says.
type settings struct {
	name      *regexp.Regexp // NAME: of the mutants' names
	wanted    *regexp.Regexp // TESTS: of the tests that are tried, by their names
	file      string         // FILE: a part of their files' paths
	state     string         // STATE: what the list says of them begins so
	changed   string         // CHANGED: a commit, since which something has changed that may matter to them
	also      []string       // ALSO: folders of further packages whose tests are to run, for whatever they come by
	processes int            // PROCESSES: at once
	every     bool           // EVERY: do not stop at the first test that fails
	seconds   float64        // SECONDS: how long the tests of a mutant may take as the original; 0: no limit
	minutes   float64        // MINUTES: how long all of it may take; 0: no limit
	command   string         // that does the same again
}

func parseSettings(getenv func(string) string) (settings, error) {
	from := batch.NewSettings(getenv)
	s := settings{
		name: from.Pattern("NAME"), wanted: from.Pattern("TESTS"), file: from.Text("FILE", ""), state: from.Text("STATE", ""),
		changed: from.Text("CHANGED", ""), also: strings.Fields(from.Text("ALSO", "")), processes: from.Number("PROCESSES", runtime.NumCPU(), 1),
		every: from.Text("EVERY", "") != "", seconds: from.Decimal("SECONDS", 0, 0, math.Inf(1)), minutes: from.Decimal("MINUTES", 0, 0, math.Inf(1)),
	}
	s.command = from.Command("mutants")
	return s, from.Err()
}

// choose returns the mutants that the settings ask for.
func (s settings) choose(ctx context.Context, root string, mutants []*Mutant, known list) ([]*Mutant, error) {
	touched := func(Name) bool { return true }
	if s.changed != "" {
		var err error
		if touched, err = changedSince(ctx, root, s.changed, known); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(mutants), func(m *Mutant) bool {
		return !strings.Contains(m.File, s.file) || !s.name.MatchString(m.String()) || !strings.HasPrefix(cmp.Or(known[m.Name], unknown), s.state) || !touched(m.Name)
	}), nil
}

// changedSince returns which mutants changes since a commit may matter to: those of files that have changed, and those
// that are caught by a test in a file that has. What is known to survive is known.
func changedSince(ctx context.Context, root, base string, known list) (func(Name) bool, error) {
	git := func(arguments ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", arguments...)
		cmd.Dir = root
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w: %s", strings.Join(arguments, " "), err, stderr.String())
		}
		return string(out), nil
	}
	out, err := git(append([]string{"diff", "--name-only", base, "--"}, packagesMutated...)...)
	if err != nil {
		return nil, err
	}
	files := strings.Fields(out)
	tests := map[string]bool{}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		diff, err := git("diff", "--unified=100000", base, "--", file)
		if err != nil {
			return nil, err
		}
		dir, _, _ := cutLast(file, "/")
		for _, m := range testFunction.FindAllStringSubmatch(diff, -1) {
			tests[dir+"."+m[1]] = true
		}
	}
	return func(n Name) bool {
		killer, _ := known.killer(n)
		return slices.Contains(files, n.File) || tests[killer]
	}, nil
}
