package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/verify/mutants/wire"
)

// hunt runs tests as mutants, several at once.
type hunt struct {
	folder  string
	tests   []*test // the quickest first, after they were measured
	excuses excuses
	known   map[string]string // the verdicts of earlier runs, by the mutants' names

	mu       sync.Mutex
	missed   map[string]bool // the shared guards that the tests of one operation have missed
	progress batch.Progress
	left     int // mutants that no test has caught
}

// verdict is the result for a mutant.
type verdict struct {
	mutant  *mutant
	by      *test   // the first that catches it, or nil
	invalid bool    // the table refuses the condition as such
	reached []*test // all that execute it
}

// each calls do for each number from 0 to n-1, several at once, and shows the progress. what names the work.
func (h *hunt) each(ctx context.Context, what string, n int, do func(ctx context.Context, i int) error) error {
	h.progress = batch.Progress{What: what, Of: n}
	defer batch.Show(os.Stderr, func() batch.Progress {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.progress
	})()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
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

// measure runs all tests on the original code. Each test notes which mutants it executes.
func (h *hunt) measure(ctx context.Context) error {
	err := h.each(ctx, "tests of the original", len(h.tests), func(ctx context.Context, i int) error { return h.tests[i].measure(ctx, h.folder) })
	h.tests = slices.DeleteFunc(h.tests, func(t *test) bool { return t.seconds == 0 }) // they cannot catch anything
	slices.SortFunc(h.tests, func(a, b *test) int { return cmp.Compare(a.seconds, b.seconds) })
	return err
}

// all hunts the mutants and returns a verdict for each, in the same order. If the time ends before a mutant's turn, its
// verdict has no mutant.
func (h *hunt) all(ctx context.Context, mutants []*mutant) ([]verdict, error) {
	h.missed = map[string]bool{}
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

// testsAtOnce is how many tests a process runs until the first failure. The requests of one package have all mutants of
// requests, so that these tests have one program.
const testsAtOnce = 16

// one looks for a test that catches the mutant, among the tests that execute it. For a change of the code, only tests
// of the same package count.
func (h *hunt) one(ctx context.Context, m *mutant) (verdict, error) {
	v := verdict{mutant: m}
	for _, t := range h.tests {
		if t.reaches[m.place()] && (m.source == nil || t.suite.dir == m.source.dir) {
			v.reached = append(v.reached, t)
		}
	}
	for part := range slices.Chunk(h.promising(m, slices.Clone(v.reached)), testsAtOnce) {
		if err := h.catch(ctx, &v, part); err != nil || v.by != nil {
			return v, err
		}
	}
	return v, nil
}

// secondsExcused limits the time of the tests of a mutant that excuses.txt excuses, since probably none catches it. An
// excuse for a guard that operations share holds only after the tests of one operation have missed it.
const secondsExcused = 5

// promising returns the tests that fit into the mutant's time. First comes the test that caught the mutant in an
// earlier run. The others keep their order.
func (h *hunt) promising(m *mutant, tests []*test) []*test {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := strings.TrimPrefix(h.known[m.name], caughtBy)
	if i := slices.IndexFunc(tests, func(t *test) bool { return t.String() == known }); i > 0 {
		first := tests[i]
		copy(tests[1:], tests[:i])
		tests[0] = first
	}
	if sentence, shared := h.excuses.of(m); sentence == "" || shared && !h.missed[m.guard()] {
		return tests
	}
	took := 0.0
	return slices.DeleteFunc(tests, func(t *test) bool {
		took += t.seconds
		return took > secondsExcused
	})
}

// catch looks for a test that catches the mutant, and notes it in v. A failure counts only if it comes twice, since
// tests on a busy machine can fail by chance.
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
	v.by = tests[0]
	v.invalid = v.mutant.source == nil && strings.Contains(o.output, "ValidationException")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.missed[v.mutant.guard()] = true
	return nil
}

// runAs runs tests of one suite with the mutant in place. They fail if they take longer than five seconds plus eight
// times their usual time.
func runAs(ctx context.Context, m *mutant, tests []*test) (outcome, error) {
	names, timeout := make([]string, len(tests)), 5*time.Second
	for i, t := range tests {
		names[i] = t.name
		timeout += 8 * time.Duration(t.seconds*float64(time.Second))
	}
	return tests[0].suite.run(ctx, m.chosen(), "", timeout, names)
}

// suite is a package's tests, compiled together with all mutants of the code.
type suite struct{ dir, root, binary string }

// test is a test at the top level of a package.
type test struct {
	suite   *suite
	name    string
	seconds float64         // the time of the original, alone
	reaches map[string]bool // the places of mutants that it executes
}

func (t *test) String() string { return t.suite.dir + "." + t.name }

// buildSuite compiles a package's tests with the mutants of the overlay. It returns the tests whose names match wanted,
// or none if the package has no tests.
func buildSuite(ctx context.Context, root, dir, overlay, folder string, wanted *regexp.Regexp) ([]*test, error) {
	s := &suite{dir: dir, root: root, binary: filepath.Join(folder, strings.ReplaceAll(dir, "/", "_")+".test")}
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", s.binary, ".")
	compile.Dir = filepath.Join(root, filepath.FromSlash(dir)) // it may belong to another module
	if out, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %s with its mutants: %w\n%s", dir, err, out)
	}
	if _, err := os.Stat(s.binary); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a package without tests
	}
	list := exec.CommandContext(ctx, s.binary, "-test.list", ".")
	list.Dir = filepath.Join(root, filepath.FromSlash(dir))
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w\n%s", dir, err, out)
	}
	var tests []*test
	for name := range strings.FieldsSeq(string(out)) {
		if wanted.MatchString(name) && !strings.HasPrefix(name, "Benchmark") {
			tests = append(tests, &test{suite: s, name: name})
		}
	}
	return tests, nil
}

// outcome is the result of a run of tests.
type outcome struct {
	failed bool
	name   string // the first test that failed or was running when the time ended; "" if unknown
	output string
}

var failedTest = regexp.MustCompile(`(?m)^(?:--- FAIL: |\t\t)(\w+)[^\n]* \(`)

// atOnce is how many tests of a process run at the same time. Tests wait more than they compute.
const atOnce = 8

// run runs tests of the suite with the chosen mutant in place, until a test fails. Unless notes is "", the tests write
// the places of the mutants that they execute into the file notes.
func (s *suite) run(ctx context.Context, chosen, notes string, timeout time.Duration, names []string) (outcome, error) {
	ended, end := context.WithTimeout(ctx, timeout+10*time.Second) // in case the process does not end by itself
	defer end()
	cmd := exec.CommandContext(ended, s.binary, "-test.run", "^("+strings.Join(names, "|")+")$", "-test.failfast",
		"-test.timeout", timeout.String(), "-test.parallel", strconv.Itoa(atOnce))
	cmd.Dir = filepath.Join(s.root, filepath.FromSlash(s.dir))
	cmd.Env = append(os.Environ(), wire.Chosen+"="+chosen, wire.Notes+"="+notes)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	failure := cmd.Run()
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	o := outcome{failed: failure != nil, output: out.String()}
	if m := failedTest.FindStringSubmatch(o.output); m != nil {
		o.name = m[1]
	}
	return o, nil
}

// longestTest is the time limit of a test as the original.
const longestTest = 5 * time.Minute

// measure runs the test alone on the original code. It finds the test's time and the mutants that the test executes. If
// the test fails twice, measure leaves it out.
func (t *test) measure(ctx context.Context, folder string) error {
	notes := filepath.Join(folder, strings.ReplaceAll(t.String(), "/", "_")+".notes")
	defer os.Remove(notes)
	var o outcome
	for range 2 {
		_ = os.Remove(notes) // of the attempt before
		start := time.Now()
		var err error
		if o, err = t.suite.run(ctx, "", notes, longestTest, []string{t.name}); err != nil {
			return err
		}
		t.seconds = time.Since(start).Seconds()
		if !o.failed {
			break
		}
	}
	if o.failed {
		t.seconds = 0
		fmt.Fprintf(os.Stderr, "\nLEFT OUT, since it fails without any mutant: %v\n%s\n", t, o.output)
		return nil
	}
	text, err := os.ReadFile(notes)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	t.reaches = map[string]bool{}
	for place := range strings.Lines(string(text)) {
		place = strings.TrimSpace(place)
		// Requests count only for the packages whose whole code is changed.
		if _, err := strconv.Atoi(place); err == nil || slices.Contains(mutated, t.suite.dir) {
			t.reaches[place] = true
		}
	}
	return nil
}
