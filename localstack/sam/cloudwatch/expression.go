package cloudwatch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strconv"
)

// formula computes an expression from the values of metrics, by their ids. NaN means that data are missing.
type formula func(values map[string]float64) float64

// parse parses an expression of metric math, which looks like an expression of Go. It supports + - * / > >=,
// parentheses, IF, FILL, and SUM(FILL(METRICS(), 0)). metrics are the ids that the expression can use.
func parse(text string, metrics []string) (formula, error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return nil, fmt.Errorf("the expression %s: %w", text, err)
	}
	return compile(e, metrics)
}

func compile(e ast.Expr, metrics []string) (formula, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return compile(e.X, metrics)
	case *ast.Ident:
		if !slices.Contains(metrics, e.Name) {
			return nil, fmt.Errorf("the alarm has no metric %s", e.Name)
		}
		return func(values map[string]float64) float64 { return values[e.Name] }, nil
	case *ast.BasicLit:
		if n, err := strconv.ParseFloat(e.Value, 64); err == nil {
			return func(map[string]float64) float64 { return n }, nil
		}
	case *ast.BinaryExpr:
		if calculate, ok := operators[e.Op]; ok {
			return apply(func(n []float64) float64 {
				if math.IsNaN(n[0]) || math.IsNaN(n[1]) || e.Op == token.QUO && n[1] == 0 {
					return math.NaN()
				}
				return calculate(n[0], n[1])
			}, metrics, e.X, e.Y)
		}
	case *ast.CallExpr:
		switch name := types.ExprString(e.Fun); {
		case name == "IF" && len(e.Args) == 3:
			return apply(choose, metrics, e.Args...)
		case name == "FILL" && len(e.Args) == 2:
			return apply(fill, metrics, e.Args...)
		case types.ExprString(e) == "SUM(FILL(METRICS(), 0))":
			return total, nil
		}
	}
	return nil, fmt.Errorf("cannot evaluate the expression %s", types.ExprString(e))
}

// apply compiles the arguments of a function. The formula applies the function to their values.
func apply(function func(n []float64) float64, metrics []string, arguments ...ast.Expr) (formula, error) {
	all := make([]formula, len(arguments))
	for i, e := range arguments {
		var err error
		if all[i], err = compile(e, metrics); err != nil {
			return nil, err
		}
	}
	return func(values map[string]float64) float64 {
		n := make([]float64, len(all))
		for i, f := range all {
			n[i] = f(values)
		}
		return function(n)
	}, nil
}

// total adds the values of all metrics.
func total(values map[string]float64) (sum float64) {
	for _, n := range values {
		sum += fill([]float64{n, 0})
	}
	return sum
}

func fill(n []float64) float64 {
	if math.IsNaN(n[0]) {
		return n[1]
	}
	return n[0]
}

// choose returns no data if the condition has none.
func choose(n []float64) float64 {
	switch {
	case math.IsNaN(n[0]):
		return n[0]
	case n[0] != 0:
		return n[1]
	}
	return n[2]
}

var operators = map[token.Token]func(a, b float64) float64{
	token.ADD: func(a, b float64) float64 { return a + b },
	token.SUB: func(a, b float64) float64 { return a - b },
	token.MUL: func(a, b float64) float64 { return a * b },
	token.QUO: func(a, b float64) float64 { return a / b },
	token.GTR: func(a, b float64) float64 { return truth(a > b) },
	token.GEQ: func(a, b float64) float64 { return truth(a >= b) },
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
