package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"
)

// order turns an order round, or leaves one of its criteria out.
func (f *finder) order(n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	fn := f.source.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return
	}
	code := make([]string, len(call.Args))
	for i, a := range call.Args {
		code[i] = f.source.code(a)
	}
	switch fn.FullName() {
	case "cmp.Compare":
		f.add(call, "turned round", "cmp.Compare("+code[1]+", "+code[0]+")")
	case "cmp.Or":
		for i := range code {
			rest := slices.Delete(slices.Clone(code), i, i+1)
			f.add(call, "without "+short(code[i]), "cmp.Or("+strings.Join(rest, ", ")+")")
		}
	}
}

var (
	operators = map[token.Token]token.Token{
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.QUO,
	}
	assignments = map[token.Token]token.Token{token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN}
)

// arithmetic takes another operator, or a constant that is more or less by one.
func (f *finder) arithmetic(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if other, ok := operators[n.Op]; ok && f.varies(n) {
			f.add(n, other.String()+" for "+n.Op.String(), f.source.code(n.X)+" "+other.String()+" "+f.source.code(n.Y))
		}
	case *ast.UnaryExpr:
		if n.Op == token.SUB && f.varies(n) {
			f.add(n, "without the sign", f.source.code(n.X))
		}
	case *ast.AssignStmt:
		if other, ok := assignments[n.Tok]; ok && f.inBlock() && f.varies(n.Lhs[0]) {
			f.add(n, other.String()+" for "+n.Tok.String(), f.source.code(n.Lhs[0])+" "+other.String()+" "+f.source.code(n.Rhs[0]))
		}
	}
	if e, ok := n.(ast.Expr); ok {
		f.constant(e)
	}
}

// varies reports whether an expression is a number that is known at run time only.
func (f *finder) varies(e ast.Expr) bool {
	tv := f.source.info.Types[e]
	return tv.Value == nil && isNumber(tv.Type)
}

func isNumber(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// constant adds one to a constant, and takes one from it: a millisecond where it is a time.
func (f *finder) constant(e ast.Expr) {
	tv := f.source.info.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.Int || !isNumber(tv.Type) || !f.counts(e) {
		return
	}
	if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.CHAR {
		return
	}
	one := "1"
	switch f.source.typeOf(e) {
	case "time.Duration":
		one = "1000000"
	case "Trait", "rune", "int32":
		return // the name of something, or a rune
	}
	if v, exact := constant.Int64Val(tv.Value); !exact || v == math.MaxInt64 {
		return // there is no greater one
	}
	for _, m := range []*Mutant{f.add(e, "+"+one, f.source.code(e)+" + "+one), f.add(e, "-"+one, f.source.code(e)+" - "+one)} {
		if around, ok := f.parent().(ast.Expr); ok {
			m.Code = short(f.source.code(around)) + ": " + short(f.source.code(e))
		}
	}
}

// counts reports whether a constant is a number that decides: not part of a greater constant, nor of a sentence.
func (f *finder) counts(e ast.Expr) bool {
	switch above := f.parent().(type) {
	case ast.Expr:
		if tv := f.source.info.Types[above]; tv.Value != nil {
			return false
		}
		switch above := above.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.KeyValueExpr:
			return above.Value == e
		case *ast.CallExpr:
			return e != above.Fun && !f.saysSentence(above)
		}
	case *ast.CaseClause:
		return !slices.Contains(above.List, e)
	case *ast.ReturnStmt:
		return !f.source.fails(above)
	}
	return true
}

// saysSentence reports whether a call makes a text, where numbers are for people, or say how it is written.
func (f *finder) saysSentence(call *ast.CallExpr) bool {
	if fn := f.source.callee(call); fn != nil && (fn.Pkg().Path() == "fmt" || fn.Pkg().Path() == "strconv") {
		return true
	}
	name, ok := call.Fun.(*ast.Ident)
	return ok && slices.Contains([]string{"when", "doubt", "report"}, name.Name)
}

// inBlock reports whether the statement that is being looked at is one of a block, which can be another.
func (f *finder) inBlock() bool {
	switch f.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	}
	return false
}
