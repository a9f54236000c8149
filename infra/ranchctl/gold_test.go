package main

import (
	"slices"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

func TestGoldAdjust(t *testing.T) {
	x := newTool(t)
	p := x.AddPlayer(t, storetest.Ann)
	var row object
	x.json(&row, "gold", "adjust", "Ann", "25", "--reason", "a prize by mail")
	if row["amount"] != 25.0 || row["balance_after"] != 525.0 || row["category"] != "adjustment" || row["description"] != "a prize by mail" || row["ref_id"] != nil {
		t.Errorf("row %v", row)
	}
	x.json(&row, "gold", "adjust", p.Email, "-500", "--reason=paid twice")
	x.json(&row, "gold", "adjust", "--reason", "again", string(p.ID), "-25")
	x.json(&row, "gold", "adjust", "--reason", "-7", string(p.ID), "1") // the reason is no amount
	if row["description"] != "-7" || row["amount"] != 1.0 || row["balance_after"] != 1.0 {
		t.Errorf("row %v", row)
	}
	x.CheckGold(t, p.ID, 1, 500, 25, -500, -25, 1)

	x.refused(1, "the balance must stay from 0", "gold", "adjust", "Ann", "-2", "--reason", "more")
	x.refused(1, "no such user", "gold", "adjust", "nobody", "2", "--reason", "more")
	x.refused(2, "required", "gold", "adjust", "Ann", "2")
	x.refused(2, "the reason", "gold", "adjust", "Ann", "2", "--reason", "")
	x.refused(2, "the amount", "gold", "adjust", "Ann", "0", "--reason", "nothing")
	x.refused(2, "no amount", "gold", "adjust", "Ann", "1.5", "--reason", "half")
	x.refused(2, "accepts 2 arg", "gold", "adjust", "Ann", "--reason", "more")
	x.DeleteUser(t, p.ID)
	x.refused(1, "has been deleted", "gold", "adjust", string(p.ID), "1", "--reason", "more")
}

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
