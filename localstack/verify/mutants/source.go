package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// packagesMutated are those whose code is changed, and whose own tests are to notice.
var packagesMutated = []string{"shared/game", "shared/store"}

// rules is the package whose arithmetic counts: gold, ranks, points and scores.
const rules = "shared/game"

// source is a file of production code, parsed and with its types.
type source struct {
	path string // from the repository's root, with slashes
	dir  string // the package's folder, as in packagesMutated
	file *ast.File
	fset *token.FileSet
	info *types.Info
	pkg  *types.Package
	text []byte
}

// load reads the packages' production code in the repository at root.
func load(root string) ([]*source, error) {
	patterns := make([]string, len(packagesMutated))
	for i, dir := range packagesMutated {
		patterns[i] = "./" + dir
	}
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
		for _, err := range p.Errors {
			errs = append(errs, err)
		}
		for _, file := range p.Syntax {
			name := p.Fset.Position(file.Package).Filename
			path, err := filepath.Rel(root, name)
			if err != nil {
				return nil, err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			path = filepath.ToSlash(path)
			sources = append(sources, &source{
				path: path, dir: filepath.ToSlash(filepath.Dir(path)), file: file, fset: p.Fset, info: p.TypesInfo, pkg: p.Types, text: text,
			})
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("the code does not compile: %w", err)
	}
	return sources, nil
}

// repository is the root of the working tree that the process runs in.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("there is no go.mod here or above")
		}
		dir = above
	}
}

func (s *source) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// code is the node as it stands in the file.
func (s *source) code(n ast.Node) string { return string(s.text[s.offset(n.Pos()):s.offset(n.End())]) }

// typeOf is the name of an expression's type as the file would write it.
func (s *source) typeOf(e ast.Expr) string {
	t := types.Default(s.info.TypeOf(e))
	return types.TypeString(t, func(p *types.Package) string {
		if p == s.pkg {
			return ""
		}
		return p.Name()
	})
}

// isError reports whether an expression is of the type error.
func (s *source) isError(e ast.Expr) bool {
	t := s.info.TypeOf(e)
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

// fails reports whether a return says that something has failed, or is not so, beside what else it returns.
func (s *source) fails(r *ast.ReturnStmt) bool {
	if len(r.Results) < 2 {
		return false
	}
	last := r.Results[len(r.Results)-1]
	return s.code(last) == "false" && !s.isBool(r.Results[0]) && s.code(r.Results[0]) != "true" || s.isError(last)
}

// isBool reports whether an expression is a truth value that is not a constant.
func (s *source) isBool(e ast.Expr) bool {
	tv, ok := s.info.Types[e]
	if !ok || tv.Value != nil || tv.Type == nil {
		return false
	}
	basic, ok := tv.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsBoolean != 0
}

// callee is the function or method that a call calls; nil where it is a value, a conversion or built in.
func (s *source) callee(call *ast.CallExpr) *types.Func {
	var name *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	default:
		return nil
	}
	f, _ := s.info.Uses[name].(*types.Func)
	return f
}

// onTransaction returns the name of the method where the call is one of a transaction in the making.
func (s *source) onTransaction(call *ast.CallExpr) string {
	f := s.callee(call)
	if f == nil {
		return ""
	}
	receiver := f.Signature().Recv()
	if receiver == nil || !strings.HasSuffix(receiver.Type().String(), "shared/store.transaction") {
		return ""
	}
	return f.Name()
}
