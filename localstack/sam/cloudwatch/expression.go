package cloudwatch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"strconv"
)

// evaluate computes an expression of metric math, which looks like an expression of Go, from the values of metrics, by
// their ids. It supports + - * / > >=, parentheses, IF, FILL, and SUM(FILL(METRICS(), 0)). NaN means that data are
// missing. The error says what of the expression is not supported, or which metric is missing.
func evaluate(e ast.Expr, values map[string]float64) (float64, error) {
	var compute func(n []float64) float64
	var arguments []ast.Expr
	switch e := e.(type) {
	case *ast.ParenExpr:
		return evaluate(e.X, values)
	case *ast.Ident:
		n, known := values[e.Name]
		if !known {
			return 0, fmt.Errorf("the alarm has no metric %s", e.Name)
		}
		return n, nil
	case *ast.BasicLit:
		return strconv.ParseFloat(e.Value, 64)
	case *ast.BinaryExpr:
		compute, arguments = operators[e.Op], []ast.Expr{e.X, e.Y}
	case *ast.CallExpr:
		if types.ExprString(e) == "SUM(FILL(METRICS(), 0))" {
			sum := 0.0
			for _, n := range values {
				sum += fill([]float64{n, 0})
			}
			return sum, nil
		}
		compute, arguments = functions[fmt.Sprint(types.ExprString(e.Fun), len(e.Args))], e.Args
	}
	if compute == nil {
		return 0, fmt.Errorf("cannot evaluate the expression %s", types.ExprString(e))
	}
	n := make([]float64, len(arguments))
	for i, argument := range arguments {
		var err error
		if n[i], err = evaluate(argument, values); err != nil {
			return 0, err
		}
	}
	return compute(n), nil
}

// functions are the supported functions, by their names with the number of arguments. An IF without data for its
// condition has no data.
var functions = map[string]func(n []float64) float64{
	"FILL2": fill,
	"IF3": func(n []float64) float64 {
		switch {
		case math.IsNaN(n[0]):
			return n[0]
		case n[0] != 0:
			return n[1]
		}
		return n[2]
	},
}

func fill(n []float64) float64 {
	if math.IsNaN(n[0]) {
		return n[1]
	}
	return n[0]
}

// operators have no data for the result if data for an operand are missing, or if the divisor is 0.
var operators = map[token.Token]func(n []float64) float64{
	token.ADD: func(n []float64) float64 { return n[0] + n[1] },
	token.SUB: func(n []float64) float64 { return n[0] - n[1] },
	token.MUL: func(n []float64) float64 { return n[0] * n[1] },
	token.QUO: func(n []float64) float64 {
		if n[1] == 0 {
			return math.NaN()
		}
		return n[0] / n[1]
	},
	token.GTR: func(n []float64) float64 { return truth(n, n[0] > n[1]) },
	token.GEQ: func(n []float64) float64 { return truth(n, n[0] >= n[1]) },
}

func truth(n []float64, holds bool) float64 {
	switch {
	case math.IsNaN(n[0]) || math.IsNaN(n[1]):
		return math.NaN()
	case holds:
		return 1
	}
	return 0
}
