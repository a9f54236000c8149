package main

import (
	"slices"
	"testing"
)

func TestAmountsBelowZero(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"gold", "adjust", "Ann", "-5", "-o", "json"}, []string{"gold", "adjust", "Ann", "-o", "json", "--", "-5"}},
		{[]string{"-o", "json", "gold", "adjust", "Ann", "-5"}, []string{"-o", "json", "gold", "adjust", "Ann", "--", "-5"}},
		{[]string{"gold", "adjust", "--reason", "-5", "Ann", "6"}, nil},
		{[]string{"gold", "adjust", "Ann", "--", "-5"}, nil},
		{[]string{"show", "create", "--fee", "-1"}, nil},
		{[]string{"show", "adjust", "x", "-1"}, nil},
		{[]string{"-5"}, nil},
		{nil, nil},
	} {
		before := slices.Clone(c.args)
		if c.want == nil {
			c.want = before
		}
		if got := amountLast(c.args); !slices.Equal(got, c.want) || !slices.Equal(c.args, before) {
			t.Errorf("%q becomes %q", before, got)
		}
	}
}
