package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// finder finds the mutants of a file.
type finder struct {
	source *source
	at     map[ast.Node]*site

	function string     // that is being looked at, or a variable of the package
	above    []ast.Node // the nodes around the one that is being looked at, the nearest last
}

// find looks at every function, and at every variable of the package.
func (f *finder) find() {
	for _, decl := range f.source.file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			f.function = nameOf(d)
			if d.Body != nil {
				f.walk(d.Body)
			}
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				value := spec.(*ast.ValueSpec)
				f.function = value.Names[0].Name
				for _, v := range value.Values {
					f.walk(v)
				}
			}
		}
	}
}

// nameOf is a function's name, with the type where it is a method.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	receiver := d.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	return receiver.(*ast.Ident).Name + "." + d.Name.Name
}

// walk looks at the node and at all below it.
func (f *finder) walk(root ast.Node) {
	f.above = nil
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			f.above = f.above[:len(f.above)-1]
			return true
		}
		if skipped(n) {
			return false
		}
		f.logic(n)
		f.writes(n)
		f.order(n)
		if f.source.dir == rules {
			f.arithmetic(n)
		}
		f.above = append(f.above, n)
		return true
	})
}

// skipped reports whether nothing below the node can be another at run time: constants and types.
func skipped(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.VAR
	case *ast.ArrayType, *ast.FuncType, *ast.StructType, *ast.MapType, *ast.InterfaceType:
		return true
	}
	return false
}

// parent is the node around the one that is being looked at; nil at the top.
func (f *finder) parent() ast.Node {
	if len(f.above) == 0 {
		return nil
	}
	return f.above[len(f.above)-1]
}

// chain returns the operands of a chain of one operator, as in a && b && c, in their order; none where the expression
// is only a part of one.
func (f *finder) chain(n *ast.BinaryExpr) []ast.Expr {
	if above, ok := f.parent().(*ast.BinaryExpr); ok && above.Op == n.Op {
		return nil
	}
	var operands []ast.Expr
	var collect func(e ast.Expr)
	collect = func(e ast.Expr) {
		if b, ok := e.(*ast.BinaryExpr); ok && b.Op == n.Op {
			collect(b.X)
			collect(b.Y)
			return
		}
		operands = append(operands, e)
	}
	collect(n)
	return operands
}

// add adds a mutant: after in the place of the node. Where another operator has made the same, that is returned.
func (f *finder) add(n ast.Node, operator, after string) *Mutant {
	s := f.at[n]
	if s == nil {
		_, statement := n.(ast.Stmt)
		s = &site{source: f.source, node: n, function: f.function, statement: statement}
		f.at[n] = s
	}
	for _, m := range s.mutants {
		if m.after == after {
			return m
		}
	}
	m := &Mutant{
		Name: Name{File: f.source.path, Function: f.function, Operator: operator, Code: short(f.source.code(n))},
		site: s, after: after,
	}
	s.mutants = append(s.mutants, m)
	return m
}

// short is code on one line, cut where it is long.
func short(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if runes := []rune(code); len(runes) > mostCode {
		code = string(runes[:mostCode-1]) + "…"
	}
	return code
}

// ofModule reports whether a function is one of this module's.
func ofModule(fn *types.Func) bool {
	return fn != nil && fn.Pkg() != nil && strings.HasPrefix(fn.Pkg().Path(), "github.com/ranch-game/ranch/")
}
