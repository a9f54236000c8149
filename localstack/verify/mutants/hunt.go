package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/verify/mutants/wire"
)

// hunt runs the store's tests with mutants, in one process for each processor.
type hunt struct {
	folder, binary string  // the folder of the store, and the program of its tests
	tests          []*test // the quickest first
	excuses        excuses
	noticed        sync.Map // the guards (mutant.guard) whose absence a test has noticed
}

// verdict is the result of a mutant's hunt.
type verdict struct {
	mutant  mutant
	by      string   // the test that catches the mutant, or ""
	invalid bool     // the table refuses the changed condition's syntax
	excused bool     // no test was needed
	reached []string // the tests that send its request
}

// storePath is the folder of the package whose tests send the requests.
const storePath = "shared/store"

// newHunt compiles the store's tests, and runs those that match wanted on the original requests, to learn their times
// and mutants.
func newHunt(ctx context.Context, root string, wanted *regexp.Regexp, excuses excuses) (*hunt, error) {
	folder := filepath.Join(root, ".build", "mutants")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	h := &hunt{
		folder: filepath.Join(root, filepath.FromSlash(storePath)), binary: filepath.Join(folder, "store.test"), excuses: excuses,
	}
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-o", h.binary, ".")
	compile.Dir = h.folder
	if out, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the tests of %s: %w\n%s", storePath, err, out)
	}
	list := exec.CommandContext(ctx, h.binary, "-test.list", "^(Test|Fuzz)")
	list.Dir = h.folder
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w\n%s", storePath, err, out)
	}
	for name := range strings.FieldsSeq(string(out)) {
		if wanted.MatchString(name) {
			h.tests = append(h.tests, &test{name: name})
		}
	}
	err = h.each(ctx, "tests of the original", len(h.tests), func(ctx context.Context, i int) error {
		return h.measure(ctx, h.tests[i], folder)
	})
	slices.SortFunc(h.tests, func(a, b *test) int { return cmp.Compare(a.usual, b.usual) })
	return h, err
}

// mutants returns the mutants of all requests of the tests, by name.
func (h *hunt) mutants() (all []mutant) {
	paths := map[string]string{}
	for _, t := range h.tests {
		maps.Copy(paths, t.reaches)
	}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		all = append(all, mutant{name, paths[name]})
	}
	return all
}

// each calls do for each number from 0 to n-1, one for each processor at a time. It tells how many of what are done.
func (h *hunt) each(ctx context.Context, what string, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var done atomic.Int64
	for i := range n {
		group.Go(func() error {
			if err := cmp.Or(ctx.Err(), do(ctx, i)); err != nil {
				return err
			}
			if now := done.Add(1); now%25 == 0 {
				fmt.Fprintf(os.Stderr, "%d of %d %s\n", now, n, what)
			}
			return nil
		})
	}
	return group.Wait()
}

// all hunts the mutants and returns a verdict for each, in the same order. If ctx ends or a hunt fails before a
// mutant's turn, the mutant's verdict is the zero value.
func (h *hunt) all(ctx context.Context, mutants []mutant) ([]verdict, error) {
	verdicts := make([]verdict, len(mutants))
	return verdicts, h.each(ctx, "mutants", len(mutants), func(ctx context.Context, i int) error {
		v, err := h.one(ctx, mutants[i])
		if err == nil {
			verdicts[i] = v
		}
		return err
	})
}

// testsAtOnce is the most tests that a process runs until the first failure.
const testsAtOnce = 16

// one looks for a test that catches the mutant, among the tests that send its request. It leaves out a mutant that is
// excused. If the excuse is for a guard that operations share, a test must have noticed the guard's absence before.
func (h *hunt) one(ctx context.Context, m mutant) (verdict, error) {
	v := verdict{mutant: m}
	sentence, shared := h.excuses.of(m)
	_, noticed := h.noticed.Load(m.guard())
	if v.excused = sentence != ""; v.excused && (!shared || noticed) {
		return v, nil
	}
	var tests []*test
	for _, t := range h.tests {
		if t.reaches[m.name] != "" {
			tests, v.reached = append(tests, t), append(v.reached, t.name)
		}
	}
	for part := range slices.Chunk(tests, testsAtOnce) {
		if err := h.catch(ctx, &v, part); err != nil || v.by != "" {
			return v, err
		}
	}
	return v, nil
}

// catch looks for a test that catches the mutant, and stores it in v. A failure counts only if the tests that failed,
// or were running when the time ended, fail once more by themselves: on a busy machine, tests can fail by chance. If
// they pass, the remaining tests run again, because the failure had ended them.
func (h *hunt) catch(ctx context.Context, v *verdict, tests []*test) error {
	for len(tests) > 0 {
		first, err := h.run(ctx, v.mutant.name, "", limit(1, tests), tests)
		if err != nil || !first.failed {
			return err
		}
		again, err := h.run(ctx, v.mutant.name, "", limit(8, first.suspects), first.suspects)
		if err != nil {
			return err
		}
		if again.failed {
			h.noticed.Store(v.mutant.guard(), true)
			v.by, v.invalid = again.suspects[0].name, strings.Contains(again.output, "ValidationException")
			return nil
		}
		tests = slices.DeleteFunc(slices.Clone(tests), func(t *test) bool { return slices.Contains(first.suspects, t) })
	}
	return nil
}

// limit returns the time limit of tests: some multiple of their usual times, and five seconds. A mutant that never ends
// thus costs little.
func limit(times time.Duration, tests []*test) time.Duration {
	sum := 5 * time.Second
	for _, t := range tests {
		sum += times * t.usual
	}
	return sum
}

// test is a test at the top level of the store's package.
type test struct {
	name    string
	usual   time.Duration     // its time alone, without a mutant
	reaches map[string]string // the paths of the mutants whose requests it sends, by name
}

// outcome is the result of a run of tests.
type outcome struct {
	failed   bool
	suspects []*test // the tests that failed, or were running when the time ended; all if the output names none
	output   string
}

// failedTest matches the name of a test that failed or was running when the time ended.
var failedTest = regexp.MustCompile(`(?m)^(?:--- FAIL: |\t\t)(\w+)[^\n]* \(`)

// atOnce is the most parallel tests of a process. It exceeds the processors, because tests wait more than they compute.
const atOnce = 8

// run runs tests with the chosen mutant, or without one, until a test fails or the time limit is over.
// Unless notes is "", the tests write the mutants of the requests that they send into the file notes.
func (h *hunt) run(ctx context.Context, chosen, notes string, limit time.Duration, tests []*test) (outcome, error) {
	ended, end := context.WithTimeout(ctx, limit+10*time.Second) // if the process does not end by itself
	defer end()
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = t.name
	}
	cmd := exec.CommandContext(ended, h.binary, "-test.run", "^("+strings.Join(names, "|")+")$", "-test.failfast",
		"-test.timeout", limit.String(), "-test.parallel", strconv.Itoa(atOnce))
	cmd.Dir = h.folder
	cmd.Env = append(os.Environ(), wire.Chosen+"="+chosen, wire.Notes+"="+notes)
	cmd.WaitDelay = time.Second
	out, failure := cmd.CombinedOutput()
	o := outcome{failed: failure != nil, output: string(out)}
	named := failedTest.FindAllStringSubmatch(o.output, -1)
	for _, t := range tests {
		if slices.ContainsFunc(named, func(m []string) bool { return m[1] == t.name }) {
			o.suspects = append(o.suspects, t)
		}
	}
	if len(o.suspects) == 0 {
		o.suspects = tests
	}
	return o, ctx.Err()
}

// longestTest is the time limit of a test without a mutant.
const longestTest = 5 * time.Minute

// measure runs a test alone on the original code, to learn its time and its mutants. If the test fails twice, measure
// returns an error.
func (h *hunt) measure(ctx context.Context, t *test, folder string) error {
	notes := filepath.Join(folder, t.name+".notes")
	defer os.Remove(notes)
	o := outcome{failed: true}
	for try := 0; try < 2 && o.failed; try++ {
		start := time.Now()
		var err error
		if o, err = h.run(ctx, "", notes, longestTest, []*test{t}); err != nil {
			return err
		}
		t.usual = time.Since(start)
	}
	if o.failed {
		return fmt.Errorf("%s fails without any mutant: mend it first\n%s", t.name, o.output)
	}
	text, err := os.ReadFile(notes)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	t.reaches = map[string]string{}
	for line := range strings.Lines(string(text)) {
		path, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		t.reaches[name] = path
	}
	return nil
}
