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

// Condition is an expression over an item, as KeyConditionExpression and FilterExpression have it.
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

// Unsupported is what this package cannot evaluate.
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

// lookUp returns the value at a path of names; nil if there is none.
func lookUp(item []byte, path []string) []byte {
	value := MemberOf(item, path[0])
	for _, name := range path[1:] {
		if value = MemberOf(value, "M"); value != nil {
			value = MemberOf(value, name)
		}
	}
	return value
}

// typed returns the type of a value and what it says.
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

// comparisons are the operators with what they say of the order of two values.
var comparisons = map[string]func(order int) bool{
	"=":  func(order int) bool { return order == 0 },
	"<>": func(order int) bool { return order != 0 },
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
}

// ordered evaluates a comparison. Values of different types, and one that is absent, differ and have no order.
func ordered(a []byte, operator string, b []byte) (bool, error) {
	kind, _ := typed(a)
	if other, _ := typed(b); kind != other || a == nil || b == nil {
		return operator == "<>", nil
	}
	order, err := CompareValues(a, b)
	return err == nil && comparisons[operator](order), err
}

// CompareValues compares two values of one type: strings and binaries by their bytes, numbers by what they are.
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
	tokens              []string // what is left of the expression
}

// ExpressionsOf returns the reader of the expressions that the parameters have.
func ExpressionsOf(parameters []byte) Expressions {
	return Expressions{Names: MemberOf(parameters, "ExpressionAttributeNames"), Placeholders: MemberOf(parameters, "ExpressionAttributeValues")}
}

var tokens = regexp.MustCompile(`<>|<=|>=|[#:]?[\w.#-]+|\S`)

// Condition reads an expression; "" is none.
func (e *Expressions) Condition(text string) (*Condition, error) {
	if text == "" {
		return nil, nil
	}
	e.tokens = tokens.FindAllString(text, -1)
	c, err := e.either()
	if err == nil && len(e.tokens) > 0 {
		err = Unsupported{"the expression " + text}
	}
	return c, err
}

// next takes the next token; "" at the end.
func (e *Expressions) next() (token string) {
	if len(e.tokens) > 0 {
		token, e.tokens = e.tokens[0], e.tokens[1:]
	}
	return token
}

// took takes the next token if it is the given one, in any case.
func (e *Expressions) took(token string) bool {
	if len(e.tokens) > 0 && strings.EqualFold(e.tokens[0], token) {
		e.next()
		return true
	}
	return false
}

func (e *Expressions) either() (*Condition, error) { return e.joined("OR", e.both) }

func (e *Expressions) both() (*Condition, error) { return e.joined("AND", e.one) }

func (e *Expressions) joined(operator string, one func() (*Condition, error)) (*Condition, error) {
	first, err := one()
	if err != nil {
		return nil, err
	}
	all := &Condition{operator: operator, conditions: []*Condition{first}}
	for e.took(operator) {
		next, err := one()
		if err != nil {
			return nil, err
		}
		all.conditions = append(all.conditions, next)
	}
	if len(all.conditions) == 1 {
		return first, nil
	}
	return all, nil
}

// functions are those that can be evaluated, with the number of their operands.
var functions = map[string]int{"begins_with": 2, "attribute_exists": 1, "attribute_not_exists": 1}

func (e *Expressions) one() (*Condition, error) {
	if e.took("NOT") {
		c, err := e.one()
		return &Condition{operator: "NOT", conditions: []*Condition{c}}, err
	}
	if e.took("(") {
		c, err := e.either()
		if err == nil && !e.took(")") {
			err = Unsupported{"operands in parentheses"}
		}
		return c, err
	}
	if len(e.tokens) > 1 && e.tokens[1] == "(" {
		name := e.next()
		e.next()
		operands, err := e.list()
		if err == nil && functions[name] != len(operands) {
			err = Unsupported{"the function " + name}
		}
		return &Condition{operator: name, operands: operands}, err
	}
	first, err := e.operand()
	if err != nil {
		return nil, err
	}
	c := &Condition{operator: strings.ToUpper(e.next()), operands: []operand{first}}
	var rest []operand
	switch {
	case comparisons[c.operator] != nil:
		rest = make([]operand, 1)
		rest[0], err = e.operand()
	case c.operator == "BETWEEN":
		rest = make([]operand, 2)
		if rest[0], err = e.operand(); err == nil && !e.took("AND") {
			err = Unsupported{"BETWEEN without AND"}
		}
		if err == nil {
			rest[1], err = e.operand()
		}
	case c.operator == "IN" && e.took("("):
		rest, err = e.list()
	default:
		err = Unsupported{fmt.Sprintf("the operator %q", c.operator)}
	}
	c.operands = append(c.operands, rest...)
	return c, err
}

// list reads operands up to the closing parenthesis.
func (e *Expressions) list() (all []operand, err error) {
	for {
		o, err := e.operand()
		if err != nil {
			return nil, err
		}
		all = append(all, o)
		if e.took(")") {
			return all, nil
		}
		if !e.took(",") {
			return nil, Unsupported{"this list of operands"}
		}
	}
}

func (e *Expressions) operand() (operand, error) {
	token := e.next()
	if strings.HasPrefix(token, ":") {
		value := MemberOf(e.Placeholders, token)
		if value == nil {
			return operand{}, Unsupported{"the missing value " + token}
		}
		return operand{value: value}, nil
	}
	path, err := e.path(token)
	if err == nil && len(e.tokens) > 0 && (e.tokens[0] == "(" || e.tokens[0] == "[") {
		err = Unsupported{token + e.tokens[0]}
	}
	return operand{path: path}, err
}

var identifier = regexp.MustCompile(`^#?[\w-]+(\.#?[\w-]+)*$`)

// path resolves the placeholders of a path.
func (e *Expressions) path(text string) ([]string, error) {
	if !identifier.MatchString(text) {
		return nil, Unsupported{fmt.Sprintf("the path %q", text)}
	}
	path := strings.Split(text, ".")
	for i, name := range path {
		if name[0] == '#' {
			resolved, err := Text(MemberOf(e.Names, name))
			if err != nil {
				return nil, Unsupported{"the missing name " + name}
			}
			path[i] = resolved
		}
	}
	return path, nil
}

// Projection has what is kept of an item: the whole of an attribute if it has no members. A nil one keeps all.
type Projection map[string]Projection

// Projection reads a ProjectionExpression; "" keeps all.
func (e *Expressions) Projection(text string) (Projection, error) {
	if text == "" {
		return nil, nil
	}
	all := Projection{}
	for one := range strings.SplitSeq(text, ",") {
		path, err := e.path(strings.TrimSpace(one))
		if err != nil {
			return nil, err
		}
		at := all
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
	return all, nil
}

// Of returns what is kept of an object of attributes.
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
