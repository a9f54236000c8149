package cloudwatch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// evaluate computes an expression of metric math, which looks like an expression of Go, from the values of metrics, by
// their ids. It supports + - * / > >=, parentheses, IF, FILL, and SUM or MAX of FILL(METRICS(), n). NaN means that data are
// missing. evaluate fails the test if it does not support the expression, or if a metric is unknown.
func evaluate(t *testing.T, e ast.Expr, values map[string]float64) float64 {
	t.Helper()
	var compute func(n []float64) float64
	var arguments []ast.Expr
	switch e := e.(type) {
	case *ast.ParenExpr:
		return evaluate(t, e.X, values)
	case *ast.Ident:
		require.Contains(t, values, e.Name)
		return values[e.Name]
	case *ast.BasicLit:
		n, err := strconv.ParseFloat(e.Value, 64)
		require.NoError(t, err)
		return n
	case *ast.BinaryExpr:
		compute, arguments = operators[e.Op], []ast.Expr{e.X, e.Y}
	case *ast.CallExpr:
		if found := ofMetrics.FindStringSubmatch(types.ExprString(e)); found != nil {
			filler, err := strconv.ParseFloat(found[2], 64)
			require.NoError(t, err)
			sum, most := 0.0, math.Inf(-1)
			for _, n := range values {
				sum, most = sum+fill([]float64{n, filler}), max(most, fill([]float64{n, filler}))
			}
			return map[string]float64{"SUM": sum, "MAX": most}[found[1]]
		}
		compute, arguments = functions[fmt.Sprint(types.ExprString(e.Fun), len(e.Args))], e.Args
	}
	require.NotNil(t, compute, "cannot evaluate the expression %s", types.ExprString(e))
	var n []float64
	for _, argument := range arguments {
		n = append(n, evaluate(t, argument, values))
	}
	return compute(n)
}

// ofMetrics matches the sum or the maximum of all metrics, with a number in place of missing data.
var ofMetrics = regexp.MustCompile(`^(SUM|MAX)\(FILL\(METRICS\(\), (\d+)\)\)$`)

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

func TestExpressions(t *testing.T) {
	missing := math.NaN()
	values := map[string]float64{"a": 6, "b": 3, "zero": 0, "none": missing}
	for text, want := range map[string]float64{
		"(1 + 2) * 3 - 1":               8,
		"100 * b / a":                   50,
		"a / zero":                      missing,
		"FILL(none, 4) + FILL(a, 0)":    10,
		"IF(a >= 6, 1, 2)":              1,
		"IF(zero, 1, 2)":                2,
		"IF(none > 1, 1, 2)":            missing,
		"IF(a > b, IF(b > a, 1, 2), 3)": 2,
		"SUM(FILL(METRICS(), 0)) + 0.5": 9.5,
		"MAX(FILL(METRICS(), 7))":       7,
	} {
		e, err := parser.ParseExpr(text)
		require.NoError(t, err, text)
		n := evaluate(t, e, values)
		assert.True(t, n == want || math.IsNaN(n) && math.IsNaN(want), "%s is %v, want %v", text, n, want)
	}
}
