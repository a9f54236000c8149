package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// A target runs, and one whose property breaks is told with the input that does it.
func TestTargets(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/few\n\ngo 1.26\n",
		"few/few_test.go": `package few

import "testing"

func FuzzHolds(f *testing.F) { f.Fuzz(func(t *testing.T, n int64) {}) }

func FuzzBreaks(f *testing.F) {
	f.Add("seed")
	f.Fuzz(func(t *testing.T, s string) {
		if s != "seed" {
			t.Error("no other text")
		}
	})
}
`,
		"none/none_test.go":             "package none\n",
		"none/testdata/x/x_test.go":     "package x // *testing.F)\n",
		"node_modules/some/few_test.go": "package x // *testing.F)\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	targets, err := find(t.Context(), root, regexp.MustCompile(""))
	if diff := cmp.Diff([]target{{"few", "FuzzHolds"}, {"few", "FuzzBreaks"}}, targets, cmp.AllowUnexported(target{})); diff != "" || err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}
	f := newFigures("50x")
	for _, target := range targets {
		got, err := target.run(t.Context(), root, "50x")
		if err != nil {
			t.Fatal(err)
		}
		f.add(target, got)
		if target.name == "FuzzBreaks" && (!strings.Contains(got.Broken, "no other text") || !strings.Contains(got.Broken, "testdata/fuzz/FuzzBreaks/")) {
			t.Errorf("%+v", got)
		}
	}
	if f.Targets != 2 || f.ExecutionsByTarget["few.FuzzHolds"] < 50 || f.Executions < 50 || !slices.Equal(f.Broken, []string{"few.FuzzBreaks"}) {
		t.Errorf("%+v", f)
	}
	if err := f.verdict(); err == nil || !strings.Contains(err.Error(), "1 of 2 targets") {
		t.Error(err)
	}
	if chosen, err := find(t.Context(), root, regexp.MustCompile("few.FuzzH")); len(chosen) != 1 || err != nil {
		t.Errorf("%v, %v", chosen, err)
	}
	if none, err := find(t.Context(), root, regexp.MustCompile("nothing")); err == nil {
		t.Error(none)
	}
	// Figures are there from the first target on, also where the run is interrupted at the next one.
	file := filepath.Join(root, "figures.json")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s := settings{time: "20x", target: regexp.MustCompile(""), figures: file, command: "make fuzz FUZZTIME=20x"}
	if err := s.run(ctx, root, &interrupter{"executions", interrupt}); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Error(err)
	}
	interrupted, err := os.ReadFile(file)
	s.target = regexp.MustCompile("FuzzHolds")
	if err := s.run(t.Context(), root, io.Discard); err != nil {
		t.Error(err)
	}
	if whole, err := os.ReadFile(file); err != nil || strings.Contains(string(whole), "Interrupted") {
		t.Errorf("%v, %s", err, whole)
	}
	if err != nil || !strings.Contains(string(interrupted), `"Targets": 1`) || !strings.Contains(string(interrupted), `"Interrupted": true`) {
		t.Errorf("%v, %s", err, interrupted)
	}
	if _, err := (target{"few", "FuzzNone"}).run(t.Context(), root, "1x"); err == nil {
		t.Error("a target that is not there has run")
	}
}

// interrupter ends a run once it has printed a word.
type interrupter struct {
	word string
	end  func()
}

func (i *interrupter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), i.word) {
		i.end()
	}
	return len(p), nil
}

// Every folder with a target is found, this repository's own among them.
func TestFolders(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	folders, err := foldersWithTargets(template.Root)
	if err != nil || !strings.Contains(strings.Join(folders, " "), "shared/httpapi") {
		t.Errorf("%q, %v", folders, err)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"": "60s", "2s": "2s", "1000x": "1000x", "0s": "", "-1s": "", "x": "", "0x": "", "soon": "", "-5x": ""} {
		s, err := readSettings(func(name string) string { return map[string]string{"FUZZTIME": value}[name] })
		if want != "" && s.time != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", value, s.time, err)
		}
	}
	if _, err := readSettings(func(string) string { return "[" }); err == nil {
		t.Error("[ is no regular expression")
	}
}

// The end of a target's time is no failure, whatever go test says.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]bool{
		"fuzz: elapsed: 1m1s, execs: 9016 (0/sec), new interesting: 48 (total: 59)\n--- FAIL: FuzzX (60.92s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\ta/b\t61.075s\n": true,

		"--- FAIL: FuzzX (60.92s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:20: context deadline exceeded\n    \n    Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n": false,

		"--- FAIL: FuzzX (60.92s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\n    Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n": false,
		"--- FAIL: FuzzX (0.92s)\n    context deadline exceeded\n    Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n":                                       false,
	} {
		if got := timeIsUp.MatchString(output); got != want {
			t.Errorf("%v of\n%s", got, output)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var r result
	if r.read("testing: warning: no tests to run\nPASS\n") {
		t.Errorf("%+v", r)
	}
	known := r.read("fuzz: elapsed: 0s, gathering baseline coverage: 0/11 completed\nfuzz: elapsed: 1s, gathering baseline coverage: 7/11 completed\nPASS\n")
	if want := (result{Executions: 7, Corpus: 11}); r != want || !known {
		t.Errorf("%+v", r)
	}
	known = r.read("fuzz: elapsed: 3s, execs: 9016 (3005/sec), new interesting: 48 (total: 59)\nfuzz: elapsed: 6s, execs: 23302 (0/sec), new interesting: 58 (total: 69)\nPASS\n")
	if want := (result{Executions: 23302, New: 58, Corpus: 69}); r != want || !known {
		t.Errorf("%+v", r)
	}
}
