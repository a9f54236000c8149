package cloudwatch

import (
	"go/parser"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpressions(t *testing.T) {
	missing := math.NaN()
	values := map[string]float64{"a": 6, "b": 3, "zero": 0, "none": missing}
	for text, want := range map[string]float64{
		"1 + 2 * 3":                     7,
		"(1 + 2) * 3":                   9,
		"8 - 2 - 1":                     5,
		"100 * b / a":                   50,
		"a / zero":                      missing,
		"FILL(none, 4) + FILL(a, 0)":    10,
		"IF(a >= 6, 1, 2)":              1,
		"IF(zero, 1, 2)":                2,
		"IF(none > 1, 1, 2)":            missing,
		"IF(a > b, IF(b > a, 1, 2), 3)": 2,
		"SUM(FILL(METRICS(), 0)) + 0.5": 9.5,
	} {
		e, err := parser.ParseExpr(text)
		require.NoError(t, err, text)
		n, err := evaluate(e, values)
		require.NoError(t, err, text)
		assert.True(t, n == want || math.IsNaN(n) && math.IsNaN(want), "%s is %v, want %v", text, n, want)
	}
	for text, want := range map[string]string{
		"NONE(a)": "cannot evaluate", "IF(a, b)": "cannot evaluate", "-1": "cannot evaluate", "a == b": "cannot evaluate",
		`"1"`: "invalid syntax", "METRICS() + 1": "cannot evaluate", "SUM(METRICS())": "cannot evaluate",
		"unknown": "no metric unknown", "FILL(a, c)": "no metric c",
	} {
		e, err := parser.ParseExpr(text)
		require.NoError(t, err, text)
		_, err = evaluate(e, values)
		assert.ErrorContains(t, err, want, text)
	}
}
