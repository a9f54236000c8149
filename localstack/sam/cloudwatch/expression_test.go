package cloudwatch

import (
	"fmt"
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
		e, err := parseExpression(text)
		if err != nil {
			t.Error(err)
			continue
		}
		o, err := e(v)
		if err != nil || o.array || o.numbers[0].there != (want != missing) || o.numbers[0].there && o.numbers[0].value != want {
			t.Errorf("%s is %+v, %v, want %v", text, o, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "not understood", "a b": "too much", "(a": "not closed", "a +": "not understood", "NONE(a)": "not known", "IF(a, b)": "not known",
		"FILL(a, 1": "does not end", "a $ b": "not understood", "-1": "not understood",
	} {
		if _, err := parseExpression(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a word of %q", text, err, want)
		}
	}
	for _, text := range []string{"SUM(a)", "METRICS() + 1", "IF(METRICS(), 1, 2)", "unknown"} {
		e, err := parseExpression(text)
		if err != nil {
			t.Error(err)
		} else if o, err := e(v); err == nil {
			t.Errorf("%s is %+v", text, o)
		}
	}
}
