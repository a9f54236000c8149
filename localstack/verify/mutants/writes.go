package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// conditionAt is which argument of a transaction's method is the condition.
var conditionAt = map[string]int{"put": 1, "update": 2, "check": 1, "delete": 1}

// writes finds what is written and what guards it: each item of a transaction, which is left out; each condition of a
// write, which always holds; each term of a condition, which is left out, inverted, or whose boundary moves. It also
// leaves out calls of this module's functions that are statements of their own, but for what only counts.
func (f *finder) writes(n ast.Node) {
	switch n := n.(type) {
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && f.inBlock() {
			f.statement(n, call)
		}
	case *ast.CallExpr:
		if at, ok := conditionAt[f.source.onTransaction(n)]; ok && f.source.code(n.Args[at]) != `""` {
			f.add(n.Args[at], "always", "mutantAlways("+f.source.code(n.Args[at])+")")
		}
		if name, ok := n.Fun.(*ast.Ident); ok && fragment.MatchString(name.Name) && f.source.typeOf(n) == "string" {
			f.wholeTerm(n)
		}
	case *ast.KeyValueExpr:
		f.plainCondition(n)
	case *ast.BinaryExpr:
		f.operands(n)
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			f.literal(n)
		}
	}
}

func (f *finder) statement(n *ast.ExprStmt, call *ast.CallExpr) {
	fn := f.source.callee(call)
	switch {
	case fn == nil || fn.Pkg() == nil:
		return
	case fn.Pkg().Path() == "slices":
	case !ofModule(fn) || strings.HasSuffix(fn.Pkg().Path(), "shared/tally"):
		return
	}
	if f.source.onTransaction(call) == "create" && len(call.Args) == 2 {
		on := f.source.code(call.Fun.(*ast.SelectorExpr).X)
		f.add(n, "always", on+".put("+f.source.code(call.Args[0])+`, "", nil, `+f.source.code(call.Args[1])+")")
	}
	f.add(n, "left out", "")
}

// fragment is the name of functions that return a term, or several, of a condition.
var fragment = regexp.MustCompile(`(?i)asread$`)

// plainCondition is the condition of a write outside of a transaction. One of a form that nobody has thought of would
// be a guard that nothing takes away.
func (f *finder) plainCondition(n *ast.KeyValueExpr) {
	key, ok := n.Key.(*ast.Ident)
	if !ok || key.Name != "ConditionExpression" {
		return
	}
	call, ok := n.Value.(*ast.CallExpr)
	switch {
	case ok && len(call.Args) == 1 && f.source.code(call.Fun) == "aws.String":
		f.add(call.Args[0], "always", "mutantAlways("+f.source.code(call.Args[0])+")")
	case !strings.HasPrefix(f.function, "transaction."): // whose callers have the conditions
		panic(fmt.Sprintf("mutants: %s: %s: the condition %s is none of aws.String", f.source.path, f.function, f.source.code(n.Value)))
	}
}

// operands are the terms that a condition is put together from, where they are neither texts nor all that came before.
func (f *finder) operands(n *ast.BinaryExpr) {
	if n.Op != token.ADD || f.source.typeOf(n) != "string" {
		return
	}
	operands := f.chain(n)
	if !slices.ContainsFunc(operands, func(e ast.Expr) bool {
		text, ok := e.(*ast.BasicLit)
		return ok && len(termsIn(f.source.code(text))) > 0
	}) {
		return
	}
	for _, e := range operands {
		if name, ok := e.(*ast.Ident); ok && fragment.MatchString(name.Name) {
			f.wholeTerm(e)
		}
	}
}

func (f *finder) wholeTerm(e ast.Expr) {
	f.add(e, "without the term", "mutantAlways("+f.source.code(e)+")")
	f.add(e, "not", "mutantNot("+f.source.code(e)+")")
}

// literal mutates each term in a text that is a condition of a write, or a part of one.
func (f *finder) literal(n *ast.BasicLit) {
	text, err := strconv.Unquote(n.Value)
	if err != nil || otherExpression.MatchString(text) {
		return
	}
	for _, above := range f.above {
		if kv, ok := above.(*ast.KeyValueExpr); ok && (f.source.code(kv.Key) == "FilterExpression" || f.source.code(kv.Key) == "UpdateExpression") {
			return
		}
	}
	terms := termsIn(text)
	for _, t := range terms {
		replaced := func(by string) string { return strconv.Quote(text[:t.from] + by + text[t.to:]) }
		term := text[t.from:t.to]
		switch {
		case t.alternative:
			f.add(n, "without "+term, replaced("("+never+" AND "+term+")"))
		case len(terms) > 1 || text != term:
			f.add(n, "without "+term, replaced("("+always+" OR "+term+")"))
		case f.at[n] == nil: // else the whole condition always holds already
			f.add(n, "always", replaced("("+always+" OR "+term+")"))
		}
		if !t.group {
			f.add(n, "not "+term, replaced("(NOT "+term+")"))
		}
		if m := comparison.FindStringSubmatch(term); m != nil {
			if other := map[string]string{"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[m[2]]; other != "" {
				f.add(n, other+" for "+term, replaced(m[1]+other+m[3]))
			}
		}
	}
}

// always and never hold, or do not, whatever there is. A term that is left out stays beside one of them, since the
// table refuses a value that no expression uses.
const (
	always = "attribute_exists(PK) OR attribute_not_exists(PK)"
	never  = "attribute_exists(PK) AND attribute_not_exists(PK)"
)

var (
	// otherExpression begins an update, or the key condition of a read.
	otherExpression = regexp.MustCompile(`^(SET|ADD|REMOVE|DELETE) |^, |^PK = `)
	comparison      = regexp.MustCompile(`^([\w.]+ )(=|<>|<=|>=|<|>)( :\w+)$`)
	words           = regexp.MustCompile(`attribute_(?:not_)?exists\([^()]+\)|begins_with\([^()]+\)|[\w.]+ (?:=|<>|<=|>=|<|>) :\w+|\bAND\b|\bOR\b|[()]`)
)

// clause is a term of a condition: from..to in its text.
type clause struct {
	from, to    int
	group       bool // in parentheses
	alternative bool // of an OR, where leaving it out is that it never holds
}

// termsIn returns the terms in a condition, or in a part of one; none where a text is neither.
func termsIn(text string) []clause {
	var terms []clause
	type level struct{ first, opened int } // the first term of a group, and where it opens
	levels := []level{{0, -1}}
	var inGroup [][]int // the terms at each level
	inGroup = append(inGroup, nil)
	alternatives := func(indices []int, or bool) {
		for _, i := range indices {
			terms[i].alternative = or
		}
	}
	or := []bool{false}
	for _, at := range words.FindAllStringIndex(text, -1) {
		switch word := text[at[0]:at[1]]; word {
		case "AND":
		case "OR":
			or[len(or)-1] = true
		case "(":
			levels, inGroup, or = append(levels, level{len(terms), at[0]}), append(inGroup, nil), append(or, false)
		case ")":
			last := len(levels) - 1
			if last == 0 {
				continue // of a function's call that is put together elsewhere
			}
			alternatives(inGroup[last], or[last])
			opened := levels[last].opened
			levels, inGroup, or = levels[:last], inGroup[:last], or[:last]
			terms = append(terms, clause{from: opened, to: at[1], group: true})
			inGroup[last-1] = append(inGroup[last-1], len(terms)-1)
		default:
			terms = append(terms, clause{from: at[0], to: at[1]})
			inGroup[len(inGroup)-1] = append(inGroup[len(inGroup)-1], len(terms)-1)
		}
	}
	alternatives(inGroup[0], or[0])
	return terms
}
