package cloudwatch

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// number is a value of a period; it may be missing.
type number struct {
	value float64
	there bool
}

// operand is a number, or an array of them as METRICS() has it.
type operand struct {
	numbers []number
	array   bool
}

func single(n number) operand { return operand{numbers: []number{n}} }

// variables are what an expression goes by, in one period: by id what a metric or another expression is, and the ids of
// the metrics, in order.
type variables struct {
	of      func(id string) (number, error)
	metrics []string
}

// expression is one of metric math.
type expression func(variables) (operand, error)

// token is one of an expression's.
var token = regexp.MustCompile(`^\s*([0-9]+(?:\.[0-9]+)?|[A-Za-z][A-Za-z0-9_]*|>=|<=|==|!=|[-+*/()<>,])`)

// parser reads an expression from left to right. It knows + - * / and comparisons of numbers, parentheses, IF, FILL,
// SUM and METRICS.
type parser struct {
	text   string
	tokens []string
}

// parseExpression understands the whole text, or says what it does not understand.
func parseExpression(text string) (expression, error) {
	p := &parser{text: text}
	for rest := strings.TrimSpace(text); rest != ""; {
		found := token.FindStringSubmatch(rest)
		if found == nil {
			return nil, fmt.Errorf("the expression %s: %q is not understood", text, rest)
		}
		p.tokens = append(p.tokens, found[1])
		rest = strings.TrimSpace(rest[len(found[0]):])
	}
	e, err := p.binary(0)
	if err == nil && len(p.tokens) > 0 {
		err = fmt.Errorf("%q is too much", p.tokens[0])
	}
	if err != nil {
		return nil, fmt.Errorf("the expression %s: %w", text, err)
	}
	return e, nil
}

// levels are the operators by how tightly they bind.
var levels = [][]string{{">", "<", ">=", "<=", "==", "!="}, {"+", "-"}, {"*", "/"}}

func (p *parser) next() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *parser) take() string {
	t := p.next()
	if t != "" {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) binary(level int) (expression, error) {
	if level == len(levels) {
		return p.primary()
	}
	left, err := p.binary(level + 1)
	for err == nil && slices.Contains(levels[level], p.next()) {
		operator := p.take()
		var right expression
		if right, err = p.binary(level + 1); err == nil {
			left = combine(operator, left, right)
		}
	}
	return left, err
}

func (p *parser) primary() (expression, error) {
	switch t := p.take(); {
	case t == "(":
		e, err := p.binary(0)
		if err == nil && p.take() != ")" {
			err = errors.New("a parenthesis is not closed")
		}
		return e, err
	case t != "" && t[0] >= '0' && t[0] <= '9':
		value, err := strconv.ParseFloat(t, 64)
		return func(variables) (operand, error) { return single(number{value, true}), nil }, err
	case p.next() == "(":
		p.take()
		return p.call(t)
	case t != "" && t[0] >= 'a' && t[0] <= 'z':
		return func(v variables) (operand, error) {
			n, err := v.of(t)
			return single(n), err
		}, nil
	default:
		return nil, fmt.Errorf("%q is not understood", t)
	}
}

// call reads the rest of a function's call.
func (p *parser) call(function string) (expression, error) {
	var arguments []expression
	for p.next() != ")" {
		if len(arguments) > 0 && p.take() != "," {
			return nil, fmt.Errorf("the call of %s does not end", function)
		}
		argument, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, argument)
	}
	p.take()
	known, ok := functions[function]
	if !ok || len(arguments) != known.arguments {
		return nil, fmt.Errorf("%s with %d arguments is not known", function, len(arguments))
	}
	return func(v variables) (operand, error) {
		operands := make([]operand, len(arguments))
		for i, a := range arguments {
			var err error
			if operands[i], err = a(v); err != nil {
				return operand{}, err
			}
		}
		return known.call(v, operands)
	}, nil
}

var functions = map[string]struct {
	arguments int
	call      func(variables, []operand) (operand, error)
}{
	// Where the condition's metric has no data, neither has the result.
	"IF": {3, func(_ variables, o []operand) (operand, error) {
		switch condition := o[0].numbers[0]; {
		case o[0].array || o[1].array || o[2].array:
			return operand{}, errors.New("IF of an array is not known")
		case !condition.there:
			return single(number{}), nil
		case condition.value != 0:
			return o[1], nil
		}
		return o[2], nil
	}},
	"FILL": {2, func(_ variables, o []operand) (operand, error) {
		filled := operand{array: o[0].array}
		for _, n := range o[0].numbers {
			if !n.there {
				n = o[1].numbers[0]
			}
			filled.numbers = append(filled.numbers, n)
		}
		return filled, nil
	}},
	"SUM": {1, func(_ variables, o []operand) (operand, error) {
		if !o[0].array {
			return operand{}, errors.New("SUM over time is not known, only that of an array")
		}
		var sum number
		for _, n := range o[0].numbers {
			if n.there {
				sum = number{sum.value + n.value, true}
			}
		}
		return single(sum), nil
	}},
	"METRICS": {0, func(v variables, _ []operand) (operand, error) {
		all := operand{array: true}
		for _, id := range v.metrics {
			n, err := v.of(id)
			if err != nil {
				return operand{}, err
			}
			all.numbers = append(all.numbers, n)
		}
		return all, nil
	}},
}

// combine calculates with two numbers; the result is missing where one of them is, or where there is none.
func combine(operator string, left, right expression) expression {
	return func(v variables) (operand, error) {
		l, err := left(v)
		if err != nil {
			return operand{}, err
		}
		r, err := right(v)
		if err != nil {
			return operand{}, err
		}
		if l.array || r.array {
			return operand{}, fmt.Errorf("%s of an array is not known", operator)
		}
		a, b := l.numbers[0], r.numbers[0]
		if !a.there || !b.there || operator == "/" && b.value == 0 {
			return single(number{}), nil
		}
		return single(number{calculate(operator, a.value, b.value), true}), nil
	}
}

func calculate(operator string, a, b float64) float64 {
	truth := map[bool]float64{true: 1}
	switch operator {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case ">":
		return truth[a > b]
	case "<":
		return truth[a < b]
	case ">=":
		return truth[a >= b]
	case "<=":
		return truth[a <= b]
	case "==":
		return truth[a == b]
	default:
		return truth[a != b]
	}
}
