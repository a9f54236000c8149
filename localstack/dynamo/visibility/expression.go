package visibility

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// condition is an expression over an item, as KeyConditionExpression and FilterExpression have it.
type condition struct {
	operator   string // AND, OR, NOT; a comparison, BETWEEN, IN, or the name of a function
	conditions []*condition
	operands   []operand
}

// operand is an attribute or a value.
type operand struct {
	path  []string
	value []byte // {"S": "..."}
}

// unsupported is what this package cannot evaluate.
type unsupported struct{ what string }

func (u unsupported) Error() string {
	return "visibility: not supported while a transaction's items are hidden: " + u.what
}

// conjuncts returns the conditions that must all hold.
func (c *condition) conjuncts() (all []*condition) {
	if c.operator != "AND" {
		return []*condition{c}
	}
	for _, one := range c.conditions {
		all = append(all, one.conjuncts()...)
	}
	return all
}

// holds evaluates the condition for an item.
func (c *condition) holds(item []byte) (bool, error) {
	switch c.operator {
	case "AND", "OR":
		for _, one := range c.conditions {
			if is, err := one.holds(item); err != nil || is == (c.operator == "OR") {
				return is, err
			}
		}
		return c.operator == "AND", nil
	case "NOT":
		is, err := c.conditions[0].holds(item)
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
	value := protocol.MemberOf(item, path[0])
	for _, name := range path[1:] {
		if value = protocol.MemberOf(value, "M"); value != nil {
			value = protocol.MemberOf(value, name)
		}
	}
	return value
}

// typed returns the type of a value and what it says.
func typed(value []byte) (kind string, said []byte) {
	_ = protocol.Members(value, func(m protocol.Member) error {
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
		return false, unsupported{"begins_with for other than strings"}
	}
	v, err := protocol.KeyValue(value)
	if err != nil {
		return false, err
	}
	p, err := protocol.KeyValue(prefix)
	return strings.HasPrefix(v, p), err
}

// ordered evaluates a comparison. Values of different types, and one that is absent, differ and have no order.
func ordered(a []byte, operator string, b []byte) (bool, error) {
	kind, _ := typed(a)
	if other, _ := typed(b); kind != other || a == nil || b == nil {
		return operator == "<>", nil
	}
	c, err := compareValues(a, b)
	if err != nil {
		return false, err
	}
	switch operator {
	case "=":
		return c == 0, nil
	case "<>":
		return c != 0, nil
	case "<":
		return c < 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	}
	return c >= 0, nil
}

// compareValues compares two values of one type: strings and binaries by their bytes, numbers by what they are.
func compareValues(a, b []byte) (int, error) {
	kind, first := typed(a)
	_, second := typed(b)
	if kind == "BOOL" || kind == "NULL" {
		return bytes.Compare(first, second), nil
	}
	if kind != "S" && kind != "N" && kind != "B" {
		return 0, unsupported{"comparing values of the type " + kind}
	}
	x, errX := protocol.Text(first)
	y, errY := protocol.Text(second)
	if err := errors.Join(errX, errY); err != nil {
		return 0, err
	}
	switch kind {
	case "N":
		m, okM := new(big.Rat).SetString(x)
		n, okN := new(big.Rat).SetString(y)
		if !okM || !okN {
			return 0, protocol.ErrSyntax
		}
		return m.Cmp(n), nil
	case "B":
		m, errM := base64.StdEncoding.DecodeString(x)
		n, errN := base64.StdEncoding.DecodeString(y)
		return bytes.Compare(m, n), errors.Join(errM, errN)
	}
	return strings.Compare(x, y), nil
}

// expressions reads expressions of one request.
type expressions struct {
	names, values []byte   // ExpressionAttributeNames, ExpressionAttributeValues
	tokens        []string // what is left of the expression
}

var tokens = regexp.MustCompile(`<>|<=|>=|[#:]?[\w.#-]+|\S`)

// condition reads an expression.
func (e *expressions) condition(text string) (*condition, error) {
	e.tokens = tokens.FindAllString(text, -1)
	c, err := e.either()
	if err == nil && len(e.tokens) > 0 {
		err = unsupported{"the expression " + text}
	}
	return c, err
}

// next takes the next token; "" at the end.
func (e *expressions) next() (token string) {
	if len(e.tokens) > 0 {
		token, e.tokens = e.tokens[0], e.tokens[1:]
	}
	return token
}

// took takes the next token if it is the given one, in any case.
func (e *expressions) took(token string) bool {
	if len(e.tokens) > 0 && strings.EqualFold(e.tokens[0], token) {
		e.next()
		return true
	}
	return false
}

func (e *expressions) either() (*condition, error) { return e.joined("OR", e.both) }

func (e *expressions) both() (*condition, error) { return e.joined("AND", e.one) }

func (e *expressions) joined(operator string, one func() (*condition, error)) (*condition, error) {
	first, err := one()
	if err != nil {
		return nil, err
	}
	all := &condition{operator: operator, conditions: []*condition{first}}
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

func (e *expressions) one() (*condition, error) {
	if e.took("NOT") {
		c, err := e.one()
		return &condition{operator: "NOT", conditions: []*condition{c}}, err
	}
	if e.took("(") {
		c, err := e.either()
		if err == nil && !e.took(")") {
			err = unsupported{"operands in parentheses"}
		}
		return c, err
	}
	if len(e.tokens) > 1 && e.tokens[1] == "(" {
		name := e.next()
		e.next()
		operands, err := e.list()
		if err == nil && functions[name] != len(operands) {
			err = unsupported{"the function " + name}
		}
		return &condition{operator: name, operands: operands}, err
	}
	first, err := e.operand()
	if err != nil {
		return nil, err
	}
	c := &condition{operator: strings.ToUpper(e.next()), operands: []operand{first}}
	switch c.operator {
	case "=", "<>", "<", "<=", ">", ">=":
		second, err := e.operand()
		c.operands = append(c.operands, second)
		return c, err
	case "BETWEEN":
		least, err := e.operand()
		if err == nil && !e.took("AND") {
			err = unsupported{"BETWEEN without AND"}
		}
		if err != nil {
			return nil, err
		}
		most, err := e.operand()
		c.operands = append(c.operands, least, most)
		return c, err
	case "IN":
		e.took("(")
		rest, err := e.list()
		c.operands = append(c.operands, rest...)
		return c, err
	}
	return nil, unsupported{fmt.Sprintf("the operator %q", c.operator)}
}

// list reads operands up to the closing parenthesis.
func (e *expressions) list() (all []operand, err error) {
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
			return nil, unsupported{"this list of operands"}
		}
	}
}

func (e *expressions) operand() (operand, error) {
	token := e.next()
	if strings.HasPrefix(token, ":") {
		value := protocol.MemberOf(e.values, token)
		if value == nil {
			return operand{}, unsupported{"the missing value " + token}
		}
		return operand{value: value}, nil
	}
	path, err := e.path(token)
	if err == nil && len(e.tokens) > 0 && (e.tokens[0] == "(" || e.tokens[0] == "[") {
		err = unsupported{token + e.tokens[0]}
	}
	return operand{path: path}, err
}

var identifier = regexp.MustCompile(`^#?[\w-]+(\.#?[\w-]+)*$`)

// path resolves the placeholders of a path.
func (e *expressions) path(text string) ([]string, error) {
	if !identifier.MatchString(text) {
		return nil, unsupported{fmt.Sprintf("the path %q", text)}
	}
	path := strings.Split(text, ".")
	for i, name := range path {
		if name[0] == '#' {
			resolved, err := protocol.Text(protocol.MemberOf(e.names, name))
			if err != nil {
				return nil, unsupported{"the missing name " + name}
			}
			path[i] = resolved
		}
	}
	return path, nil
}
