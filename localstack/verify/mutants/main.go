// Command ranch-mutants changes what guards the game, one guard at a time, and runs the tests that come by it: each
// mutant must be noticed by one at least, or excused by a sentence that says why it makes no difference. `make mutants`
// builds and starts it; docs/mutants.md says how to read it.
//
//	source.go                    the code of package store and package game, with its types
//	mutant.go, finder.go         what a mutant is and is called; the way through a file
//	logic.go                     conditions, terms, boundaries and flags
//	writes.go                    items of a transaction, and the terms of their conditions
//	arithmetic.go                orders, and the numbers of the rules
//	schemata.go, switch.txt      one program with all mutants in it, each behind a switch
//	suite.go, reach.go           the tests, and which sites each comes by
//	hunt.go                      mutant after mutant
//	list.go, mutants.txt, excuses.txt   what is known of each
//	settings.go                  which of them to run, and how
//
// The operators of logic.go and arithmetic.go are those that mutation testing has everywhere. The tools for Go have
// them, too (gremlins, go-mutesting, ooze), but make a copy of the code, compile it and run all tests for each mutant:
// 1,600 times two minutes. And what guards this table are texts, the terms of conditions, which no tool for Go looks
// into.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/process"
)

func main() {
	batch.Main("mutants", "what has been found out is in "+listPath, func(ctx context.Context) error {
		root, err := repository()
		if err != nil {
			return err
		}
		return run(ctx, root, os.Getenv, os.Stdout)
	})
}

// errTooLong means that the time was over before all mutants had been run.
var errTooLong = errors.New("NOT TESTED: some of the mutants, since the time is over (MINUTES)")

// run hunts the mutants that the environment asks for in the repository at root, and writes what comes of them into its
// list. It returns an error where one survives without an excuse.
func run(ctx context.Context, root string, getenv func(string) string, out io.Writer) error {
	start := time.Now()
	folder := filepath.Join(root, ".build", "mutants")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	unlock, err := process.TryLock(folder)
	if err != nil {
		return err
	}
	if unlock == nil {
		return fmt.Errorf("others are hunted in %s", folder)
	}
	defer unlock()
	known, err := readList(root)
	if err != nil {
		return err
	}
	s, err := parseSettings(getenv)
	if err != nil {
		return err
	}
	if s.minutes > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(s.minutes*float64(time.Minute)), errTooLong)
		defer cancel()
	}
	sources, err := load(root)
	if err != nil {
		return err
	}
	c := newCatalogue(sources)
	excuses, err := readExcuses(root)
	if err != nil {
		return err
	}
	mutants, err := s.choose(ctx, root, c.mutants, known)
	if err != nil {
		return err
	}
	h := &hunt{settings: s, folder: folder, list: known, excuses: excuses}
	if err := h.build(ctx, root, c, mutants); err != nil {
		if errors.Is(context.Cause(ctx), errTooLong) {
			return errTooLong
		}
		return err
	}
	verdicts, failure := h.all(ctx, mutants)
	next := list{}
	for _, m := range c.mutants {
		next[m.Name] = cmp.Or(known[m.Name], unknown)
	}
	wrong := report(out, verdicts, excuses, next, s.every)
	var whole *batch.Run
	if countHunted(verdicts) == len(c.mutants) {
		of := batch.NewRun(s.command, start, false)
		whole = &of
	}
	if err := next.write(root, whole); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, in %v.\n", next.summary(countHunted(verdicts)), time.Since(start).Round(time.Second))
	switch {
	case errors.Is(context.Cause(ctx), errTooLong):
		return errTooLong
	case failure != nil:
		return failure
	case wrong > 0:
		return fmt.Errorf("%d of %d mutants survive without an excuse, or have a false one", wrong, len(mutants))
	}
	return nil
}

// countHunted returns how many of the mutants have been run: those after an error have not.
func countHunted(verdicts []verdict) (n int) {
	for _, v := range verdicts {
		if v.mutant != nil {
			n++
		}
	}
	return n
}
