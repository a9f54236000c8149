package cloudwatch

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
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

// variables are what an expression may name, in one period: the value of a metric or of another expression by its id,
// and the ids of the metrics, in order.
type variables struct {
	of      func(id string) (number, error)
	metrics []string
}

// evaluate calculates an expression of metric math, whose syntax is a part of Go's. It knows + - * / and comparisons of
// numbers, parentheses, IF, FILL, SUM and METRICS.
func (v variables) evaluate(e ast.Expr) (operand, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return v.evaluate(e.X)
	case *ast.Ident:
		n, err := v.of(e.Name)
		return single(n), err
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			value, err := strconv.ParseFloat(e.Value, 64)
			return single(number{value, true}), err
		}
	case *ast.BinaryExpr:
		if calculate, ok := operators[e.Op]; ok {
			return v.combine(calculate, e)
		}
	case *ast.CallExpr:
		known, ok := functions[types.ExprString(e.Fun)]
		if !ok || len(e.Args) != known.arguments {
			return operand{}, fmt.Errorf("%s with %d arguments is not known", types.ExprString(e.Fun), len(e.Args))
		}
		operands := make([]operand, len(e.Args))
		for i, argument := range e.Args {
			var err error
			if operands[i], err = v.evaluate(argument); err != nil {
				return operand{}, err
			}
		}
		return known.call(v, operands)
	}
	return operand{}, fmt.Errorf("%s is not understood", types.ExprString(e))
}

// combine calculates with two numbers. The result is missing if one of them is, or if there is none.
func (v variables) combine(calculate func(a, b float64) float64, e *ast.BinaryExpr) (operand, error) {
	left, err := v.evaluate(e.X)
	if err != nil {
		return operand{}, err
	}
	right, err := v.evaluate(e.Y)
	if err != nil {
		return operand{}, err
	}
	if left.array || right.array {
		return operand{}, fmt.Errorf("%s of an array is not known", e.Op)
	}
	a, b := left.numbers[0], right.numbers[0]
	if !a.there || !b.there || e.Op == token.QUO && b.value == 0 {
		return single(number{}), nil
	}
	return single(number{calculate(a.value, b.value), true}), nil
}

var operators = map[token.Token]func(a, b float64) float64{
	token.ADD: func(a, b float64) float64 { return a + b },
	token.SUB: func(a, b float64) float64 { return a - b },
	token.MUL: func(a, b float64) float64 { return a * b },
	token.QUO: func(a, b float64) float64 { return a / b },
	token.GTR: func(a, b float64) float64 { return truth(a > b) },
	token.LSS: func(a, b float64) float64 { return truth(a < b) },
	token.GEQ: func(a, b float64) float64 { return truth(a >= b) },
	token.LEQ: func(a, b float64) float64 { return truth(a <= b) },
	token.EQL: func(a, b float64) float64 { return truth(a == b) },
	token.NEQ: func(a, b float64) float64 { return truth(a != b) },
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

var functions = map[string]struct {
	arguments int
	call      func(variables, []operand) (operand, error)
}{
	// If the condition's metric has no data, neither has the result.
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
