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
//	choice.go                    which of them to run
//
// The operators of logic.go and arithmetic.go are those that mutation testing has everywhere. The tools for Go have them,
// too (gremlins, go-mutesting, ooze), but make a copy of the code, compile it and run all tests for each mutant: 1,600
// times two minutes. And what guards this table are texts, the terms of conditions, which no tool for Go looks into.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	start := time.Now()
	root, err := repository()
	if err != nil {
		return err
	}
	sources, err := load(root)
	if err != nil {
		return err
	}
	c := newCatalogue(sources)
	known, err := readList(root)
	if err != nil {
		return err
	}
	excuses, err := readExcuses(root)
	if err != nil {
		return err
	}
	mutants, err := choose(ctx, root, c.mutants, known, os.Getenv)
	if err != nil {
		return err
	}
	processes := runtime.NumCPU()
	if text := os.Getenv("PROCESSES"); text != "" {
		if processes, err = strconv.Atoi(text); err != nil || processes < 1 {
			return fmt.Errorf("PROCESSES=%s is no number from 1", text)
		}
	}
	h := &hunt{
		folder: filepath.Join(root, ".build", "mutants"), also: strings.Fields(os.Getenv("ALSO")), list: known, processes: processes,
		every: os.Getenv("EVERY") != "",
	}
	if len(mutants) > 0 {
		overlay, err := writeSchemata(c, root, h.folder)
		if err != nil {
			return err
		}
		for _, dir := range append(slices.Clone(packagesMutated), h.also...) {
			s, err := buildSuite(ctx, root, dir, overlay, h.folder)
			if err != nil {
				return err
			}
			h.suites = append(h.suites, s)
		}
	}
	verdicts, huntErr := h.all(ctx, mutants)
	next := list{}
	for _, m := range c.mutants {
		next[m.Name] = unknown
		if before, ok := known[m.Name]; ok {
			next[m.Name] = before
		}
	}
	wrong := report(os.Stdout, verdicts, excuses, next, h.every)
	if err := next.write(root); err != nil {
		return err
	}
	fmt.Printf("%s, in %v.\n", next.figures(verdicts), time.Since(start).Round(time.Second))
	switch {
	case huntErr != nil:
		return huntErr
	case wrong > 0:
		return fmt.Errorf("%d of %d mutants survive without an excuse, or have a false one", wrong, len(verdicts))
	}
	return nil
}
