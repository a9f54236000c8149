package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// working returns a repository of the files.
func working(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestOperators holds what becomes of pieces of code.
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
		"a call":          {"shared/store", `func F() { F() }`, []string{"left out: "}},
		"an item":         {"shared/store", `type transaction struct{}; func (t *transaction) put(n int) {}; func F(t *transaction) { t.put(1) }`, nil},
		"an order": {"shared/store", "import \"cmp\"\nfunc F(a, b int) int { return cmp.Or(cmp.Compare(a, b), 1) }", []string{
			"without cmp.Compare(a, b): cmp.Or(1)", "without 1: cmp.Or(cmp.Compare(a, b))", "turned round: cmp.Compare(b, a)",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources, err := load(working(t, map[string]string{
				"go.mod": "module github.com/ranch-game/ranch\n\ngo 1.26\n", test.dir + "/a.go": "package a\n\n" + test.code,
			}), []string{test.dir})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range codeMutants(sources) {
				operator := strings.SplitN(m.name, ": ", 3)[1]
				got = append(got, fmt.Sprintf("%s: %s", operator, m.after))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestExcusesAreOfTheCode holds that no excuse is for a mutant of the code that is gone. It runs no mutant.
func TestExcusesAreOfTheCode(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := load(root, mutated)
	if err != nil {
		t.Fatal(err)
	}
	excuses, err := readExcuses(root)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	maps.DeleteFunc(excuses, func(name, _ string) bool {
		pkg, _, _ := strings.Cut(name, ".")
		return !slices.Contains(mutated, "shared/"+pkg) // of a request
	})
	if reportFalse(&out, excuses, codeMutants(sources)) > 0 {
		t.Error(out.String())
	}
}
