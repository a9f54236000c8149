package cloudwatch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"strconv"
)

// variables are the values that an expression can use in one period. of returns the value of a metric or of another
// expression by its id. It returns NaN if there are no data. metrics are the metrics' ids in the template's order.
type variables struct {
	of      func(id string) (float64, error)
	metrics []string
}

// number evaluates an expression of metric math, parsed as an expression of Go. It supports + - * / < <= > >=,
// parentheses, IF, FILL, and SUM of METRICS. NaN means that there are no data.
func (v variables) number(e ast.Expr) (float64, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return v.number(e.X)
	case *ast.Ident:
		return v.of(e.Name)
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			return strconv.ParseFloat(e.Value, 64)
		}
	case *ast.BinaryExpr:
		if calculate, ok := operators[e.Op]; ok {
			n, err := v.numbers(e.X, e.Y)
			if err != nil || math.IsNaN(n[0]) || math.IsNaN(n[1]) || e.Op == token.QUO && n[1] == 0 {
				return math.NaN(), err
			}
			return calculate(n[0], n[1]), nil
		}
	case *ast.CallExpr:
		switch name := types.ExprString(e.Fun); {
		case name == "IF" && len(e.Args) == 3:
			n, err := v.numbers(e.Args...)
			switch {
			case err != nil || math.IsNaN(n[0]): // without data for the condition, there is no result
				return math.NaN(), err
			case n[0] != 0:
				return n[1], nil
			}
			return n[2], nil
		case name == "FILL" && len(e.Args) == 2:
			n, err := v.numbers(e.Args...)
			if err == nil && math.IsNaN(n[0]) {
				n[0] = n[1]
			}
			return n[0], err
		case name == "SUM" && len(e.Args) == 1:
			all, err := v.array(e.Args[0])
			sum := math.NaN()
			for _, n := range all {
				if math.IsNaN(sum) {
					sum = n
				} else if !math.IsNaN(n) {
					sum += n
				}
			}
			return sum, err
		}
	}
	return 0, fmt.Errorf("%s is not understood", types.ExprString(e))
}

// numbers evaluates several expressions. It returns a value for each, even after an error.
func (v variables) numbers(all ...ast.Expr) ([]float64, error) {
	n := make([]float64, len(all))
	for i, e := range all {
		var err error
		if n[i], err = v.number(e); err != nil {
			return n, err
		}
	}
	return n, nil
}

// array evaluates METRICS(), or FILL of an array.
func (v variables) array(e ast.Expr) (all []float64, err error) {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return nil, fmt.Errorf("%s is no array", types.ExprString(e))
	}
	switch name := types.ExprString(call.Fun); {
	case name == "METRICS" && len(call.Args) == 0:
		for _, id := range v.metrics {
			n, err := v.of(id)
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
		return all, nil
	case name == "FILL" && len(call.Args) == 2:
		filler, err := v.number(call.Args[1])
		if err != nil {
			return nil, err
		}
		all, err = v.array(call.Args[0])
		for i, n := range all {
			if math.IsNaN(n) {
				all[i] = filler
			}
		}
		return all, err
	}
	return nil, fmt.Errorf("%s is no array", types.ExprString(e))
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
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
