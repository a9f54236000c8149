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
	"errors"
	"fmt"
	"io"
	"os"
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

// run hunts the mutants of the repository at root: it looks for a test that catches each. The variable NAME matches the
// files and names of the mutants to hunt, TESTS the names of the tests to run. run returns an error if a mutant survives
// without an excuse, or if an excuse is wrong.
func run(ctx context.Context, root string, getenv func(string) string, out io.Writer) error {
	start := time.Now()
	from := batch.NewSettings(getenv)
	name, tests := from.Pattern("NAME"), from.Pattern("TESTS")
	excuses, err := readExcuses(root)
	if err := errors.Join(from.Err(), err); err != nil {
		return err
	}
	h, err := newHunt(ctx, root, tests, excuses)
	if err != nil {
		return err
	}
	all := h.mutants()
	mutants := slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return !name.MatchString(m.path + " " + m.name) })
	fmt.Fprintf(out, "%d of %d mutants\n", len(mutants), len(all))
	verdicts, failure := h.all(ctx, mutants)
	wrong := report(out, verdicts)
	if len(mutants) == len(all) && failure == nil && tests.String() == "" {
		wrong += excuses.report(out, verdicts)
	}
	fmt.Fprintf(out, "%v in all.\n", time.Since(start).Round(time.Second))
	if failure == nil && wrong > 0 {
		failure = fmt.Errorf("%d problems: mutants that survive without an excuse, and wrong excuses (%s)", wrong, excusesPath)
	}
	return failure
}

// report prints the surviving and invalid mutants, and how many were caught. It returns the number of the former.
func report(out io.Writer, verdicts []verdict) (wrong int) {
	all, caught, excused := 0, 0, 0
	for _, v := range verdicts {
		if v.mutant.name == "" { // the hunt has ended before its turn
			continue
		}
		all++
		switch {
		case v.invalid:
			wrong++
			fmt.Fprintf(out, "INVALID, since the table refuses the condition: %s\n\n", v.mutant.name)
		case v.by != "":
			caught++
		case v.excused:
			excused++
		default:
			wrong++
			some := v.reached[:min(len(v.reached), 12)]
			fmt.Fprintf(out, "SURVIVES %s\n  %s\n  %d tests come by it: %v\n\n", v.mutant.name, v.mutant.path, len(v.reached), some)
		}
	}
	fmt.Fprintf(out, "Mutants: %d in all, %d caught, %d excused, %d survive\n", all, caught, excused, all-caught-excused)
	return wrong
}

// mutant is a request without one guard.
type mutant struct {
	name string // Store.Claim: Update USER#*/PROFILE: always ls = :seen
	path string // of the file with the store's method, from the repository's root
}

// guard returns the mutant's name without the method.
func (m mutant) guard() string { return m.name[max(0, strings.Index(m.name, ": ")):] }
