package protocol

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

// Condition is a condition on the attributes of an item, such as a KeyConditionExpression or FilterExpression.
type Condition struct {
	operator   string // AND, OR, NOT; a comparison, BETWEEN, IN, or the name of a function
	conditions []*Condition
	operands   []operand
}

// operand is an attribute or a value.
type operand struct {
	path  []string
	value []byte // {"S": "..."}
}

// Unsupported is an expression that this package cannot evaluate.
type Unsupported struct{ What string }

func (u Unsupported) Error() string {
	return "the simulator does not support this while a transaction's items are hidden: " + u.What
}

// conjuncts returns the conditions that must all hold.
func (c *Condition) conjuncts() (all []*Condition) {
	if c.operator != "AND" {
		return []*Condition{c}
	}
	for _, one := range c.conditions {
		all = append(all, one.conjuncts()...)
	}
	return all
}

// Holds evaluates the condition for an item.
func (c *Condition) Holds(item []byte) (bool, error) {
	switch c.operator {
	case "AND", "OR":
		for _, one := range c.conditions {
			if is, err := one.Holds(item); err != nil || is == (c.operator == "OR") {
				return is, err
			}
		}
		return c.operator == "AND", nil
	case "NOT":
		is, err := c.conditions[0].Holds(item)
		return !is, err
	}
	values := make([][]byte, len(c.operands))
	for i, o := range c.operands {
		if values[i] = o.value; o.path != nil {
			values[i] = lookUp(item, o.path)
		}
	}
	switch c.operator {
	case "attribute_exists":
		return values[0] != nil, nil
	case "attribute_not_exists":
		return values[0] == nil, nil
	case "begins_with":
		return beginsWith(values[0], values[1])
	case "BETWEEN":
		least, err := ordered(values[0], ">=", values[1])
		if err != nil || !least {
			return false, err
		}
		return ordered(values[0], "<=", values[2])
	case "IN":
		for _, v := range values[1:] {
			if is, err := ordered(values[0], "=", v); is || err != nil {
				return is, err
			}
		}
		return false, nil
	}
	return ordered(values[0], c.operator, values[1])
}

// lookUp returns the value at a path of names, or nil.
func lookUp(item []byte, path []string) []byte {
	value := MemberOf(item, path[0])
	for _, name := range path[1:] {
		if value = MemberOf(value, "M"); value != nil {
			value = MemberOf(value, name)
		}
	}
	return value
}

// typed returns the type of a value and its content.
func typed(value []byte) (kind string, said []byte) {
	_ = Members(value, func(m Member) error {
		kind, said = m.Name, m.Value
		return nil
	})
	return kind, said
}

func beginsWith(value, prefix []byte) (bool, error) {
	if a, _ := typed(value); a != "S" {
		return false, nil
	}
	if b, _ := typed(prefix); b != "S" {
		return false, Unsupported{"begins_with for other than strings"}
	}
	v, errV := scalar(value)
	p, errP := scalar(prefix)
	return strings.HasPrefix(v, p), errors.Join(errV, errP)
}

// comparisons has the comparison operators. Each function gets the order of two values (negative, 0 or positive), and
// returns whether the comparison holds.
var comparisons = map[string]func(order int) bool{
	"=":  func(order int) bool { return order == 0 },
	"<>": func(order int) bool { return order != 0 },
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
}

// ordered evaluates the comparison "a operator b". Values of different types are unequal and have no order, and so is a
// missing value (nil).
func ordered(a []byte, operator string, b []byte) (bool, error) {
	kind, _ := typed(a)
	if other, _ := typed(b); kind != other || a == nil || b == nil {
		return operator == "<>", nil
	}
	order, err := CompareValues(a, b)
	return err == nil && comparisons[operator](order), err
}

// CompareValues compares two values of the same type. Strings and binaries are compared by their bytes, numbers by
// their value. The result is negative, 0 or positive.
func CompareValues(a, b []byte) (int, error) {
	kind, first := typed(a)
	_, second := typed(b)
	if kind == "BOOL" || kind == "NULL" {
		return bytes.Compare(first, second), nil
	}
	if kind != "S" && kind != "N" && kind != "B" {
		return 0, Unsupported{"comparing values of the type " + kind}
	}
	x, errX := Text(first)
	y, errY := Text(second)
	if err := errors.Join(errX, errY); err != nil {
		return 0, err
	}
	switch kind {
	case "N":
		m, okM := new(big.Rat).SetString(x)
		n, okN := new(big.Rat).SetString(y)
		if !okM || !okN {
			return 0, ErrSyntax
		}
		return m.Cmp(n), nil
	case "B":
		m, errM := base64.StdEncoding.DecodeString(x)
		n, errN := base64.StdEncoding.DecodeString(y)
		return bytes.Compare(m, n), errors.Join(errM, errN)
	}
	return strings.Compare(x, y), nil
}

// Expressions reads the expressions of one request.
type Expressions struct {
	Names, Placeholders []byte   // ExpressionAttributeNames, ExpressionAttributeValues
	tokens              []string // the rest of the expression
	err                 error    // the first error in it
}

// ExpressionsOf returns the reader of the expressions in the parameters.
func ExpressionsOf(parameters []byte) Expressions {
	return Expressions{Names: MemberOf(parameters, "ExpressionAttributeNames"), Placeholders: MemberOf(parameters, "ExpressionAttributeValues")}
}

var tokens = regexp.MustCompile(`<>|<=|>=|[#:]?[\w.#-]+|\S`)

// Condition reads an expression; "" gives nil.
func (e *Expressions) Condition(text string) (*Condition, error) {
	if text == "" {
		return nil, nil
	}
	e.tokens, e.err = tokens.FindAllString(text, -1), nil
	c := e.either()
	if len(e.tokens) > 0 {
		e.fail("the expression " + text)
	}
	return c, e.err
}

// fail notes an unsupported part, unless there was one before.
func (e *Expressions) fail(what string) {
	if e.err == nil {
		e.err = Unsupported{what}
	}
}

// next takes the next token; "" at the end.
func (e *Expressions) next() (token string) {
	if len(e.tokens) > 0 {
		token, e.tokens = e.tokens[0], e.tokens[1:]
	}
	return token
}

// took removes the next token and returns true if the token equals the given text, in upper or lower case.
func (e *Expressions) took(token string) bool {
	if len(e.tokens) > 0 && strings.EqualFold(e.tokens[0], token) {
		e.next()
		return true
	}
	return false
}

// want takes the given token.
func (e *Expressions) want(token string) {
	if !e.took(token) {
		e.fail(fmt.Sprintf("%q without %q", e.next(), token))
	}
}

func (e *Expressions) either() *Condition { return e.joined("OR", e.both) }

func (e *Expressions) both() *Condition { return e.joined("AND", e.one) }

func (e *Expressions) joined(operator string, one func() *Condition) *Condition {
	all := &Condition{operator: operator, conditions: []*Condition{one()}}
	for e.took(operator) {
		all.conditions = append(all.conditions, one())
	}
	if len(all.conditions) == 1 {
		return all.conditions[0]
	}
	return all
}

// functions are the supported functions, with the number of their operands.
var functions = map[string]int{"begins_with": 2, "attribute_exists": 1, "attribute_not_exists": 1}

func (e *Expressions) one() *Condition {
	switch {
	case e.took("NOT"):
		return &Condition{operator: "NOT", conditions: []*Condition{e.one()}}
	case e.took("("):
		c := e.either()
		e.want(")")
		return c
	case len(e.tokens) > 1 && e.tokens[1] == "(":
		c := &Condition{operator: e.next()}
		e.next()
		if c.operands = e.list(); functions[c.operator] != len(c.operands) {
			e.fail("the function " + c.operator)
		}
		return c
	}
	c := &Condition{operands: []operand{e.operand()}}
	c.operator = strings.ToUpper(e.next())
	switch {
	case comparisons[c.operator] != nil:
		c.operands = append(c.operands, e.operand())
	case c.operator == "BETWEEN":
		least := e.operand()
		e.want("AND")
		c.operands = append(c.operands, least, e.operand())
	case c.operator == "IN" && e.took("("):
		c.operands = append(c.operands, e.list()...)
	default:
		e.fail(fmt.Sprintf("the operator %q", c.operator))
	}
	return c
}

// list reads operands up to the closing parenthesis.
func (e *Expressions) list() []operand {
	all := []operand{e.operand()}
	for e.took(",") {
		all = append(all, e.operand())
	}
	e.want(")")
	return all
}

func (e *Expressions) operand() operand {
	token := e.next()
	if strings.HasPrefix(token, ":") {
		value := MemberOf(e.Placeholders, token)
		if value == nil {
			e.fail("the missing value " + token)
		}
		return operand{value: value}
	}
	return operand{path: e.path(token)}
}

var identifier = regexp.MustCompile(`^#?[\w-]+(\.#?[\w-]+)*$`)

// path resolves the placeholders of a path.
func (e *Expressions) path(text string) []string {
	if !identifier.MatchString(text) {
		e.fail(fmt.Sprintf("the path %q", text))
	}
	path := strings.Split(text, ".")
	for i, name := range path {
		if strings.HasPrefix(name, "#") {
			resolved, err := Text(MemberOf(e.Names, name))
			if err != nil {
				e.fail("the missing name " + name)
			}
			path[i] = resolved
		}
	}
	return path
}

// Projection is the part of an item that a read returns, by attribute. An attribute with a nil Projection is returned
// as a whole. A nil Projection returns the whole item.
type Projection map[string]Projection

// Projection reads a ProjectionExpression; "" keeps all.
func (e *Expressions) Projection(text string) (Projection, error) {
	if text == "" {
		return nil, nil
	}
	e.err = nil
	all := Projection{}
	for one := range strings.SplitSeq(text, ",") {
		path, at := e.path(strings.TrimSpace(one)), all
		for i, name := range path {
			switch {
			case i == len(path)-1:
				at[name] = nil
			case at[name] == nil:
				at[name] = Projection{}
			}
			at = at[name]
		}
	}
	return all, e.err
}

// Of returns the kept part of an object of attributes.
func (p Projection) Of(attributes []byte) ([]byte, error) {
	if p == nil {
		return attributes, nil
	}
	var kept []Member
	err := Members(attributes, func(m Member) error {
		inner, is := p[m.Name]
		if !is {
			return nil
		}
		if inner != nil {
			within := MemberOf(m.Value, "M")
			if within == nil {
				return nil
			}
			rest, err := inner.Of(within)
			if err != nil || string(rest) == "{}" {
				return err
			}
			m.Value = Object(Named("M", rest))
		}
		kept = append(kept, m)
		return nil
	})
	return Object(kept...), err
}
