package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
	excuses   map[string]string
	known     map[string]string // the verdicts of earlier runs, by the mutants' names

	mu       sync.Mutex
	caught   map[string]map[string]int // by a function: how many of its mutants each test has caught
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

// measure runs all tests as the original. What they have noted is where mutants are. A file keeps it until the code or
// the tests change.
func (h *hunt) measure(ctx context.Context) error {
	path := filepath.Join(h.folder, "measured.json")
	known := map[string]measured{}
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &known) != nil {
		known = map[string]measured{}
	}
	var unknown []*test
	for _, t := range h.tests {
		if t.measured = known[t.key()]; t.Seconds == 0 {
			unknown = append(unknown, t)
		}
	}
	failure := h.each(ctx, "tests of the original", len(unknown), func(ctx context.Context, i int) error { return unknown[i].measure(ctx, h.folder) })
	h.tests = quickest(h.tests)
	clear(known)
	for _, t := range h.tests {
		known[t.key()] = t.measured
	}
	text, err := json.Marshal(known)
	return cmp.Or(failure, err, os.WriteFile(path, text, 0o644))
}

// all hunts the mutants. The verdicts are in their order; one without a mutant was not reached in time.
func (h *hunt) all(ctx context.Context, mutants []*mutant) ([]verdict, error) {
	h.caught = map[string]map[string]int{}
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
		if t.Reaches[m.place()] && (m.source == nil || t.suite.dir == m.source.dir) {
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

// secondsExcused is how long the tests of a mutant may take that is excused: it is not expected to be caught.
const secondsExcused = 10

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
	if h.excuses[m.name] == "" {
		return tests
	}
	took := 0.0
	return slices.DeleteFunc(tests, func(t *test) bool {
		took += t.Seconds
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
		if full := last >= 0 && seconds+t.Seconds > bound; last < 0 || full || parts[last][0].suite != t.suite {
			if full {
				bound *= 3
			}
			parts, seconds = append(parts, nil), 0
			last++
		}
		parts[last] = append(parts[last], t)
		seconds += t.Seconds
	}
	return parts
}

// catch looks for a test that catches the mutant. A failure counts when the same test fails once more: on a busy
// machine, tests fail by chance.
func (h *hunt) catch(ctx context.Context, v *verdict, tests []*test) error {
	for range 2 {
		o, err := runAs(ctx, v.mutant, tests)
		if err != nil || !o.failed {
			return err
		}
		suspects := slices.DeleteFunc(slices.Clone(tests), func(t *test) bool { return !slices.Contains(o.names, t.name) })
		if len(suspects) == 0 {
			suspects = tests // the process died
		}
		if !o.hung || len(tests) > 1 {
			if o, err = runAs(ctx, v.mutant, suspects); err != nil {
				return err
			}
		}
		if o.failed {
			h.take(v, suspects[0], o)
			return nil
		}
	}
	return nil
}

// runAs runs tests of one suite as a mutant. They hang when they take longer than seven seconds and eight times their
// own time; a test that hangs alone is not run again.
func runAs(ctx context.Context, m *mutant, tests []*test) (outcome, error) {
	names, timeout := make([]string, len(tests)), 7*time.Second
	for i, t := range tests {
		names[i] = t.name
		timeout += 8 * time.Duration(t.Seconds*float64(time.Second))
	}
	return tests[0].suite.run(ctx, m.chosen(), "", timeout, names)
}

// take notes by which test a mutant is caught, and tries that one early with others of the function.
func (h *hunt) take(v *verdict, by *test, o outcome) {
	v.by, v.hangs = by, o.hung
	v.invalid = v.mutant.source == nil && strings.Contains(o.output, "ValidationException")
	h.mu.Lock()
	defer h.mu.Unlock()
	of := v.mutant.function()
	if h.caught[of] == nil {
		h.caught[of] = map[string]int{}
	}
	h.caught[of][by.String()]++
}
