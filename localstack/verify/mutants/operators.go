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

// finder finds the mutants of a file.
type finder struct {
	source   *source
	at       map[ast.Node]*site
	function string     // the function or package variable around the current node
	above    []ast.Node // the nodes around the current one, the nearest last
}

// walk visits root and all nodes below it, except constants and types, and adds the mutants of each node.
func (f *finder) walk(root ast.Node) {
	ast.PreorderStack(root, nil, func(n ast.Node, above []ast.Node) bool {
		f.above = above
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok != token.VAR {
				return false
			}
		case *ast.ArrayType, *ast.FuncType, *ast.StructType, *ast.MapType, *ast.InterfaceType:
			return false
		}
		if !f.source.bounded {
			f.logic(n)
			f.calls(n)
			if !f.inStore() {
				f.arithmetic(n)
			}
		}
		if e, ok := n.(ast.Expr); ok {
			f.bounds(e)
		}
		return true
	})
}

// inStore reports whether the source is the store's. The store mostly passes on errors of the table and computes
// little, so it gets fewer mutants.
func (f *finder) inStore() bool { return f.source.dir == "shared/store" }

// parent returns the syntax node directly around the current node, or nil at the top.
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

// inBlock reports whether the current statement is in a block. Only there can another statement replace it.
func (f *finder) inBlock() bool {
	switch f.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause:
		return true
	}
	return false
}

// add adds a mutant in which the code after replaces the node n. The mutant's name contains the code of context. If n
// already has a mutant with the same code, add does nothing.
func (f *finder) add(n ast.Node, operator, after string, context ast.Node) {
	s := f.at[n]
	if s == nil {
		s = &site{node: n}
		f.at[n] = s
	}
	if slices.ContainsFunc(s.mutants, func(m *mutant) bool { return m.after == after }) {
		return
	}
	s.mutants = append(s.mutants, &mutant{
		name:   path.Base(f.source.dir) + "." + f.function + ": " + operator + ": " + short(f.source.code(context)),
		source: f.source, path: f.source.path, site: s, after: after,
	})
}

// short is code on one line, cut after 100 characters.
func short(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if runes := []rune(code); len(runes) > 100 {
		code = string(runes[:99]) + "…"
	}
	return code
}

// logic adds mutants that change decisions. A condition never holds or is inverted, a term is left out, a comparison's
// boundary moves, a flag gets the other value, or min becomes max.
func (f *finder) logic(n ast.Node) {
	code := f.source.code
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
			if f.source.basic(e, types.IsBoolean) && !f.passesOn(e, nil) {
				f.condition(e)
			}
		}
	case *ast.BinaryExpr:
		f.terms(n)
		if other, ok := boundaries[n.Op]; ok {
			f.add(n, other.String()+" for "+n.Op.String(), code(n.X)+" "+other.String()+" "+code(n.Y), n)
		}
		f.invertValue(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.invertValue(n)
		}
	case *ast.Ident:
		f.flag(n)
	}
}

func (f *finder) condition(e ast.Expr) {
	f.add(e, "never", "false", e)
	f.add(e, "not", "!("+f.source.code(e)+")", e)
}

// errorName matches the usual names of error variables.
var errorName = regexp.MustCompile(`^(err|\w+Err)$`)

// passesOn reports whether a condition of the store only asks for a failure, to return it to the caller. Such a
// condition is no guard: the table has failed, or a record cannot be read. An error from a function of the rules is a
// refusal, so a condition on it gets mutants.
func (f *finder) passesOn(e ast.Expr, init ast.Stmt) bool {
	if assign, ok := init.(*ast.AssignStmt); ok && len(assign.Rhs) == 1 {
		if call, ok := assign.Rhs[0].(*ast.CallExpr); ok {
			if fn := f.source.callee(call); fn != nil && fn.Pkg() != nil && strings.HasSuffix(fn.Pkg().Path(), "shared/game") {
				return false
			}
		}
	}
	return f.inStore() && f.failed(e)
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

// terms adds a mutant for each term of a chain such as a && b && c. The mutant leaves that term out.
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
		f.add(n, "without "+short(f.source.code(term)), f.list(chain, i, " "+n.Op.String()+" "), n)
	}
}

// list returns the code of expressions without one of them.
func (f *finder) list(all []ast.Expr, without int, separator string) string {
	var rest []string
	for i, e := range all {
		if i != without {
			rest = append(rest, f.source.code(e))
		}
	}
	return strings.Join(rest, separator)
}

var boundaries = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}

// invertValue adds a mutant that inverts a truth value, such as a returned or stored value. It ignores a value that is
// a part of another expression with a truth value, or a condition.
func (f *finder) invertValue(e ast.Expr) {
	if !f.source.basic(e, types.IsBoolean) {
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
	f.add(e, "not", "!("+f.source.code(e)+")", e)
}

// flag adds a mutant for true or false if the code assigns it, or returns it without a failure. The mutant has the
// other value.
func (f *finder) flag(n *ast.Ident) {
	other := map[string]string{"true": "false", "false": "true"}[n.Name]
	above := f.parent()
	_, assigned := above.(*ast.AssignStmt)
	returned, isReturned := above.(*ast.ReturnStmt)
	if other != "" && (assigned || isReturned && !f.source.fails(returned)) {
		f.add(n, other+" for "+n.Name, other, above)
	}
}

// calls adds mutants that leave out a statement that calls this module's code or sorts something, reverse an order, or
// remove a criterion from an order. (Package wire drops the items of transactions.)
func (f *finder) calls(n ast.Node) {
	if statement, ok := n.(*ast.ExprStmt); ok && f.inBlock() {
		if call, ok := statement.X.(*ast.CallExpr); ok {
			if fn := f.source.callee(call); fn != nil && fn.Pkg() != nil && decides(fn) {
				f.add(n, "left out", "", n)
			}
		}
		return
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	fn := f.source.callee(call)
	if name, ok := call.Fun.(*ast.Ident); ok && fn == nil && (name.Name == "min" || name.Name == "max") {
		other := map[string]string{"min": "max", "max": "min"}[name.Name]
		f.add(n, other+" for "+name.Name, other+strings.TrimPrefix(f.source.code(n), name.Name), n)
	}
	switch {
	case fn == nil:
	case fn.FullName() == "cmp.Compare":
		f.add(n, "turned round", "cmp.Compare("+f.source.code(call.Args[1])+", "+f.source.code(call.Args[0])+")", n)
	case fn.FullName() == "cmp.Or":
		for i, criterion := range call.Args {
			f.add(n, "without "+short(f.source.code(criterion)), "cmp.Or("+f.list(call.Args, i, ", ")+")", n)
		}
	}
}

// decides reports whether a call affects decisions or stored values.
func decides(fn *types.Func) bool {
	if receiver := fn.Signature().Recv(); receiver != nil && strings.HasSuffix(receiver.Type().String(), "shared/store.transaction") {
		return false
	}
	pkg := fn.Pkg().Path()
	return pkg == "slices" || strings.HasPrefix(pkg, "github.com/ranch-game/ranch/") && !strings.HasSuffix(pkg, "shared/tally")
}

var (
	operators = map[token.Token]token.Token{
		token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.QUO,
	}
	assignments = map[token.Token]token.Token{token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN}
)

// arithmetic replaces an operator, or changes a constant by one.
func (f *finder) arithmetic(n ast.Node) {
	code := f.source.code
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if other, ok := operators[n.Op]; ok && f.source.basic(n, types.IsNumeric) {
			f.add(n, other.String()+" for "+n.Op.String(), code(n.X)+" "+other.String()+" "+code(n.Y), n)
		}
	case *ast.UnaryExpr:
		if n.Op == token.SUB && f.source.basic(n, types.IsNumeric) {
			f.add(n, "without the sign", code(n.X), n)
		}
	case *ast.AssignStmt:
		if other, ok := assignments[n.Tok]; ok && f.inBlock() && f.source.basic(n.Lhs[0], types.IsNumeric) {
			f.add(n, other.String()+" for "+n.Tok.String(), code(n.Lhs[0])+" "+other.String()+" "+code(n.Rhs[0]), n)
		}
	}
	if e, ok := n.(ast.Expr); ok {
		f.constant(e)
	}
}

// constant adds a mutant with a constant one larger and a mutant one smaller. For a time, one is a millisecond.
func (f *finder) constant(e ast.Expr) {
	tv := f.source.info.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.Int || !f.counts(e) {
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
		return // no greater one fits
	}
	code, context := f.source.code(e), f.around(e)
	f.add(e, code+"+"+one, code+" + "+one, context)
	f.add(e, code+"-"+one, code+" - "+one, context)
}

// bounds adds mutants that multiply or divide a duration or a limit by ten, or that remove an option from a call.
func (f *finder) bounds(e ast.Expr) {
	code, context := f.source.code(e), f.around(e)
	if option := f.option(e); option != nil {
		body := " {}"
		if option.Results().Len() > 0 {
			body = " { return nil }"
		}
		f.add(e, "without "+short(code), types.TypeString(option, f.source.qualifier)+body, context)
		return
	}
	tv := f.source.info.Types[e]
	if tv.Value == nil || constant.ToInt(tv.Value).Kind() != constant.Int || constant.Sign(tv.Value) == 0 || !f.counts(e) {
		return
	}
	_, factor := e.(*ast.BasicLit) // as in 2 * pause
	if duration := f.source.typeOf(e) == "time.Duration" && !factor; !duration && !f.limits(e) {
		return
	}
	bits := 8 * types.SizesFor("gc", "arm64").Sizeof(types.Default(tv.Type))
	if constant.BitLen(constant.BinaryOp(constant.ToInt(tv.Value), token.MUL, constant.MakeInt64(10))) < int(bits) {
		f.add(e, "ten times "+short(code), "("+code+") * 10", context)
	}
	f.add(e, "a tenth of "+short(code), "("+code+") / 10", context)
}

// option returns the type of a functional option, if e is one that the code passes to a call or puts into a list.
// Otherwise it returns nil.
func (f *finder) option(e ast.Expr) *types.Signature {
	var of types.Type
	switch above := f.parent().(type) {
	case *ast.CallExpr:
		called, ok := f.source.info.TypeOf(above.Fun).(*types.Signature)
		if ok && called.Variadic() && !above.Ellipsis.IsValid() && slices.Index(above.Args, e) >= called.Params().Len()-1 {
			of = called.Params().At(called.Params().Len() - 1).Type()
		}
	case *ast.CompositeLit:
		of = f.source.info.TypeOf(above)
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

// limits reports whether a constant is a limit. Either its own name says so, or the name of the field, the variable or
// the function that gets it.
func (f *finder) limits(e ast.Expr) (is bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		is = is || ok && limitName.MatchString(name.Name)
		return !is
	})
	for i := len(f.above) - 1; i >= 0 && !is; i-- {
		switch above := f.above[i].(type) {
		case *ast.CallExpr:
			if fn := f.source.callee(above); fn != nil && limitName.MatchString(fn.Name()) {
				return true
			}
		case *ast.KeyValueExpr:
			return limitName.MatchString(f.source.code(above.Key))
		case *ast.AssignStmt:
			return len(above.Lhs) == 1 && limitName.MatchString(f.source.code(above.Lhs[0]))
		default:
			return false
		}
	}
	return is
}

// counts reports whether a constant can get mutants. It cannot if it is part of a larger constant, of a text for
// people, or of a failure.
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
			return e != above.Fun && !f.writesText(above)
		}
	case *ast.CaseClause:
		return !slices.Contains(above.List, e)
	case *ast.ReturnStmt:
		return !f.source.fails(above)
	}
	return true
}

// writesText reports whether a call formats a text. Its values are then for people, and get no mutants.
func (f *finder) writesText(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return verb.MatchString(f.source.code(e)) })
}

var verb = regexp.MustCompile(`%[dsv]`)
