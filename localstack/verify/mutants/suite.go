package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// suite is a package's tests, compiled with all mutants in what they test.
type suite struct {
	dir    string // of the package, from the repository's root
	root   string
	binary string
	digest string // of the binary
}

// test is a test at the top level of a package.
type test struct {
	suite   *suite
	name    string
	file    string       // without its folder
	seconds float64      // that it takes alone
	reached map[int]bool // the sites that it comes by
}

func (t *test) String() string { return t.suite.dir + "." + t.name }

// buildSuite compiles a package's tests by the overlay.
func buildSuite(ctx context.Context, root, dir, overlay, folder string) (*suite, error) {
	s := &suite{dir: dir, root: root, binary: filepath.Join(folder, strings.ReplaceAll(dir, "/", "_")+".test")}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", s.binary, "./"+dir)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %s with its mutants: %w\n%s", dir, err, out)
	}
	binary, err := os.ReadFile(s.binary)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(binary)
	s.digest = hex.EncodeToString(digest[:])
	return s, nil
}

// testFunction is a test in a file, or in a difference.
var testFunction = regexp.MustCompile(`(?m)^[ +-]?func ((?:Test|Example|Fuzz)\w*)\(`)

// testsIn returns the tests of a package, and the file of each.
func testsIn(root, dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_test.go"))
	if err != nil {
		return nil, err
	}
	tests := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range testFunction.FindAllSubmatch(text, -1) {
			tests[string(m[1])] = filepath.Base(file)
		}
	}
	delete(tests, "TestMain")
	return tests, nil
}

// outcome is what came of running tests.
type outcome struct {
	failed  bool
	hung    bool     // took too long
	names   []string // of the tests that are known to have failed: none where the process just died
	output  string
	seconds float64
}

var (
	failedTest  = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	runningTest = regexp.MustCompile(`(?m)^\t{2}(\w+)[^\n]* \(`)
)

// atOnce is how many tests run at the same time in one process: they wait more than they compute.
const atOnce = 8

// run runs tests of the suite, as the mutant of that number, 0 for the original, until one fails. It writes the sites
// that they come by into the file notes, if that has a name.
func (s *suite) run(ctx context.Context, mutant int, notes string, timeout time.Duration, names []string) (outcome, error) {
	cmd := exec.Command(s.binary, "-test.run", "^("+strings.Join(names, "|")+")$", "-test.failfast", "-test.timeout", timeout.String(),
		"-test.parallel", strconv.Itoa(atOnce))
	cmd.Dir = filepath.Join(s.root, filepath.FromSlash(s.dir))
	cmd.Env = append(os.Environ(), chosenVariable+"="+strconv.Itoa(mutant), notesVariable+"="+notes)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	child, err := process.Start(cmd)
	if err != nil {
		return outcome{}, err
	}
	select {
	case <-child.Done():
	case <-time.After(timeout + 10*time.Second): // what does not even end itself
		child.Stop(time.Second)
	case <-ctx.Done():
		child.Stop(time.Second)
		return outcome{}, ctx.Err()
	}
	o := outcome{failed: child.Wait() != nil, output: out.String(), seconds: time.Since(start).Seconds()}
	o.hung = strings.Contains(o.output, "panic: test timed out")
	for _, pattern := range []*regexp.Regexp{failedTest, runningTest} {
		for _, m := range pattern.FindAllStringSubmatch(o.output, -1) {
			if slices.Contains(names, m[1]) && !slices.Contains(o.names, m[1]) {
				o.names = append(o.names, m[1])
			}
		}
	}
	return o, nil
}
