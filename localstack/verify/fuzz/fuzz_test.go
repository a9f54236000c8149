// Package fuzz tests the script run, which is make fuzz.
package fuzz

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every target of a working tree runs, and a property that breaks is printed with the input that does it. The end of a
// target's time is no failure, whatever go test says.
func TestFuzz(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	targets := "package few\n\nimport \"testing\"\n\nfunc FuzzHolds(f *testing.F) { f.Fuzz(func(t *testing.T, n int64) {}) }\n\n" +
		"func FuzzBreaks(f *testing.F) {\n\tf.Fuzz(func(t *testing.T, s string) { t.Errorf(\"not %q\", s) })\n}\n"
	for name, text := range map[string]string{
		"go.mod": "module example.com/few\n\ngo 1.26\n", "some/few_test.go": targets,
		"late/go":   "#!/bin/sh\nprintf -- '--- FAIL: FuzzHolds (60.92s)\\n    context deadline exceeded\\nFAIL\\nexit status 1\\n'\nexit 1\n",
		"broken/go": "#!/bin/sh\nprintf -- '--- FAIL: FuzzHolds (0.92s)\\n    context deadline exceeded\\n    Failing input written to x\\nFAIL\\n'\nexit 1\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	script, err := filepath.Abs("run")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		target, tool string // tool: the folder of another Go, or variables; "": the real one
		fails        bool
		want         []string
	}{
		{"", "", true, []string{"[1/2] some.FuzzHolds: fuzz: elapsed: ", ", execs: 5", "not \"", "testdata/fuzz/FuzzBreaks/", "1 of 2 targets have an input"}},
		{"FuzzHolds", "", false, []string{"[1/1] some.FuzzHolds"}},
		{"FuzzNothing", "", true, []string{"no target has such a name"}},
		{"", "SAMPLE=1 SEED=4", false, []string{"[1/1] some.FuzzHolds"}},
		{"", "SAMPLE=1 SEED=5", true, []string{"[1/1] some.FuzzBreaks"}},
		{"FuzzHolds", "late", false, []string{"only its seeds"}},
		{"FuzzHolds", "broken", true, []string{"1 of 1 targets have an input"}},
	} {
		run := exec.Command(script)
		run.Dir = root
		run.Env = append(os.Environ(), "FUZZTIME=50x", "TARGET="+test.target)
		if strings.Contains(test.tool, "=") {
			run.Env = append(run.Env, strings.Fields(test.tool)...)
		} else if test.tool != "" {
			run.Env = append(run.Env, "PATH="+filepath.Join(root, test.tool)+":"+os.Getenv("PATH"))
		}
		out, err := run.CombinedOutput()
		if (err != nil) != test.fails {
			t.Errorf("%+v: %v", test, err)
		}
		for _, want := range test.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%+v: %q is not in\n%s", test, want, out)
			}
		}
	}
}
