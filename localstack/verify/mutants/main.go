// Command ranch-mutants checks that tests notice a missing guard (mutation testing). A guard is a condition, refusal or
// limit in the code. A mutant is the code, or a request, with one change. The command runs the tests that execute the
// changed place. At least one test must fail, or a sentence of excuses.txt must explain why the change makes no
// difference. `make mutants` builds and starts the command. docs/searching.md explains its output.
//
// There are two kinds of mutants. Mutants of requests need no source code: in the requests of the tests, package wire
// drops one write, or disables one term of a condition. Mutants of the code change decisions, arithmetic, limits and
// options.
//
//	wire/                         the mutants of requests
//	source.go, operators.go       the names of mutants, and the mutants of the code
//	schemata.go, switch.txt       one program with all mutants of the code, each behind a switch
//	hunt.go                       the tests, and which of them catches which mutant
//	report.go                     the output, and excuses.txt
//
// Tools such as gremlins, go-mutesting and ooze mutate Go code, too. But for each mutant they compile and run all tests
// again, which would take days. None of them changes the conditions of writes.
package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

var (
	// all are the packages whose code ranch-mutants changes. A package's own tests must notice the changes. They are
	// import paths, because ./shared/... would leave out the module of shared/client.
	all = []string{"github.com/ranch-game/ranch/shared/...", "github.com/ranch-game/ranch/functions/..."}
	// mutated are the packages in which every kind of code is changed. In the other packages, ranch-mutants changes
	// only durations, limits and options.
	mutated = []string{"shared/game", "shared/token", "shared/password", "shared/store"}
)

// settings are the environment variables.
type settings struct {
	packages []string       // PACKAGES: folders whose tests run; none means all
	name     *regexp.Regexp // NAME: matches a mutant's file and name
	tests    *regexp.Regexp // TESTS: matches a test's name
	sample   int            // SAMPLE: how many of these mutants; 0 means all
	seed     int            // SEED: selects the sample; by default the day's number
	changed  string         // CHANGED: a commit; all mutants in files that differ from it are selected, too
}

const day = 24 * 60 * 60

func readSettings(getenv func(string) string) (settings, error) {
	from := batch.NewSettings(getenv)
	s := settings{
		packages: strings.Fields(from.Text("PACKAGES", "")), name: from.Pattern("NAME"), tests: from.Pattern("TESTS"),
		sample: from.Number("SAMPLE", 0, 0), seed: from.Number("SEED", int(time.Now().Unix()/day), 0), changed: from.Text("CHANGED", ""),
	}
	return s, from.Err()
}

// run hunts the selected mutants of the repository at root: it looks for a test that catches each. It returns an error
// if a mutant survives without an excuse, or if an excuse is wrong.
func run(ctx context.Context, root string, getenv func(string) string, out io.Writer) error {
	start := time.Now()
	s, err := readSettings(getenv)
	if err != nil {
		return err
	}
	excuses, err := readExcuses(root)
	if err != nil {
		return err
	}
	sources, err := load(root, all)
	if err != nil {
		return err
	}
	folder := filepath.Join(root, ".build", "mutants")
	book := filepath.Join(folder, "verdicts.txt")
	h := &hunt{folder: folder, excuses: excuses, known: readBook(book)}
	overlay, err := writeSchemata(sources, root, folder)
	if err != nil {
		return err
	}
	dirs := s.packages
	if len(dirs) == 0 {
		dirs = folders(sources)
	}
	for _, dir := range dirs {
		tests, err := buildSuite(ctx, root, dir, overlay, folder, s.tests)
		if err != nil {
			return err
		}
		h.tests = append(h.tests, tests...)
	}
	if err := h.measure(ctx); err != nil {
		return err
	}
	tested := slices.DeleteFunc(slices.Clone(sources), func(of *source) bool { return !slices.Contains(dirs, of.dir) })
	all := append(wireMutants(h.tests, sources), codeMutants(tested)...)
	mutants, err := s.choose(ctx, root, all)
	if err != nil {
		return err
	}
	if s.sample > 0 {
		fmt.Fprintf(out, "%d of %d mutants, by SAMPLE=%d SEED=%d\n", len(mutants), len(all), s.sample, s.seed)
	}
	verdicts, failure := h.all(ctx, mutants)
	wrong := report(out, verdicts, excuses, h.known)
	if err := writeBook(book, all, h.known); err != nil {
		return err
	}
	if len(mutants) == len(all) && failure == nil && s.tests.String() == "" && len(s.packages) == 0 {
		wrong += reportFalse(out, excuses, all, h.known)
	}
	fmt.Fprintf(out, "%v in all.\n", time.Since(start).Round(time.Second))
	switch {
	case failure != nil:
		return failure
	case wrong > 0:
		return fmt.Errorf("%d problems: mutants that survive without an excuse, and excuses that are wrong (excuses.txt)", wrong)
	}
	return nil
}

// folders returns the folders of the sources' packages, sorted.
func folders(sources []*source) (dirs []string) {
	for _, s := range sources {
		dirs = append(dirs, s.dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// choose returns the selected mutants. A sample has about half to all of the wanted number of mutants. Consecutive
// seeds select different mutants, until every mutant had its turn. A mutant's turn depends on its name, so equal seeds
// select the same mutants. choose adds the mutants of changed files to the sample.
func (s settings) choose(ctx context.Context, root string, all []*mutant) ([]*mutant, error) {
	chosen := slices.DeleteFunc(slices.Clone(all), func(m *mutant) bool { return !s.name.MatchString(m.path + " " + m.name) })
	if s.sample == 0 && s.changed == "" {
		return chosen, nil
	}
	var changed string
	if s.changed != "" {
		git := exec.CommandContext(ctx, "git", "diff", "--name-only", s.changed, "--")
		git.Dir = root
		out, err := git.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("git diff %s: %w: %s", s.changed, err, out)
		}
		changed = string(out)
	}
	turns := uint32(1)
	for s.sample > 0 && int(turns)*s.sample < len(chosen) {
		turns *= 2
	}
	return slices.DeleteFunc(chosen, func(m *mutant) bool {
		itsTurn := s.sample > 0 && crc32.ChecksumIEEE([]byte(m.name))%turns == uint32(s.seed)%turns
		return !itsTurn && (m.path == "" || !strings.Contains(changed, m.path+"\n"))
	}), nil
}
