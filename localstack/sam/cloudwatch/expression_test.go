package cloudwatch

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpressions(t *testing.T) {
	missing := math.NaN()
	values := map[string]float64{"a": 6, "b": 3, "zero": 0, "none": missing}
	metrics := []string{"a", "b", "zero", "none"}
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
		f, err := parse(text, metrics)
		require.NoError(t, err, text)
		n := f(values)
		assert.True(t, n == want || math.IsNaN(n) && math.IsNaN(want), "%s is %v, want %v", text, n, want)
	}
	for text, want := range map[string]string{
		"": "expected operand", "a b": "expected", "a $ b": "illegal character", "NONE(a)": "cannot evaluate",
		"IF(a, b)": "cannot evaluate", "-1": "cannot evaluate", "a == b": "cannot evaluate", `"1"`: "cannot evaluate", "METRICS() + 1": "cannot evaluate",
		"SUM(METRICS())": "cannot evaluate", "unknown": "no metric unknown", "FILL(a, c)": "no metric c",
	} {
		_, err := parse(text, metrics)
		assert.True(t, err != nil && strings.Contains(err.Error(), want), "%q: %v, want %q", text, err, want)
	}
}
