package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/types/typeutil"
)

// source is a parsed file of production code, with its types.
type source struct {
	path    string // relative to the repository's root, with slashes
	dir     string // the package's folder
	file    *ast.File
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	text    []byte
	bounded bool      // the file gets only mutants of durations, limits and options
	mutants []*mutant // in the order of their nodes in the file, outer nodes before inner ones
}

// load reads the production code of packages in the repository at root, and finds its mutants. It numbers them through
// all files, from 1. Packages whose names end with "test" get no mutants.
func load(root string, patterns []string) ([]*source, error) {
	loaded, err := packages.Load(&packages.Config{
		Dir:  root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	var sources []*source
	var errs []error
	for _, p := range loaded {
		if strings.HasSuffix(p.Name, "test") {
			continue
		}
		for _, err := range p.Errors {
			errs = append(errs, err)
		}
		for _, file := range p.Syntax {
			name := p.Fset.Position(file.Package).Filename
			path, pathErr := filepath.Rel(root, name)
			text, textErr := os.ReadFile(name)
			errs = append(errs, pathErr, textErr)
			path = filepath.ToSlash(path)
			dir := filepath.ToSlash(filepath.Dir(path))
			sources = append(sources, &source{
				path: path, dir: dir, file: file, fset: p.Fset, info: p.TypesInfo, pkg: p.Types, text: text, bounded: !slices.Contains(mutated, dir),
			})
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("the code does not compile: %w", err)
	}
	number := 0
	for _, s := range sources {
		f := finder{source: s}
		f.walk()
		slices.SortStableFunc(s.mutants, func(a, b *mutant) int {
			return cmp.Or(cmp.Compare(a.node.Pos(), b.node.Pos()), cmp.Compare(b.node.End(), a.node.End()))
		})
		seen := map[string]int{}
		for i, m := range s.mutants {
			number++
			m.number, m.site = number, number
			if i > 0 && s.mutants[i-1].node == m.node {
				m.site = s.mutants[i-1].site
			}
			if seen[m.name]++; seen[m.name] > 1 {
				m.name += fmt.Sprintf(" #%d", seen[m.name])
			}
		}
	}
	return slices.DeleteFunc(sources, func(s *source) bool { return s.bounded && len(s.mutants) == 0 }), nil
}

// nameOf returns a function's name, or a method's with its type, such as "Store.Claim".
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver, _, _ := strings.Cut(types.ExprString(d.Recv.List[0].Type), "[")
	return strings.TrimPrefix(receiver, "*") + "." + d.Name.Name
}

// functions returns the names of the file's functions and methods.
func (s *source) functions() (names []string) {
	for _, decl := range s.file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok {
			names = append(names, nameOf(d))
		}
	}
	return names
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// code returns the text of the node in the file.
func (s *source) code(n ast.Node) string { return string(s.text[s.offset(n.Pos()):s.offset(n.End())]) }

// typeOf returns the name of an expression's type, as the file would write it.
func (s *source) typeOf(e ast.Expr) string {
	return types.TypeString(types.Default(s.info.TypeOf(e)), s.qualifier)
}

func (s *source) qualifier(p *types.Package) string {
	if p == s.pkg {
		return ""
	}
	return p.Name()
}

// basic reports whether an expression has a basic type of the given kind, and is not constant.
func (s *source) basic(e ast.Expr, kind types.BasicInfo) bool {
	tv, ok := s.info.Types[e]
	if !ok || tv.Value != nil || tv.Type == nil {
		return false
	}
	basic, ok := tv.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&kind != 0
}

func (s *source) isError(e ast.Expr) bool {
	t := s.info.TypeOf(e)
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// fails reports whether the last of several returned values is an error, or is false after a value that is no boolean
// ("not found").
func (s *source) fails(r *ast.ReturnStmt) bool {
	if len(r.Results) < 2 {
		return false
	}
	first, last := r.Results[0], r.Results[len(r.Results)-1]
	return s.isError(last) || s.code(last) == "false" && !s.basic(first, types.IsBoolean) && s.code(first) != "true"
}

// callee returns the called function or method; nil for a function value, a conversion or a built-in function.
func (s *source) callee(call *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(s.info, call).(*types.Func)
	return f
}

// mutant is one change of the code, or of a request that the code sends.
type mutant struct {
	// name consists of the function and the change, as in
	//
	//	game.EntryRequest.Check: without !r.Show.Free(): !r.Show.Free() && r.Caller.GoldBalance < r.Show.EntryFee
	//	Store.Claim: Update USER#*/PROFILE: always ls = :seen
	name string
	path string // of the function's file, from the repository's root

	// Only for a change of the code:
	source *source
	node   ast.Node // an expression or a statement, which the mutant replaces
	after  string   // the code that replaces the node's
	number int
	site   int // the number of the first mutant of the same node
}

// chosen returns the value of the environment variable that switches the mutant on in a test's process.
func (m *mutant) chosen() string {
	if m.source == nil {
		return m.name
	}
	return strconv.Itoa(m.number)
}

// place returns the text that a test notes when it executes the mutant. All mutants of one node have the same place.
func (m *mutant) place() string {
	if m.source == nil {
		return m.name
	}
	return strconv.Itoa(m.site)
}

func (m *mutant) function() string {
	function, _, _ := strings.Cut(m.name, ": ")
	return function
}

// guard returns the mutant's name without the function.
func (m *mutant) guard() string { return strings.TrimPrefix(m.name, m.function()) }

// line returns the file of the mutant, with the line of a change of the code.
func (m *mutant) line() string {
	if m.source == nil {
		return m.path
	}
	return fmt.Sprintf("%s:%d", m.path, m.source.fset.Position(m.node.Pos()).Line)
}

func codeMutants(sources []*source) (mutants []*mutant) {
	for _, s := range sources {
		mutants = append(mutants, s.mutants...)
	}
	return mutants
}

// wireMutants returns the mutants of the requests that the tests send. The path of each is the file of the method in
// its name.
func wireMutants(tests []*test, sources []*source) (mutants []*mutant) {
	files := map[string]string{}
	for _, s := range sources {
		for _, function := range s.functions() {
			files[function] = s.path
			of, _, _ := strings.Cut(function, ".")
			files[of] = s.path // for a name without a method, a file of the type
		}
	}
	sent := map[string]bool{}
	for _, t := range tests {
		for place := range t.reaches {
			if _, err := strconv.Atoi(place); err != nil {
				sent[place] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		m := &mutant{name: name}
		m.path = files[m.function()]
		mutants = append(mutants, m)
	}
	return mutants
}
