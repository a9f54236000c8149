package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/ranch-game/ranch/shared/store"
)

// An operation that is missing in these tables is one that nobody has seen in an outage, or knows the cost of.
func TestEveryOperationIsInTheTables(t *testing.T) {
	t.Parallel()
	tests := parseAll(t, "*_test.go", "../../localstack/kit/storetest/players.go")
	played, measured := reachable(tests, "reads", "writes"), reachable(tests, "TestBudget")
	var asked []string // by functions
	for _, file := range parseAll(t, "../../functions/*/handler.go") {
		ast.Inspect(file, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				for _, method := range i.Methods.List {
					asked = append(asked, method.Names[0].Name)
				}
			}
			return true
		})
	}
	var operations []string
	for method := range reflect.TypeFor[*store.Store]().Methods() {
		operations = append(operations, method.Name)
	}
	for method := range reflect.TypeFor[store.Operator]().Methods() {
		operations = append(operations, method.Name)
	}
	for _, name := range operations {
		switch {
		case name == "Fill": // which tests alone have
		case name == "Operator", name == "WithChance": // no operations: who has them
		case name == "DeleteRefreshRecord": // no transaction; TestLogoutSurvivesFaults
		case !played[name]:
			t.Errorf("%s is neither among the reads of outage_test.go nor the writes of writes_test.go", name)
		}
		if slices.Contains(asked, name) && !measured[name] {
			t.Errorf("%s is not measured by TestBudget", name)
		}
	}
}

func parseAll(t *testing.T, patterns ...string) (files []*ast.File) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	return files
}

// reachable returns the names of what the declarations of the given names use, of what these use, and so on. An
// exported method is used where it is called.
func reachable(files []*ast.File, names ...string) map[string]bool {
	declarations := map[string][]ast.Node{}
	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				declarations[d.Name.Name] = append(declarations[d.Name.Name], d.Body)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok {
						declarations[v.Names[0].Name] = append(declarations[v.Names[0].Name], v)
					}
				}
			}
		}
	}
	found := map[string]bool{}
	add := func(name string) {
		if !found[name] {
			found[name] = true
			names = append(names, name)
		}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if method, ok := n.Fun.(*ast.SelectorExpr); ok {
				add(method.Sel.Name)
			}
		case *ast.SelectorExpr:
			if !n.Sel.IsExported() {
				add(n.Sel.Name)
			}
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			add(n.Name)
		}
		return true
	}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		for _, d := range declarations[name] {
			ast.Inspect(d, visit)
		}
	}
	return found
}
