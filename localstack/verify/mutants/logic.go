package main

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// logic finds what decides: the condition of an if, a case or a loop, which never holds or is inverted; each term of a
// condition, which is left out; each comparison, whose boundary moves; each flag, which is set to the other value; and
// min and max.
func (f *finder) logic(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		if !f.passesOn(n.Cond, n.Init) {
			f.condition(n.Cond)
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			f.add(n.Cond, "never", "false")
		}
	case *ast.CaseClause:
		if f.tagged() {
			return
		}
		for _, e := range n.List {
			if f.source.isBool(e) && !f.passesOn(e, nil) {
				f.condition(e)
			}
		}
	case *ast.BinaryExpr:
		f.terms(n)
		f.boundary(n)
		f.value(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.value(n)
		}
	case *ast.Ident:
		f.flag(n)
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && (name.Name == "min" || name.Name == "max") && f.source.callee(n) == nil {
			other := map[string]string{"min": "max", "max": "min"}[name.Name]
			f.add(n, other+" for "+name.Name, other+strings.TrimPrefix(f.source.code(n), name.Name))
		}
	}
}

// condition adds the mutants of a whole condition.
func (f *finder) condition(e ast.Expr) {
	f.add(e, "never", "false")
	f.add(e, "not", "!("+f.source.code(e)+")")
}

// tagged reports whether the case that is being looked at is one of values, not of conditions.
func (f *finder) tagged() bool {
	for _, n := range slices.Backward(f.above) {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			return n.Tag != nil
		case *ast.TypeSwitchStmt, *ast.SelectStmt:
			return true
		}
	}
	return true
}

// errorName is how errors are called that are on their way to the caller.
var errorName = regexp.MustCompile(`^(err|\w+Err)$`)

// passesOn reports whether a condition asks only whether something has failed, so as to pass that on. What fails there
// is the table, or a record that cannot be read: no guard, no refusal and no retry. In the rules every error is one,
// and so is what a function of theirs returns.
func (f *finder) passesOn(e ast.Expr, init ast.Stmt) bool {
	if f.source.dir == rules {
		return false
	}
	if assign, ok := init.(*ast.AssignStmt); ok && len(assign.Rhs) == 1 {
		if call, ok := assign.Rhs[0].(*ast.CallExpr); ok {
			if fn := f.source.callee(call); fn != nil && strings.HasSuffix(fn.Pkg().Path(), rules) {
				return false
			}
		}
	}
	return f.failed(e)
}

// failed reports whether an expression is `err != nil`.
func (f *finder) failed(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ || !f.source.isError(b.X) {
		return false
	}
	name, ok := b.X.(*ast.Ident)
	return ok && errorName.MatchString(name.Name)
}

// terms leaves each term of a chain out.
func (f *finder) terms(n *ast.BinaryExpr) {
	if n.Op != token.LAND && n.Op != token.LOR {
		return
	}
	chain := f.chain(n)
	for i, term := range chain {
		if f.source.dir != rules && f.failed(term) {
			continue
		}
		var rest []string
		for k, other := range chain {
			if k != i {
				rest = append(rest, f.source.code(other))
			}
		}
		f.add(n, "without "+short(f.source.code(term)), strings.Join(rest, " "+n.Op.String()+" "))
	}
}

var boundaries = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}

// boundary moves the boundary of a comparison by one.
func (f *finder) boundary(n *ast.BinaryExpr) {
	if other, ok := boundaries[n.Op]; ok {
		f.add(n, other.String()+" for "+n.Op.String(), f.source.code(n.X)+" "+other.String()+" "+f.source.code(n.Y))
	}
}

// value inverts a truth value that is not itself part of another, such as one that is returned or kept.
func (f *finder) value(e ast.Expr) {
	if !f.source.isBool(e) {
		return
	}
	switch above := f.parent().(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.ParenExpr, *ast.IfStmt, *ast.ForStmt, *ast.CaseClause:
		return
	case *ast.CallExpr:
		if slices.Contains(above.Args, e) && f.source.callee(above) == nil {
			return // a conversion
		}
	}
	f.add(e, "not", "!("+f.source.code(e)+")")
}

// flag gives a flag that is set, or an answer that is returned, the other value. What is returned beside an error is no
// answer.
func (f *finder) flag(n *ast.Ident) {
	other := map[string]string{"true": "false", "false": "true"}[n.Name]
	if other == "" {
		return
	}
	switch above := f.parent().(type) {
	case *ast.AssignStmt:
		f.add(n, other+" for "+n.Name, other).Code = short(f.source.code(above))
	case *ast.ReturnStmt:
		if !f.source.fails(above) {
			f.add(n, other+" for "+n.Name, other).Code = short(f.source.code(above))
		}
	}
}
