package cloudwatch

import (
	"fmt"
	"go/parser"
	"strings"
	"testing"
)

func TestExpressions(t *testing.T) {
	metrics := map[string]number{"a": {6, true}, "b": {3, true}, "zero": {0, true}, "none": {}}
	v := variables{metrics: []string{"a", "b", "none"}, of: func(id string) (number, error) {
		n, ok := metrics[id]
		if !ok {
			return number{}, fmt.Errorf("there is no %s", id)
		}
		return n, nil
	}}
	evaluate := func(text string) (operand, error) {
		e, err := parser.ParseExpr(text)
		if err != nil {
			return operand{}, err
		}
		return v.evaluate(e)
	}
	const missing = -1
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
		"IF(a != b, IF(a < b, 1, 2), 3)":  2,
		"a == 6":                          1,
		"a <= 5":                          0,
		"SUM(METRICS())":                  9,
		"SUM(FILL(METRICS(), 1.5)) + 0.5": 11,
	} {
		o, err := evaluate(text)
		if err != nil || o.array || o.numbers[0].there != (want != missing) || o.numbers[0].there && o.numbers[0].value != want {
			t.Errorf("%s is %+v, %v, want %v", text, o, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "expected operand", "a b": "expected", "(a": "expected ')'", "a +": "expected operand", "NONE(a)": "not known", "IF(a, b)": "not known",
		"FILL(a, 1": "missing ','", "a $ b": "illegal character", "-1": "not understood", "a % b": "not understood", `"1"`: "not understood",
		"SUM(a)": "over time", "METRICS() + 1": "array", "IF(METRICS(), 1, 2)": "array", "unknown": "there is no unknown",
	} {
		if o, err := evaluate(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want a word of %q", text, o, err, want)
		}
	}
}
