package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every target of a working tree runs, and a property that breaks is printed with the input that does it.
func TestFuzz(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	targets := "package few\n\nimport \"testing\"\n\nfunc FuzzHolds(f *testing.F) { f.Fuzz(func(t *testing.T, n int64) {}) }\n\n" +
		"func FuzzBreaks(f *testing.F) {\n\tf.Fuzz(func(t *testing.T, s string) { t.Errorf(\"not %q\", s) })\n}\n"
	for name, text := range map[string]string{"go.mod": "module example.com/few\n\ngo 1.26\n", "few_test.go": targets} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	fuzzed := func(chosen string) (string, error) {
		var out bytes.Buffer
		err := fuzz(t.Context(), root, func(name string) string { return map[string]string{"FUZZTIME": "50x", "TARGET": chosen}[name] }, &out)
		return out.String(), err
	}
	out, err := fuzzed("")
	if err == nil || !strings.HasPrefix(err.Error(), "1 of 2 targets have found an input") {
		t.Error(err)
	}
	for _, want := range []string{"[1/2] ..FuzzHolds: fuzz: elapsed: ", ", execs: 5", "not \"", "testdata/fuzz/FuzzBreaks/"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if out, err := fuzzed("FuzzHolds"); err != nil || !strings.HasPrefix(out, "[1/1] ..FuzzHolds") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := fuzzed("FuzzNothing"); err == nil {
		t.Error(out)
	}
}

// The end of a target's time is no failure, whatever go test says.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]bool{
		"execs: 9016\n--- FAIL: FuzzX (60.92s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\ta/b\t61.075s\n":                            true,
		"--- FAIL: FuzzX (60.92s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:20: context deadline exceeded\n    \n    Failing input written to": false,
		"--- FAIL: FuzzX (0.92s)\n    context deadline exceeded\n    Failing input written to testdata/fuzz/FuzzX/1\nFAIL\n":                         false,
	} {
		if got := timeIsUp.MatchString(output); got != want {
			t.Errorf("%v of\n%s", got, output)
		}
	}
}
