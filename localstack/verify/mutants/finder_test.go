package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestMutants pins what becomes of pieces of code, by operator.
func TestMutants(t *testing.T) {
	t.Parallel()
	const transaction = `
type transaction struct{}
func (t *transaction) update(k, expression, condition string, values map[string]int, failure error) {}
func (t *transaction) create(item any, failure error) {}
func (t *transaction) put(item any, condition string, values map[string]int, failure error) {}
`
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
		"an error that is passed on": {"shared/store", `func F(err error) error { if err != nil { return err }; return nil }`, nil},
		"an error of the rules":      {"shared/game", `func F(err error) error { if err != nil { return err }; return nil }`, []string{"never: false", "not: !(err != nil)"}},
		"a refusal": {"shared/store", `func F(refusal error) error { if refusal != nil { return refusal }; return nil }`, []string{
			"never: false", "not: !(refusal != nil)",
		}},
		"arithmetic":      {"shared/game", `func F(a, b int64) int64 { return a - b + 5 }`, []string{"- for +: a - b - 5", "+ for -: a + b", "+1: 5 + 1", "-1: 5 - 1"}},
		"no arithmetic":   {"shared/store", `func F(a, b int64) int64 { return a - b + 5 }`, nil},
		"a constant":      {"shared/game", `const C = 1; func F() int { return C }`, []string{"+1: C + 1", "-1: C - 1"}},
		"min":             {"shared/store", `func F(a int) int { return min(a, 1) }`, []string{"max for min: max(a, 1)"}},
		"a flag":          {"shared/store", `func F() (a bool) { a = true; return a }`, []string{"false for true: false"}},
		"beside an error": {"shared/store", `func F(err error) (bool, error) { return false, err }`, nil},
		"an item": {"shared/store", transaction + `func F(t *transaction) { t.create(1, nil) }`, []string{
			`always: t.put(1, "", nil, nil)`, "left out: ",
		}},
		"a guard": {"shared/store", transaction + `func F(t *transaction) { t.update("k", "SET a = :a", "b = :b", nil, nil) }`, []string{
			"left out: ", `always: mutantAlways("b = :b")`, `not b = :b: "(NOT b = :b)"`,
		}},
		"terms": {"shared/store", `func F() string { return "a = :a AND (b > :b OR attribute_exists(c))" }`, []string{
			`without a = :a: "(` + always + ` OR a = :a) AND (b > :b OR attribute_exists(c))"`,
			`not a = :a: "(NOT a = :a) AND (b > :b OR attribute_exists(c))"`,
			`without b > :b: "a = :a AND ((` + never + ` AND b > :b) OR attribute_exists(c))"`,
			`not b > :b: "a = :a AND ((NOT b > :b) OR attribute_exists(c))"`,
			`>= for b > :b: "a = :a AND (b >= :b OR attribute_exists(c))"`,
			`without attribute_exists(c): "a = :a AND (b > :b OR (` + never + ` AND attribute_exists(c)))"`,
			`not attribute_exists(c): "a = :a AND (b > :b OR (NOT attribute_exists(c)))"`,
			`without (b > :b OR attribute_exists(c)): "a = :a AND (` + always + ` OR (b > :b OR attribute_exists(c)))"`,
		}},
		"an update's expression": {"shared/store", `func F() string { return "SET a = :a" }`, nil},
		"a read's condition":     {"shared/store", `func F() string { return "PK = :pk" }`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{
				"go.mod": "module github.com/ranch-game/ranch\n\ngo 1.26\n", "shared/game/doc.go": "package game\n", "shared/store/doc.go": "package store\n",
			}
			files[test.dir+"/a.go"] = "package " + strings.TrimPrefix(test.dir, "shared/") + "\n" + test.code + "\n"
			sources, err := load(repositoryOf(t, files))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range newCatalogue(sources).mutants {
				got = append(got, m.Operator+": "+m.after)
			}
			slices.Sort(got)
			slices.Sort(test.want)
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// A condition that cannot be taken away is no condition that nobody notices.
func TestEveryConditionIsSeen(t *testing.T) {
	t.Parallel()
	const write = "package store\n\ntype put struct{ ConditionExpression *string }\n\nfunc F(c string) put { return put{ConditionExpression: &c} }\n"
	sources, err := load(repositoryOf(t, map[string]string{
		"go.mod": "module github.com/ranch-game/ranch\n\ngo 1.26\n", "shared/game/doc.go": "package game\n", "shared/store/a.go": write,
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "shared/store/a.go: F: the condition &c") {
			t.Errorf("the finder said %s", said)
		}
	}()
	newCatalogue(sources)
}

// Two mutants never have one name, wherever they stand.
func TestNamesAreTheirOwn(t *testing.T) {
	t.Parallel()
	root := repositoryOf(t, map[string]string{
		"go.mod": "module github.com/ranch-game/ranch\n\ngo 1.26\n", "shared/store/doc.go": "package store\n",
		"shared/game/a.go": "package game\n\nfunc F(a, b bool) int {\n\tif a {\n\t\treturn 2\n\t}\n\tif a {\n\t\treturn 2\n\t}\n\treturn 3\n}\n",
	})
	sources, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Name]bool{}
	for _, m := range newCatalogue(sources).mutants {
		if seen[m.Name] {
			t.Errorf("%v twice", m.Name)
		}
		seen[m.Name] = true
	}
	if !seen[Name{"shared/game/a.go", "F", "never", "a #2"}] {
		t.Error(seen)
	}
}
