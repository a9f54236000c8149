package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// hunt runs tests as mutants.
type hunt struct {
	settings
	folder  string
	suites  []*suite
	list    list // what was known before
	excuses map[Name]string

	measured sync.Once
	original []*test // once they have been measured
	err      error

	mu     sync.Mutex
	caught map[string]map[string]int // by the function that was changed: how many of its mutants each test has caught
	tests  batch.Progress            // of the original, which are measured once they are needed
	hunted batch.Progress
	left   int // of them, those that no test has caught
}

// verdict is what came of a mutant.
type verdict struct {
	mutant  *Mutant
	by      []string // the tests that catch it, by name
	reached []string // the tests that come by it, where none does
	hangs   bool     // the first of them does not fail, but takes too long
	broken  string   // what the table says to a condition that is none
}

// build compiles the tests that the mutants need, with all mutants of the code in it.
func (h *hunt) build(ctx context.Context, root string, c *catalogue, mutants []*Mutant) error {
	if len(mutants) == 0 {
		return nil
	}
	overlay, err := writeSchemata(c, root, h.folder)
	if err != nil {
		return err
	}
	dirs := slices.Clone(h.also)
	for _, m := range mutants {
		if dir := m.site.source.dir; !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		s, err := buildSuite(ctx, root, dir, overlay, h.folder)
		if err != nil {
			return err
		}
		h.suites = append(h.suites, s)
	}
	return nil
}

// all hunts the mutants, several at once. The verdicts are in the order of the mutants.
func (h *hunt) all(ctx context.Context, mutants []*Mutant) ([]verdict, error) {
	h.caught = map[string]map[string]int{}
	for name := range h.list {
		killer, _ := h.list.killer(name)
		h.learn(name, killer)
	}
	verdicts := make([]verdict, len(mutants))
	h.hunted = batch.Progress{What: "mutants", Of: len(mutants)}
	defer batch.Show(os.Stderr, h.progress)()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(h.processes)
	for i, m := range mutants {
		group.Go(func() error {
			v, err := h.one(ctx, m)
			if err != nil {
				return err
			}
			verdicts[i] = v
			h.mu.Lock()
			defer h.mu.Unlock()
			h.hunted.Done++
			if len(v.by) == 0 {
				h.left++
			}
			return nil
		})
	}
	return verdicts, group.Wait()
}

// progress is how far it is: with the mutants, or first with the tests of the original.
func (h *hunt) progress() batch.Progress {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tests.Done < h.tests.Of {
		return h.tests
	}
	p := h.hunted
	p.Note = fmt.Sprintf("%d caught, %d not", p.Done-h.left, h.left)
	return p
}

// testing notes how many of the original's tests have been measured.
func (h *hunt) testing(done, of int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tests = batch.Progress{What: "tests of the original", Done: done, Of: of}
}

// learn takes down that a test catches a mutant of a function, so that it is tried early with the others.
func (h *hunt) learn(n Name, by string) {
	if by == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	of := n.File + " " + n.Function
	if h.caught[of] == nil {
		h.caught[of] = map[string]int{}
	}
	h.caught[of][by]++
}

// one hunts a mutant: first by the test that has caught it before, then by all tests of its package that come by it:
// the package's own tests are to notice what is wrong with it, not those of others that use it.
func (h *hunt) one(ctx context.Context, m *Mutant) (verdict, error) {
	v := verdict{mutant: m}
	if known, hangs := h.list.killer(m.Name); known != "" && !h.every {
		dir, name, _ := cutLast(known, ".")
		for _, s := range h.suites {
			if s.dir != dir {
				continue
			}
			patience := knownPatience
			if hangs {
				patience = mutantTimeout(0)
			}
			o, err := s.run(ctx, m.id, "", patience, []string{name})
			if err != nil {
				return v, err
			}
			if o.failed && slices.Contains(o.names, name) && (hangs || !o.hung) {
				v.take(known, o)
				return v, nil
			}
		}
	}
	tests, err := h.measure(ctx)
	if err != nil {
		return v, err
	}
	var candidates []*test
	for _, t := range tests {
		if t.reached[m.site.mutants[0].id] && h.wanted.MatchString(t.name) && (t.suite.dir == m.site.source.dir || slices.Contains(h.also, t.suite.dir)) {
			candidates = append(candidates, t)
		}
	}
	for _, part := range parts(h.promising(m, slices.Clone(candidates))) {
		by, o, err := h.catch(ctx, m, part)
		if err != nil {
			return v, err
		}
		for _, t := range by {
			v.take(t.String(), o)
			h.learn(m.Name, t.String())
		}
		if len(by) > 0 && !h.every {
			return v, nil
		}
	}
	if len(v.by) == 0 {
		for _, t := range candidates {
			v.reached = append(v.reached, t.String())
		}
	}
	return v, nil
}

// take takes down that a test has caught the mutant, and whether the table has refused its condition.
func (v *verdict) take(by string, o outcome) {
	v.by = append(v.by, by)
	v.hangs = v.hangs || o.hung
	if !v.mutant.ofCondition() {
		return
	}
	for line := range strings.SplitSeq(o.output, "\n") {
		if strings.Contains(line, "ValidationException") {
			v.broken = strings.TrimSpace(line)
		}
	}
}

func (h *hunt) measure(ctx context.Context) ([]*test, error) {
	h.measured.Do(func() { h.original, h.err = reach(ctx, h.folder, h.suites, h.processes, h.testing) })
	return h.original, h.err
}

// promising puts those tests first that have caught other mutants of the function, most of them first, and after them
// those of a file whose name begins as that of the mutant's; the others stay in their order. It returns as many as fit
// into the seconds.
func (h *hunt) promising(m *Mutant, tests []*test) []*test {
	h.mu.Lock()
	defer h.mu.Unlock()
	of := h.caught[m.File+" "+m.Function]
	stem := strings.TrimSuffix(path.Base(m.File), ".go")
	own := func(t *test) int {
		if strings.HasPrefix(t.file, stem+"_") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(tests, func(a, b *test) int {
		return cmp.Or(cmp.Compare(of[b.String()], of[a.String()]), cmp.Compare(own(b), own(a)))
	})
	most := h.seconds
	if h.excuses[m.Name] != "" && (most == 0 || most > secondsExcused) {
		most = secondsExcused
	}
	if most == 0 {
		return tests
	}
	took := 0.0
	return slices.DeleteFunc(tests, func(t *test) bool {
		took += t.seconds
		return took > most
	})
}

// knownPatience is how long the test that is known to catch a mutant, and not to hang, may take to do so. Beyond that
// it is one of the others.
const knownPatience = 30 * time.Second

// secondsExcused is how long the tests of a mutant may take that is excused: it is not expected to be caught.
const secondsExcused = 10

// parts divides tests into those that run in one process: the first few alone, then more and more, each part of one
// suite. The first to fail ends a process.
func parts(tests []*test) [][]*test {
	var parts [][]*test
	seconds, bound := 0.0, 0.5
	for _, t := range tests {
		last := len(parts) - 1
		if last < 0 || parts[last][0].suite != t.suite || seconds+t.seconds > bound {
			if last >= 0 && seconds+t.seconds > bound {
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

// catch returns the tests that catch the mutant, for certain: each fails, or hangs, once more when it is run alone. It
// returns one, unless every one is wanted.
func (h *hunt) catch(ctx context.Context, m *Mutant, tests []*test) ([]*test, outcome, error) {
	if h.every {
		var by []*test
		var last outcome
		for _, t := range tests {
			o, err := t.as(ctx, m)
			if err != nil {
				return nil, o, err
			}
			if o.failed {
				by, last = append(by, t), o
			}
		}
		return by, last, nil
	}
	for len(tests) > 0 {
		names, seconds := make([]string, len(tests)), 0.0
		for i, t := range tests {
			names[i] = t.name
			seconds += t.seconds
		}
		o, err := tests[0].suite.run(ctx, m.id, "", mutantTimeout(seconds), names)
		if err != nil || !o.failed {
			return nil, o, err
		}
		suspects := slices.DeleteFunc(slices.Clone(tests), func(t *test) bool { return !slices.Contains(o.names, t.name) })
		if len(suspects) == 0 {
			suspects = tests // the process died, and nobody knows by which
		}
		for _, t := range suspects {
			alone, err := t.as(ctx, m)
			if err != nil {
				return nil, alone, err
			}
			if alone.failed {
				return []*test{t}, alone, nil
			}
		}
		// A busy machine, or chance: they do not count.
		tests = slices.DeleteFunc(slices.Clone(tests), func(t *test) bool { return slices.Contains(suspects, t) })
	}
	return nil, outcome{}, nil
}

// as runs the test as the mutant.
func (t *test) as(ctx context.Context, m *Mutant) (outcome, error) {
	return t.suite.run(ctx, m.id, "", mutantTimeout(t.seconds), []string{t.name})
}

// mutantTimeout is how long tests may take as a mutant that take so long as the original: beyond that, the mutant
// hangs, and is caught. A busy machine takes longer.
func mutantTimeout(seconds float64) time.Duration {
	return 10*time.Second + 8*time.Duration(seconds*float64(time.Second))
}

// cutLast cuts a text at the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
