package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestRun hunts every mutant of a small repository (testdata/small.txtar) as `make mutants` does. It checks the output,
// the exit, the verdicts and the excuses.
func TestRun(t *testing.T) {
	t.Parallel()
	small, err := txtar.ParseFile("testdata/small.txtar")
	require.NoError(t, err)
	files := map[string]string{excusesPath: ""}
	for _, f := range small.Files {
		files[f.Name] = string(f.Data)
	}
	root := working(t, files)
	hunted := func() (out, failure string) {
		var printed bytes.Buffer
		if err := run(t.Context(), root, func(string) string { return "" }, &printed); err != nil {
			failure = err.Error()
		}
		return printed.String(), failure
	}
	excuse := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, excusesPath), []byte(text), 0o644))
	}
	check := func(what string, out, failure, wantFailure string, want ...string) {
		t.Helper()
		assert.True(t, strings.HasPrefix(failure, wantFailure) && (failure == "") == (wantFailure == ""),
			"%s: %q, want %q", what, failure, wantFailure)
		for _, text := range want {
			assert.Contains(t, out, text, "%s: %q is not in\n%s", what, text, out)
		}
	}
	const caught, survivor = "Store.Send: Put A/B: always n = :seen", "Store.Send: Put A/B: dropped"
	out, failure := hunted()
	check("all", out, failure, "1 problems: mutants", "SURVIVES "+survivor+"\n  shared/store/send.go\n  1 tests come by it: [TestSend]",
		"Mutants: 2 in all, 1 caught, 0 excused, 1 survive")

	excuse("# Why.\n\nIt is the same.\n\t" + survivor + "\n\tStore.Gone: Put A/B: dropped\n")
	out, failure = hunted()
	check("excuses", out, failure, "1 problems: mutants", "EXCUSED, but gone: Store.Gone",
		"2 in all, 1 caught, 1 excused, 0 survive")

	excuse("Other operations share it.\n\tany: Put A/B: always n = :seen\n\tany: Put A/B: dropped\n")
	out, failure = hunted()
	check("shared guards", out, failure, "1 problems: mutants", "EXCUSED, but gone: any: Put A/B: dropped")
	assert.NotContains(t, out, "gone: any: Put A/B: always")

	excuse("It is no sentence\n\ta\n")
	_, failure = hunted()
	assert.Contains(t, failure, "is no sentence")
}

// TestCatch checks that the remaining tests run if the first suspects pass alone.
func TestCatch(t *testing.T) {
	t.Parallel()
	h := &hunt{folder: working(t, map[string]string{"tests": `#!/bin/sh
case "$2" in
"^(TestQuick|TestSlow|TestThorough)$") printf '\trunning tests:\n\t\tTestQuick (5s)\n\t\tTestSlow/part (4s)\n'; exit 2 ;;
"^(TestThorough)$") echo "--- FAIL: TestThorough (0.00s)"; exit 1 ;;
esac`})}
	h.binary = filepath.Join(h.folder, "tests")
	require.NoError(t, os.Chmod(h.binary, 0o755))
	tests := []*test{{name: "TestQuick"}, {name: "TestSlow"}, {name: "TestThorough"}}
	for _, c := range []struct {
		tests []*test
		by    string
	}{{tests, "TestThorough"}, {tests[:2], ""}} {
		v := verdict{mutant: mutant{name: "a"}}
		err := h.catch(t.Context(), &v, c.tests)
		assert.True(t, err == nil && v.by == c.by, "%v: %v, %v", c.tests, v.by, err)
	}
}

// working returns a new folder with the files.
func working(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}
