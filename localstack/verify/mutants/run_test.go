package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	const survivor = "game.Pay: <= for <: balance < fee"
	out, failure := hunted()
	check("all", out, failure, "2 problems: mutants", "SURVIVES pay.next: a tenth of time.Minute: at.Add(time.Minute)\n", "SURVIVES "+survivor+"\n  shared/game/pay.go:4\n  - balance < fee\n  + balance <= fee\n  2 tests come by it",
		"Mutants of requests: 1 run, 1 caught, 0 excused, 0 survive", "Mutants of code: 7 run, 5 caught, 0 excused, 2 survive")
	verdicts, err := os.ReadFile(filepath.Join(root, ".build", "mutants", "verdicts.txt"))
	check("verdicts", string(verdicts), "", "", "shared/game/pay.go:4\tgame.Pay: never: balance < fee\tcaught by shared/game.TestPayTooMuch\n")
	assert.NoError(t, err)

	excuse("# Why.\n\nIt is the same.\n\t" + survivor + "\n\tgame.Pay: never: balance < fee\n\tgame.Gone: not: a\n")
	out, failure = hunted()
	check("excuses", out, failure, "3 problems: mutants", "EXCUSED, but caught by shared/game.TestPayTooMuch: game.Pay: never",
		"EXCUSED, but gone: game.Gone: not: a", "7 run, 5 caught, 1 excused, 1 survive")
	excuse("It is no sentence\n\ta\n")
	_, failure = hunted()
	assert.Contains(t, failure, "is no sentence")
}

// TestCatch checks that the remaining tests run if the first suspects pass alone.
func TestCatch(t *testing.T) {
	t.Parallel()
	s := &suite{root: working(t, map[string]string{"tests": `#!/bin/sh
case "$2" in
"^(TestQuick|TestSlow|TestThorough)$") printf '\trunning tests:\n\t\tTestQuick (5s)\n\t\tTestSlow/part (4s)\n'; exit 2 ;;
"^(TestThorough)$") echo "--- FAIL: TestThorough (0.00s)"; exit 1 ;;
esac`})}
	s.binary = filepath.Join(s.root, "tests")
	require.NoError(t, os.Chmod(s.binary, 0o755))
	tests := []*test{{suite: s, name: "TestQuick"}, {suite: s, name: "TestSlow"}, {suite: s, name: "TestThorough"}}
	for _, c := range []struct {
		tests []*test
		by    *test
	}{{tests, tests[2]}, {tests[:2], nil}} {
		v := verdict{mutant: &mutant{name: "a"}}
		err := (&hunt{noticed: map[string]bool{}}).catch(t.Context(), &v, c.tests)
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

// TestOperators checks the mutants of one function each.
func TestOperators(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		dir, code string
		want      []string // operator: after
	}{
		"a condition": {"shared/store", `func F(a, b int, ok bool) int { if a < b && ok { return 1 }; return 0 }`, []string{
			"never: false", "not: !(a < b && ok)", "without a < b: ok", "without ok: a < b", "<= for <: a <= b",
		}},
		"a case": {"shared/store", `func F(a int) bool { switch { case a == 1: return true }; return false }`, []string{
			"never: false", "not: !(a == 1)", "false for true: false", "true for false: true",
		}},
		"a case of values":           {"shared/store", `func F(a int) int { switch a { case 1: return 2 }; return 3 }`, nil},
		"a value":                    {"shared/store", `func F(a int) bool { return a == 1 }`, []string{"not: !(a == 1)"}},
		"an error that is passed on": {"shared/store", `func F(err error) error { if err != nil { return err }; return nil }`, nil},
		"an error of the rules":      {"shared/game", `func F(err error) error { if err != nil { return err }; return nil }`, []string{"never: false", "not: !(err != nil)"}},
		"a refusal": {"shared/store", `func F(refusal error) error { if refusal != nil { return refusal }; return nil }`, []string{
			"never: false", "not: !(refusal != nil)",
		}},
		"a loop": {"shared/store", `func F(a int) { for a > 0 { a = -a } }`, []string{"never: false", ">= for >: a >= 0"}},
		"arithmetic": {"shared/game", `func F(a, b int64) int64 { b *= a; return -a - b + 5 }`, []string{
			"/= for *=: b /= a", "- for +: -a - b - 5", "+ for -: -a + b", "without the sign: a", "5+1: 5 + 1", "5-1: 5 - 1",
		}},
		"no arithmetic":   {"shared/store", `func F(a, b int64) int64 { return a - b + 5 }`, nil},
		"a constant":      {"shared/game", `const C = 1; func F() int { return C }`, []string{"C+1: C + 1", "C-1: C - 1"}},
		"a text":          {"shared/game", "import \"fmt\"\nfunc F() string { return fmt.Sprintf(\"%d\", 1) }", nil},
		"min":             {"shared/store", `func F(a int) int { return min(a, 1) }`, []string{"max for min: max(a, 1)"}},
		"a flag":          {"shared/store", `func F() (a bool) { a = true; return a }`, []string{"false for true: false"}},
		"beside an error": {"shared/store", `func F(err error) (bool, error) { return false, err }`, nil},
		"a duration": {"functions/f", "import \"time\"\nfunc F(d time.Duration) time.Duration { return 2*d + 5*time.Second }", []string{
			"ten times 5*time.Second: (5*time.Second) * 10", "a tenth of 5*time.Second: (5*time.Second) / 10",
		}},
		"a limit": {"functions/f", `type G struct{ Limit int32 }; func (G) SetLimit(int) {}; func F(a, b int) G { G{}.SetLimit(b); G{}.SetLimit(7); return G{Limit: 4} }; func H(a int) bool { return a < mostAt && a > 6 }; const mostAt = 8`, []string{
			"ten times 7: (7) * 10", "a tenth of 7: (7) / 10", "ten times 4: (4) * 10", "a tenth of 4: (4) / 10",
			"ten times mostAt: (mostAt) * 10", "a tenth of mostAt: (mostAt) / 10",
		}},
		"a limit that has no tenfold": {"functions/f", `const limit = 1 << 62; func F(a int) bool { return a < limit }`, []string{"a tenth of limit: (limit) / 10"}},
		"an option": {"functions/f", `type O struct{}; func slow(*O) {}; func safe(*O) error { return nil }; func F(a func(*O), of ...func(*O)) { F(slow, slow); F(a, of...); _ = []func(*O) error{safe} }`, []string{
			"without slow: func(*O) {}", "without safe: func(*O) error { return nil }",
		}},
		"a call":  {"shared/store", `func F() { F() }`, []string{"left out: "}},
		"an item": {"shared/store", `type transaction struct{}; func (t *transaction) put(n int) {}; func F(t *transaction) { t.put(1) }`, nil},
		"an order": {"shared/store", "import \"cmp\"\nfunc F(a, b int) int { return cmp.Or(cmp.Compare(a, b), 1) }", []string{
			"without cmp.Compare(a, b): cmp.Or(1)", "without 1: cmp.Or(cmp.Compare(a, b))", "turned round: cmp.Compare(b, a)",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources, err := load(working(t, map[string]string{
				"go.mod": "module github.com/ranch-game/ranch\n\ngo 1.26\n", test.dir + "/a.go": "package a\n\n" + test.code,
			}), []string{"./" + test.dir})
			require.NoError(t, err)
			var got []string
			for _, m := range codeMutants(sources) {
				operator := strings.SplitN(m.name, ": ", 3)[1]
				got = append(got, fmt.Sprintf("%s: %s", operator, m.after))
			}
			assert.True(t, slices.Equal(got, test.want), "got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		})
	}
}

// TestExcusesAreOfTheCode checks that every excuse for the code is for an existing mutant. It runs no mutant.
func TestExcusesAreOfTheCode(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	sources, err := load(root, all)
	require.NoError(t, err)
	excuses, err := readExcuses(root)
	require.NoError(t, err)
	var out strings.Builder
	dirs := folders(sources)
	assert.Contains(t, dirs, "shared/client", "the module of shared/client has no mutants, but %v have", dirs)
	maps.DeleteFunc(excuses, func(name, _ string) bool {
		pkg, _, _ := strings.Cut(name, ".")
		return !slices.Contains(dirs, "shared/"+pkg) && !slices.Contains(dirs, "functions/"+pkg) // for a request
	})
	assert.True(t, reportFalse(&out, excuses, codeMutants(sources), nil) <= 0, out.String())
}
