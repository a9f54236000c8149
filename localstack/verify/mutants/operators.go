package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
)

// finder finds the mutants of a file, and adds them to the source.
type finder struct {
	*source
	function string     // the function or package variable around the current node
	above    []ast.Node // the nodes around the current one, the nearest last
}

// walk visits all nodes of the file, except constants and types, and adds the mutants of each node.
func (f *finder) walk() {
	ast.PreorderStack(f.file, nil, func(n ast.Node, above []ast.Node) bool {
		f.above = above
		switch n := n.(type) {
		case *ast.FuncDecl:
			f.function = nameOf(n)
		case *ast.ValueSpec:
			if len(above) == 2 { // the file and the declaration
				f.function = n.Names[0].Name
			}
		case *ast.GenDecl:
			if n.Tok != token.VAR {
				return false
			}
		case *ast.ArrayType, *ast.FuncType, *ast.StructType, *ast.MapType, *ast.InterfaceType:
			return false
		}
		if !f.bounded {
			f.change(n)
		}
		if e, ok := n.(ast.Expr); ok {
			f.bounds(e)
		}
		return true
	})
}

// inStore reports whether the file belongs to package store. The store computes little, so it gets fewer mutants.
func (f *finder) inStore() bool { return f.dir == "shared/store" }

// parent returns the syntax node directly around the current node, or nil for the file.
func (f *finder) parent() ast.Node {
	if len(f.above) == 0 {
		return nil
	}
	return f.above[len(f.above)-1]
}

// around returns the expression directly around e. If there is none, it returns e.
func (f *finder) around(e ast.Expr) ast.Node {
	if around, ok := f.parent().(ast.Expr); ok {
		return around
	}
	return e
}

// inBlock reports whether the current statement is in a block, where another statement can replace it.
func (f *finder) inBlock() bool {
	switch f.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	}
	return false
}

// add adds a mutant in which the code after replaces the node n. The mutant's name has the operator, a short
// description of the change, and the code of context. If n already has a mutant with the same code, add does nothing.
func (f *finder) add(n ast.Node, operator, after string, context ast.Node) {
	if slices.ContainsFunc(f.mutants, func(m *mutant) bool { return m.node == n && m.after == after }) {
		return
	}
	f.mutants = append(f.mutants, &mutant{
		name:   path.Base(f.dir) + "." + f.function + ": " + operator + ": " + short(f.code(context)),
		source: f.source, path: f.path, node: n, after: after,
	})
}

// short returns code on one line, cut to 100 characters.
func short(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if runes := []rune(code); len(runes) > 100 {
		code = string(runes[:99]) + "…"
	}
	return code
}

// change adds mutants of decisions, calls and arithmetic. A condition never holds or is inverted. A term or a statement
// is left out. An operator or a flag is replaced by its counterpart. A constant changes by one.
func (f *finder) change(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		if !f.passesOn(n.Cond, n.Init) {
			f.condition(n.Cond)
		}
	case *ast.ForStmt:
		if n.Cond != nil {
			f.add(n.Cond, "never", "false", n.Cond)
		}
	case *ast.CaseClause:
		for _, e := range n.List {
			if f.basic(e, types.IsBoolean) && !f.passesOn(e, nil) {
				f.condition(e)
			}
		}
	case *ast.BinaryExpr:
		f.terms(n)
		f.operator(n, n, n.X, n.Op, n.Y)
		f.invertValue(n)
	case *ast.AssignStmt:
		if f.inBlock() {
			f.operator(n, n.Lhs[0], n.Lhs[0], n.Tok, n.Rhs[0])
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.invertValue(n)
		} else if n.Op == token.SUB && !f.inStore() && f.basic(n, types.IsNumeric) {
			f.add(n, "without the sign", f.code(n.X), n)
		}
	case *ast.Ident:
		f.flag(n)
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && f.inBlock() && f.decides(call) {
			f.add(n, "left out", "", n)
		}
	case *ast.CallExpr:
		f.call(n)
	}
	if e, ok := n.(ast.Expr); ok && !f.inStore() {
		f.constant(e)
	}
}

var (
	boundaries = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	arithmetic = map[token.Token]token.Token{
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.QUO,
		token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN,
	}
)

// operator adds a mutant of n with another operator between x and y. If the operator is arithmetic, it does so only for
// a number (of), and not in the store.
func (f *finder) operator(n ast.Node, of, x ast.Expr, operator token.Token, y ast.Expr) {
	other, ok := boundaries[operator]
	if !ok && !f.inStore() && f.basic(of, types.IsNumeric) {
		other, ok = arithmetic[operator]
	}
	if ok {
		f.add(n, other.String()+" for "+operator.String(), f.code(x)+" "+other.String()+" "+f.code(y), n)
	}
}

func (f *finder) condition(e ast.Expr) {
	f.add(e, "never", "false", e)
	f.add(e, "not", "!("+f.code(e)+")", e)
}

// errorName matches the usual names of error variables.
var errorName = regexp.MustCompile(`^(err|\w+Err)$`)

// passesOn reports whether a condition of the store only checks an error, to return the error to the caller. Such a
// condition is no guard: the table has failed, or a record cannot be read. An error of a function in package game is a
// refusal, so passesOn is false for a condition on it.
func (f *finder) passesOn(e ast.Expr, init ast.Stmt) bool {
	if assign, ok := init.(*ast.AssignStmt); ok && len(assign.Rhs) == 1 {
		if call, ok := assign.Rhs[0].(*ast.CallExpr); ok {
			if fn := f.callee(call); fn != nil && fn.Pkg() != nil && strings.HasSuffix(fn.Pkg().Path(), "shared/game") {
				return false
			}
		}
	}
	return f.inStore() && f.failed(e)
}

// failed reports whether an expression is `err != nil`, with a usual name of an error.
func (f *finder) failed(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ || !f.isError(b.X) {
		return false
	}
	name, ok := b.X.(*ast.Ident)
	return ok && errorName.MatchString(name.Name)
}

// terms adds a mutant for each term of a chain such as a && b && c, without this term.
func (f *finder) terms(n *ast.BinaryExpr) {
	above, part := f.parent().(*ast.BinaryExpr)
	if n.Op != token.LAND && n.Op != token.LOR || part && above.Op == n.Op {
		return
	}
	var chain []ast.Expr
	var collect func(e ast.Expr)
	collect = func(e ast.Expr) {
		if b, ok := e.(*ast.BinaryExpr); ok && b.Op == n.Op {
			collect(b.X)
			collect(b.Y)
			return
		}
		chain = append(chain, e)
	}
	collect(n)
	for i, term := range chain {
		if f.inStore() && f.failed(term) {
			continue
		}
		f.add(n, "without "+short(f.code(term)), f.list(chain, i, " "+n.Op.String()+" "), n)
	}
}

// list returns the code of all expressions but one, joined by the separator.
func (f *finder) list(all []ast.Expr, without int, separator string) string {
	var rest []string
	for i, e := range all {
		if i != without {
			rest = append(rest, f.code(e))
		}
	}
	return strings.Join(rest, separator)
}

// invertValue adds a mutant that inverts a boolean value, such as a returned or stored one. It ignores a condition, and
// a part of another boolean expression, which get mutants of their own.
func (f *finder) invertValue(e ast.Expr) {
	if !f.basic(e, types.IsBoolean) {
		return
	}
	switch above := f.parent().(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr, *ast.ParenExpr, *ast.IfStmt, *ast.ForStmt, *ast.CaseClause:
		return
	case *ast.CallExpr:
		if slices.Contains(above.Args, e) && f.callee(above) == nil {
			return // a conversion
		}
	}
	f.add(e, "not", "!("+f.code(e)+")", e)
}

// flag adds a mutant with the other value for true or false, if the code assigns it, or returns it without an error.
func (f *finder) flag(n *ast.Ident) {
	other := map[string]string{"true": "false", "false": "true"}[n.Name]
	above := f.parent()
	_, assigned := above.(*ast.AssignStmt)
	returned, isReturned := above.(*ast.ReturnStmt)
	if other != "" && (assigned || isReturned && !f.fails(returned)) {
		f.add(n, other+" for "+n.Name, other, above)
	}
}

// call adds mutants that reverse an order (cmp.Compare), remove a criterion of an order (cmp.Or), or swap min and max.
func (f *finder) call(call *ast.CallExpr) {
	fn := f.callee(call)
	if name, ok := call.Fun.(*ast.Ident); ok && fn == nil {
		if other := map[string]string{"min": "max", "max": "min"}[name.Name]; other != "" {
			f.add(call, other+" for "+name.Name, other+strings.TrimPrefix(f.code(call), name.Name), call)
		}
	}
	switch {
	case fn == nil:
	case fn.FullName() == "cmp.Compare":
		f.add(call, "turned round", "cmp.Compare("+f.code(call.Args[1])+", "+f.code(call.Args[0])+")", call)
	case fn.FullName() == "cmp.Or":
		for i, criterion := range call.Args {
			f.add(call, "without "+short(f.code(criterion)), "cmp.Or("+f.list(call.Args, i, ", ")+")", call)
		}
	}
}

// decides reports whether a call statement affects decisions or stored values: it calls package slices, or code of this
// repository other than package tally. Calls that add an item to a transaction do not count: package wire drops it.
func (f *finder) decides(call *ast.CallExpr) bool {
	fn := f.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return false
	}
	if receiver := fn.Signature().Recv(); receiver != nil && strings.HasSuffix(receiver.Type().String(), "shared/store.transaction") {
		return false
	}
	pkg := fn.Pkg().Path()
	return pkg == "slices" || strings.HasPrefix(pkg, "github.com/ranch-game/ranch/") && !strings.HasSuffix(pkg, "shared/tally")
}

// constant adds two mutants of a constant, one larger and one smaller. For a duration, one is a millisecond.
func (f *finder) constant(e ast.Expr) {
	tv := f.info.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.Int || !f.counts(e) {
		return
	}
	one := "1"
	switch f.typeOf(e) {
	case "time.Duration":
		one = "1000000"
	case "Trait", "rune", "int32":
		return // a constant that names something, or a rune
	}
	if v, exact := constant.Int64Val(tv.Value); !exact || v == math.MaxInt64 {
		return // a larger one does not fit
	}
	code, context := f.code(e), f.around(e)
	f.add(e, code+"+"+one, code+" + "+one, context)
	f.add(e, code+"-"+one, code+" - "+one, context)
}

// bounds adds ten times and a tenth of a duration or limit. For a functional option, it adds one without effect.
func (f *finder) bounds(e ast.Expr) {
	code, context := f.code(e), f.around(e)
	if option := f.option(e); option != nil {
		body := " {}"
		if option.Results().Len() > 0 {
			body = " { return nil }"
		}
		f.add(e, "without "+short(code), types.TypeString(option, f.qualifier)+body, context)
		return
	}
	tv := f.info.Types[e]
	if tv.Value == nil || constant.ToInt(tv.Value).Kind() != constant.Int || constant.Sign(tv.Value) == 0 || !f.counts(e) {
		return
	}
	_, factor := e.(*ast.BasicLit) // as in 2 * pause
	if duration := f.typeOf(e) == "time.Duration" && !factor; !duration && !f.limits(e) {
		return
	}
	bits := 8 * types.SizesFor("gc", "arm64").Sizeof(types.Default(tv.Type))
	if constant.BitLen(constant.BinaryOp(constant.ToInt(tv.Value), token.MUL, constant.MakeInt64(10))) < int(bits) {
		f.add(e, "ten times "+short(code), "("+code+") * 10", context)
	}
	f.add(e, "a tenth of "+short(code), "("+code+") / 10", context)
}

// option returns the type of e if e is a functional option, passed to a call or put into a list; otherwise nil.
func (f *finder) option(e ast.Expr) *types.Signature {
	var of types.Type
	switch above := f.parent().(type) {
	case *ast.CallExpr:
		called, ok := f.info.TypeOf(above.Fun).(*types.Signature)
		if ok && called.Variadic() && !above.Ellipsis.IsValid() && slices.Index(above.Args, e) >= called.Params().Len()-1 {
			of = called.Params().At(called.Params().Len() - 1).Type()
		}
	case *ast.CompositeLit:
		of = f.info.TypeOf(above)
	}
	all, ok := of.(*types.Slice)
	if !ok {
		return nil
	}
	option, ok := all.Elem().Underlying().(*types.Signature)
	if !ok || option.Params().Len() != 1 || option.Results().Len() > 1 || option.Results().Len() == 1 && option.Results().At(0).Type().String() != "error" {
		return nil
	}
	return option
}

// limitName matches the names of limits, and of functions that set a limit.
var limitName = regexp.MustCompile(`(^(limit|most|cap|patience|timeout|max)|Limit|Most|Cap|Patience|Timeout|Max)([A-Z]|$)`)

// limits reports whether limitName matches a constant's name, or the field, variable or function that gets it.
func (f *finder) limits(e ast.Expr) (is bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		is = is || ok && limitName.MatchString(name.Name)
		return !is
	})
	for i := len(f.above) - 1; i >= 0 && !is; i-- {
		switch above := f.above[i].(type) {
		case *ast.CallExpr:
			if fn := f.callee(above); fn != nil && limitName.MatchString(fn.Name()) {
				return true
			}
		case *ast.KeyValueExpr:
			return limitName.MatchString(f.code(above.Key))
		case *ast.AssignStmt:
			return len(above.Lhs) == 1 && limitName.MatchString(f.code(above.Lhs[0]))
		default:
			return false
		}
	}
	return is
}

// counts reports whether a constant gets mutants. It gets none if it is a part of a larger constant, a name, a case of
// a switch, a value in a formatted text, or a value beside a returned error.
func (f *finder) counts(e ast.Expr) bool {
	switch above := f.parent().(type) {
	case ast.Expr:
		if tv := f.info.Types[above]; tv.Value != nil {
			return false
		}
		switch above := above.(type) {
		case *ast.SelectorExpr:
			return false
		case *ast.KeyValueExpr:
			return above.Value == e
		case *ast.CallExpr:
			return e != above.Fun && !f.writesText(above)
		}
	case *ast.CaseClause:
		return !slices.Contains(above.List, e)
	case *ast.ReturnStmt:
		return !f.fails(above)
	}
	return true
}

// writesText reports whether a call formats a text: it has an argument with a verb such as %d.
func (f *finder) writesText(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return verb.MatchString(f.code(e)) })
}

var verb = regexp.MustCompile(`%[dsv]`)
