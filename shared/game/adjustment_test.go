package game

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAdjustmentEntry(t *testing.T) {
	account := Account{User: User{ID: ledgerUser, GoldBalance: 500}, LedgerSeq: 7}
	row, err := AdjustmentEntry(account, -200, "bought twice", 8)
	want := LedgerEntry{
		UserID: ledgerUser, Seq: 8, Amount: -200, Currency: "gold", Category: "adjustment", BalanceAfter: 300, Description: "bought twice", CreatedAt: 8,
	}
	if diff := cmp.Diff(want, row, cmpopts.IgnoreFields(LedgerEntry{}, "ID")); diff != "" || err != nil {
		t.Errorf("%v:\n%s", err, diff)
	}
}

// FuzzOperatorsTexts holds the limits of the amount and the reason.
func TestAdjustmentsKeepBalancesInRange(t *testing.T) {
	for _, c := range []struct {
		balance, amount int64
		good            bool
	}{
		{500, -500, true}, {500, -501, false}, {0, -1, false}, {0, 1 << 53, true}, {1, 1 << 53, false}, {1 << 53, -1 << 53, true}, {1 << 53, 1, false},
	} {
		_, err := AdjustmentEntry(Account{User: User{GoldBalance: c.balance}}, c.amount, "r", 0)
		if c.good != (err == nil) || err != nil && !errors.Is(err, ErrBalance) {
			t.Errorf("%d and %d: %v", c.balance, c.amount, err)
		}
	}
}
