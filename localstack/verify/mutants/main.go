// Command ranch-mutants checks that tests notice a missing guard (mutation testing). A guard is a write of a
// transaction, or a term of a write's condition. A mutant is a request without one guard. The command runs the store's
// tests that send the request. At least one test must fail, or a sentence of excuses.txt must explain why none can.
// `make mutants` builds and starts the command. docs/searching.md explains its output.
//
//	wire/         removes a guard from the requests of a test's process
//	hunt.go       the tests, and which of them catches which mutant
//	excuses.go    reads excuses.txt
//
// Public tools change Go code. The conditions of writes are texts in it, so no such tool removes their terms.
package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

func main() {
	batch.Main("mutants", "", func(ctx context.Context) error {
		root, err := os.Getwd()
		if err != nil {
			return err
		}
		return run(ctx, root, os.Getenv, os.Stdout)
	})
}

// settings are the environment variables.
type settings struct {
	name    *regexp.Regexp // NAME: matches a mutant's file and name
	tests   *regexp.Regexp // TESTS: matches a test's name
	sample  int            // SAMPLE: how many of these mutants; 0 means all
	seed    int            // SEED: selects the sample; by default the day's number
	changed string         // CHANGED: a commit; all mutants of files that differ from it are selected, too
}

const day = 24 * 60 * 60

func readSettings(getenv func(string) string) (settings, error) {
	from := batch.NewSettings(getenv)
	s := settings{
		name: from.Pattern("NAME"), tests: from.Pattern("TESTS"), sample: from.Number("SAMPLE", 0, 0),
		seed: from.Number("SEED", int(time.Now().Unix()/day), 0), changed: from.Text("CHANGED", ""),
	}
	return s, from.Err()
}

// run hunts the selected mutants of the repository at root: it looks for a test that catches each. It returns an error
// if a mutant survives without an excuse, or if an excuse is wrong.
func run(ctx context.Context, root string, getenv func(string) string, out io.Writer) error {
	start := time.Now()
	s, err := readSettings(getenv)
	if err != nil {
		return err
	}
	excuses, err := readExcuses(root)
	if err != nil {
		return err
	}
	h, err := newHunt(ctx, root, s.tests, excuses)
	if err != nil {
		return err
	}
	all := h.mutants()
	mutants, err := s.choose(ctx, root, all)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d of %d mutants, by SAMPLE=%d SEED=%d\n", len(mutants), len(all), s.sample, s.seed)
	verdicts, failure := h.all(ctx, mutants)
	wrong := report(out, verdicts, excuses)
	if len(mutants) == len(all) && failure == nil && s.tests.String() == "" {
		wrong += reportFalse(out, verdicts, excuses)
	}
	fmt.Fprintf(out, "%v in all.\n", time.Since(start).Round(time.Second))
	switch {
	case failure != nil:
		return failure
	case wrong > 0:
		return fmt.Errorf("%d problems: mutants that survive without an excuse, and excuses that are wrong (%s)", wrong, excusesPath)
	}
	return nil
}

// choose returns the selected mutants. A sample has about half to all of the wanted number of mutants. Consecutive
// seeds select different mutants, until every mutant had its turn. A mutant's turn depends on its name, so equal seeds
// select the same mutants. choose adds the mutants of changed files to the sample.
func (s settings) choose(ctx context.Context, root string, all []mutant) ([]mutant, error) {
	chosen := slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return !s.name.MatchString(m.path + " " + m.name) })
	if s.sample == 0 && s.changed == "" {
		return chosen, nil
	}
	var changed string
	if s.changed != "" {
		git := exec.CommandContext(ctx, "git", "diff", "--name-only", s.changed, "--")
		git.Dir = root
		out, err := git.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("git diff %s: %w: %s", s.changed, err, out)
		}
		changed = string(out)
	}
	turns := uint32(1)
	for s.sample > 0 && int(turns)*s.sample < len(chosen) {
		turns *= 2
	}
	return slices.DeleteFunc(chosen, func(m mutant) bool {
		itsTurn := s.sample > 0 && crc32.ChecksumIEEE([]byte(m.name))%turns == uint32(s.seed)%turns
		return !itsTurn && !strings.Contains(changed, m.path+"\n")
	}), nil
}

// report prints the surviving mutants, and how many were caught. It returns the number of problems: mutants that
// survive without an excuse, are caught in spite of one, or are invalid.
func report(out io.Writer, verdicts []verdict, excuses excuses) (wrong int) {
	var run, caught, excused int
	for _, v := range verdicts {
		if v.mutant.name == "" { // the hunt has ended before its turn
			continue
		}
		run++
		sentence, shared := excuses.of(v.mutant)
		problem := ""
		switch {
		case v.by != nil && v.invalid:
			problem = "INVALID, since the table refuses the condition: " + v.mutant.name
		case v.by != nil && sentence != "" && !shared:
			problem = fmt.Sprintf("EXCUSED, but caught by %s: %s\nTake it out of %s.", v.by.name, v.mutant.name, excusesPath)
		case v.by == nil && sentence == "":
			names := make([]string, len(v.reached))
			for i, t := range v.reached {
				names[i] = t.name
			}
			problem = fmt.Sprintf("SURVIVES %s\n  %s\n  %d tests come by it: %v", v.mutant.name, v.mutant.path, len(names), names[:min(len(names), 12)])
		}
		if problem != "" {
			wrong++
			fmt.Fprintf(out, "%s\n\n", problem)
		}
		if v.by != nil {
			caught++
		} else if sentence != "" {
			excused++
		}
	}
	fmt.Fprintf(out, "Mutants: %d run, %d caught, %d excused, %d survive\n", run, caught, excused, run-caught-excused)
	return wrong
}

// mutant is a request without one guard.
type mutant struct {
	name string // Store.Claim: Update USER#*/PROFILE: always ls = :seen
	path string // of the file with the store's method, from the repository's root
}

// guard returns the mutant's name without the method.
func (m mutant) guard() string { return m.name[max(0, strings.Index(m.name, ": ")):] }
