package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// hunt runs tests as mutants, several at once.
type hunt struct {
	processes int
	folder    string
	tests     []*test // the quickest first, once they have been measured
	excuses   excuses
	known     map[string]string // the verdicts of earlier runs, by the mutants' names

	mu       sync.Mutex
	caught   map[string]map[string]int // by a function: how many of its mutants each test has caught
	missed   map[string]bool           // the guards that operations share, once the tests of one have missed it
	progress batch.Progress
	left     int // mutants that no test has caught
}

// verdict is what came of a mutant.
type verdict struct {
	mutant  *mutant
	by      *test   // the first that catches it; nil when none does
	hangs   bool    // that test does not fail, but takes too long
	invalid bool    // the table refuses the condition as such
	reached []*test // all that come by it
}

// each calls do for the numbers below n, several at once, and shows how far it is.
func (h *hunt) each(ctx context.Context, what string, n int, do func(ctx context.Context, i int) error) error {
	h.progress = batch.Progress{What: what, Of: n}
	defer batch.Show(os.Stderr, func() batch.Progress {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.progress
	})()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(h.processes)
	for i := range n {
		group.Go(func() error {
			if err := cmp.Or(ctx.Err(), do(ctx, i)); err != nil {
				return err
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			h.progress.Done++
			return nil
		})
	}
	return group.Wait()
}

// measure runs all tests as the original. What they note is where mutants are.
func (h *hunt) measure(ctx context.Context) error {
	err := h.each(ctx, "tests of the original", len(h.tests), func(ctx context.Context, i int) error { return h.tests[i].measure(ctx, h.folder) })
	h.tests = slices.DeleteFunc(h.tests, func(t *test) bool { return t.seconds == 0 }) // they could catch nothing
	slices.SortFunc(h.tests, func(a, b *test) int { return cmp.Compare(a.seconds, b.seconds) })
	return err
}

// all hunts the mutants. The verdicts are in their order; one without a mutant was not reached in time.
func (h *hunt) all(ctx context.Context, mutants []*mutant) ([]verdict, error) {
	h.caught, h.missed = map[string]map[string]int{}, map[string]bool{}
	verdicts := make([]verdict, len(mutants))
	return verdicts, h.each(ctx, "mutants", len(mutants), func(ctx context.Context, i int) error {
		v, err := h.one(ctx, mutants[i])
		if err != nil {
			return err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		verdicts[i] = v
		if v.by == nil {
			h.left++
		}
		h.progress.Note = fmt.Sprintf("%d caught, %d not", h.progress.Done+1-h.left, h.left)
		return nil
	})
}

// one hunts a mutant by the tests that come by it. A change of the code is for the tests of its own package to notice.
func (h *hunt) one(ctx context.Context, m *mutant) (verdict, error) {
	v := verdict{mutant: m}
	for _, t := range h.tests {
		if t.reaches[m.place()] && (m.source == nil || t.suite.dir == m.source.dir) {
			v.reached = append(v.reached, t)
		}
	}
	for _, part := range parts(h.promising(m, slices.Clone(v.reached))) {
		if err := h.catch(ctx, &v, part); err != nil || v.by != nil {
			return v, err
		}
	}
	return v, nil
}

// secondsExcused is how long the tests of a mutant may take that is excused: it is not expected to be caught. A shared
// guard is, until the tests of one operation have missed it.
const secondsExcused = 5

// promising puts the test first that has caught the mutant before, then those that have caught others of the function,
// most of them first; the others stay in their order. It returns as many as fit into the time.
func (h *hunt) promising(m *mutant, tests []*test) []*test {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, of := strings.TrimPrefix(strings.TrimPrefix(h.known[m.name], caughtBy), hangsIn), h.caught[m.function()]
	slices.SortStableFunc(tests, func(a, b *test) int {
		switch known {
		case a.String():
			return -1
		case b.String():
			return 1
		}
		return cmp.Compare(of[b.String()], of[a.String()])
	})
	if sentence, shared := h.excuses.of(m); sentence == "" || shared && !h.missed[m.guard()] {
		return tests
	}
	took := 0.0
	return slices.DeleteFunc(tests, func(t *test) bool {
		took += t.seconds
		return took > secondsExcused
	})
}

// parts divides tests into those that run in one process: the first few alone, then more and more, each part of one
// suite. The first failure ends a process.
func parts(tests []*test) [][]*test {
	var parts [][]*test
	seconds, bound := 0.0, 0.5
	for _, t := range tests {
		last := len(parts) - 1
		if full := last >= 0 && seconds+t.seconds > bound; last < 0 || full || parts[last][0].suite != t.suite {
			if full {
				bound *= 3
			}
			parts, seconds = append(parts, nil), 0
			last++
		}
		parts[last] = append(parts[last], t)
		seconds += t.seconds
	}
	return parts
}

// catch looks for a test that catches the mutant. A failure counts when it comes twice: on a busy machine, tests fail
// by chance.
func (h *hunt) catch(ctx context.Context, v *verdict, tests []*test) error {
	var o outcome
	for range 2 {
		var err error
		if o, err = runAs(ctx, v.mutant, tests); err != nil || !o.failed {
			return err
		}
		if by := slices.IndexFunc(tests, func(t *test) bool { return t.name == o.name }); by >= 0 {
			tests = tests[by : by+1]
		}
	}
	v.by, v.hangs = tests[0], o.hung
	v.invalid = v.mutant.source == nil && strings.Contains(o.output, "ValidationException")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.missed[v.mutant.guard()] = true
	of := v.mutant.function()
	if h.caught[of] == nil {
		h.caught[of] = map[string]int{}
	}
	h.caught[of][v.by.String()]++
	return nil
}

// runAs runs tests of one suite as a mutant. They hang when they take longer than five seconds and eight times their
// own time.
func runAs(ctx context.Context, m *mutant, tests []*test) (outcome, error) {
	names, timeout := make([]string, len(tests)), 5*time.Second
	for i, t := range tests {
		names[i] = t.name
		timeout += 8 * time.Duration(t.seconds*float64(time.Second))
	}
	return tests[0].suite.run(ctx, m.chosen(), "", timeout, names)
}
