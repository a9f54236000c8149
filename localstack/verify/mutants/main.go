// Command ranch-mutants checks that tests notice a missing guard (mutation testing). It makes one change at a time, a
// mutant, and runs the tests that execute it. At least one test must fail, or a sentence of excuses.txt must say why
// the change makes no difference. `make mutants` builds and starts it; docs/searching.md says how to read its output.
//
// There are two kinds of mutants. Mutants of requests need no source code: package wire drops one write, or disables
// one term of a condition, in the tests' requests. Mutants of the code change decisions, arithmetic, durations, limits,
// and options of calls.
//
//	wire/                         the mutants of requests
//	source.go, operators.go       the names of mutants, and the mutants of the code
//	schemata.go, switch.txt       one program with all mutants of the code, each behind a switch
//	hunt.go                       the tests, and which of them catches which mutant
//	report.go                     the output, and excuses.txt
//
// Tools such as gremlins, go-mutesting and ooze mutate Go code, too. But they compile and run everything again for each
// mutant, which would take a day. None of them changes the conditions of writes.
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
	// all are the packages whose code ranch-mutants changes. Each package's own tests must notice the changes.
	// ./shared/... would leave out the module of shared/client.
	all = []string{"github.com/ranch-game/ranch/shared/...", "github.com/ranch-game/ranch/functions/..."}
	// mutated are the packages in which every kind of code is changed. In the other packages, ranch-mutants changes
	// only durations, limits and options.
	mutated = []string{"shared/game", "shared/token", "shared/password", "shared/store"}
)

// settings are the environment variables.
type settings struct {
	packages []string       // PACKAGES: folders whose tests run; none stands for all of them
	name     *regexp.Regexp // NAME: of the mutants' files and names
	tests    *regexp.Regexp // TESTS: of the tests' names
	sample   int            // SAMPLE: how many mutants of those; 0 is all of them
	seed     int            // SEED: which sample
	changed  string         // CHANGED: a commit; the sample gets all mutants in files that differ from it
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

// run hunts the selected mutants of the repository at root. It returns an error if a mutant survives without an excuse.
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

// folders are those of the sources' packages.
func folders(sources []*source) (dirs []string) {
	for _, s := range sources {
		dirs = append(dirs, s.dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// choose returns the selected mutants. A sample has at most about the wanted number of mutants, and at least half of
// it. Consecutive seeds select different mutants until each had its turn. A mutant's turn depends on its name, so a
// seed always selects the same mutants.
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
