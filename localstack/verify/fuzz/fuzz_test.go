// Package fuzz tests the script run, the command make fuzz.
package fuzz

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFuzz checks that the script runs every fuzz target of a working tree, and prints the input that breaks a
// property. The end of a target's time must not fail, although go test reports it as a failure. A target that tries too
// few inputs beyond its baseline must fail.
func TestFuzz(t *testing.T) {
	t.Parallel()
	tried := func(n int) string { // a script that replaces go: its target has a baseline of 59 inputs, and tries n
		return fmt.Sprintf("#!/bin/sh\necho 'fuzz: elapsed: 0s, gathering baseline coverage: 0/59 completed'\n"+
			"echo 'fuzz: elapsed: 3s, execs: %d (0/sec), new interesting: 0 (total: 59)'\n", n)
	}
	root := t.TempDir()
	targets := "package few\n\nimport \"testing\"\n\nfunc FuzzHolds(f *testing.F) { f.Fuzz(func(t *testing.T, n int64) {}) }\n\n" +
		"func FuzzBreaks(f *testing.F) {\n\tf.Fuzz(func(t *testing.T, s string) { t.Errorf(\"not %q\", s) })\n}\n"
	for name, text := range map[string]string{
		"go.mod": "module example.com/few\n\ngo 1.26\n", "some/few_test.go": targets,
		"late/go":   tried(79) + "printf -- '--- FAIL: FuzzHolds (60.92s)\\n    context deadline exceeded\\nFAIL\\nexit status 1\\n'\nexit 1\n",
		"slow/go":   tried(78),
		"begun/go":  "#!/bin/sh\necho 'fuzz: elapsed: 3s, gathering baseline coverage: 59/79 completed'\n",
		"broken/go": "#!/bin/sh\nprintf -- '--- FAIL: FuzzHolds (0.92s)\\n    context deadline exceeded\\n    Failing input written to x\\nFAIL\\n'\nexit 1\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o700))
	}
	out, err := exec.Command("git", "init", "-q", root).CombinedOutput()
	require.NoError(t, err, "%s", out)
	script, err := filepath.Abs("run")
	require.NoError(t, err)
	for _, test := range []struct {
		target, tool string // tool: variables, and the folder of a script that replaces go
		fails        bool
		want         []string
	}{
		{"", "", true, []string{"[1/2] some.FuzzHolds: fuzz: elapsed: ", ", execs: 5", "not \"", "testdata/fuzz/FuzzBreaks/", "1 of 2 targets have an input"}},
		{"FuzzHolds", "", false, []string{"[1/1] some.FuzzHolds"}},
		{"", "SAMPLE=1 SEED=5", true, []string{"[1/1] some.FuzzBreaks"}},
		{"FuzzHolds", "late FUZZTIME=2s", false, []string{"execs: 79 "}},
		{"FuzzHolds", "slow FUZZTIME=2s", true, []string{"19 inputs beyond the baseline of 59, want 20", "1 of 1 targets tried fewer than 20"}},
		{"FuzzHolds", "slow FUZZTIME=1m", true, []string{"want 600\n"}},
		{"FuzzHolds", "begun FUZZTIME=2s", true, []string{"59/79 completed", "    0 inputs beyond the baseline of 79, want 20"}},
		{"FuzzHolds", "broken", true, []string{"1 of 1 targets have an input"}},
	} {
		run := exec.Command(script)
		run.Dir = root
		run.Env = append(os.Environ(), "FUZZTIME=50x", "TARGET="+test.target)
		for word := range strings.FieldsSeq(test.tool) {
			if !strings.Contains(word, "=") {
				word = "PATH=" + filepath.Join(root, word) + ":" + os.Getenv("PATH")
			}
			run.Env = append(run.Env, word)
		}
		out, err := run.CombinedOutput()
		assert.Equal(t, test.fails, (err != nil), "%+v: %v", test, err)
		for _, want := range test.want {
			assert.Contains(t, string(out), want, "%+v: %q is not in\n%s", test, want, out)
		}
	}
}
