package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/verify/mutants/wire"
)

// suite is a package's tests, compiled with all mutants of the code.
type suite struct{ dir, root, binary, digest string }

// test is a test at the top level of a package.
type test struct {
	suite *suite
	name  string
	measured
}

// measured is what a run of the original, alone, says of a test.
type measured struct {
	Seconds float64
	Reaches map[string]bool // the places of mutants that it comes by
}

func (t *test) key() string { return t.suite.digest + " " + t.name }

func (t *test) String() string { return t.suite.dir + "." + t.name }

// buildSuite compiles a package's tests by the overlay and lists those whose names match the pattern.
func buildSuite(ctx context.Context, root, dir, overlay, folder string, wanted *regexp.Regexp) ([]*test, error) {
	s := &suite{dir: dir, root: root, binary: filepath.Join(folder, strings.ReplaceAll(dir, "/", "_")+".test")}
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", s.binary, "./"+dir)
	compile.Dir = root
	if out, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %s with its mutants: %w\n%s", dir, err, out)
	}
	binary, err := os.ReadFile(s.binary)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a package without tests
	}
	if err != nil {
		return nil, err
	}
	s.digest = fmt.Sprintf("%x", sha256.Sum256(binary))
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

// outcome is what came of running tests.
type outcome struct {
	failed bool
	hung   bool     // took longer than it may
	names  []string // of the tests that are known to have failed; none when the process died
	output string
}

var (
	failedTest  = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	runningTest = regexp.MustCompile(`(?m)^\t{2}(\w+)[^\n]* \(`) // in the report of a timeout
)

// atOnce is how many tests run at the same time in one process: they wait more than they compute.
const atOnce = 8

// run runs tests of the suite as the mutant that chosen names, until one fails. They note the places of mutants that
// they come by in the file notes, unless that is "".
func (s *suite) run(ctx context.Context, chosen, notes string, timeout time.Duration, names []string) (outcome, error) {
	ended, end := context.WithTimeout(ctx, timeout+10*time.Second) // for a process that does not end itself
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
	o.hung = strings.Contains(o.output, "panic: test timed out") || ended.Err() != nil
	for _, pattern := range []*regexp.Regexp{failedTest, runningTest} {
		for _, m := range pattern.FindAllStringSubmatch(o.output, -1) {
			if slices.Contains(names, m[1]) && !slices.Contains(o.names, m[1]) {
				o.names = append(o.names, m[1])
			}
		}
	}
	return o, nil
}

// longestTest is how long a test of the original may take.
const longestTest = 5 * time.Minute

// measure runs the test alone, as the original, and finds out how long it takes and what it comes by. It must pass: if
// need be, at a second attempt, since the machine may be busy.
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
		t.Seconds = time.Since(start).Seconds()
		if !o.failed {
			break
		}
	}
	if o.failed {
		t.Seconds = 0
		fmt.Fprintf(os.Stderr, "\nLEFT OUT, since it fails without any mutant: %v\n%s\n", t, o.output)
		return nil
	}
	text, err := os.ReadFile(notes)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	t.Reaches = map[string]bool{}
	for place := range strings.Lines(string(text)) {
		t.Reaches[strings.TrimSpace(place)] = true
	}
	return nil
}

// quickest sorts tests, and leaves out those that could catch nothing.
func quickest(tests []*test) []*test {
	tests = slices.DeleteFunc(tests, func(t *test) bool { return t.Seconds == 0 })
	slices.SortFunc(tests, func(a, b *test) int { return cmp.Or(cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(a.name, b.name)) })
	return tests
}
