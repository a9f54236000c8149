package cloudwatch

import (
	"fmt"
	"go/parser"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExpressions(t *testing.T) {
	missing := math.NaN()
	metrics := map[string]float64{"a": 6, "b": 3, "zero": 0, "none": missing}
	v := variables{metrics: []string{"none", "a", "b", "none"}, of: func(id string) (float64, error) {
		n, ok := metrics[id]
		if !ok {
			return 0, fmt.Errorf("there is no %s", id)
		}
		return n, nil
	}}
	evaluate := func(text string) (float64, error) {
		e, err := parser.ParseExpr(text)
		if err != nil {
			return 0, err
		}
		return v.number(e)
	}
	for text, want := range map[string]float64{
		"1 + 2 * 3":                       7,
		"(1 + 2) * 3":                     9,
		"8 - 2 - 1":                       5,
		"8 / 2 / 2":                       2,
		"a / b":                           2,
		"100 * b / a":                     50,
		"a / zero":                        missing,
		"a + none":                        missing,
		"FILL(none, 4) + FILL(a, 0)":      10,
		"IF(a >= 6, 1, 2)":                1,
		"IF(a > 6, 1, 2)":                 2,
		"IF(zero, 1, 2)":                  2,
		"IF(none > 1, 1, 2)":              missing,
		"IF(a > b, IF(a < b, 1, 2), 3)":   2,
		"a <= 5":                          0,
		"SUM(METRICS())":                  9,
		"SUM(FILL(METRICS(), 1.5)) + 0.5": 12.5,
	} {
		n, err := evaluate(text)
		assert.True(t, err == nil && (n == want || math.IsNaN(n) && math.IsNaN(want)), "%s is %v, %v, want %v", text, n, err, want)
	}
	for text, want := range map[string]string{
		"": "expected operand", "a b": "expected", "(a": "expected ')'", "a $ b": "illegal character", "NONE(a)": "not understood", "IF(a, b)": "not understood",
		"-1": "not understood", "a % b": "not understood", "a == b": "not understood", `"1"`: "not understood", "METRICS() + 1": "not understood",
		"IF(METRICS(), 1, 2)": "not understood", "SUM(a)": "no array", "SUM(IF(a, 1, 2))": "no array", "unknown": "there is no unknown", "FILL(a, c)": "there is no c",
	} {
		n, err := evaluate(text)
		assert.True(t, err != nil && strings.Contains(err.Error(), want), "%q: %v, %v, want a word of %q", text, n, err, want)
	}
}
