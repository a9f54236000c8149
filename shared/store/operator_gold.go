package store

import (
	"context"
	"encoding/json"

	"github.com/ranch-game/ranch/shared/game"
)

// AdjustGold changes a user's gold by an amount. The row of the ledger that says so has the reason as its description
// and the id of the change: LedgerRow finds it. A banned user's gold can be adjusted, too. It returns game.ErrBalance
// where the balance would fall below 0, or rise above game.MaxBalance. The guard is the ledger's number as read:
// whatever moved the user's gold in between is taken into account.
func (o Operator) AdjustGold(ctx context.Context, user game.ID, amount int64, reason string) error {
	if err := game.CheckAdjustment(amount, reason); err != nil {
		return err
	}
	o.change.Reason = reason
	o.same = func(i *auditItem) bool { return i.adjustment() == amount }
	return o.make(ctx, "adjust gold", subjectUser(user), func(ctx context.Context, t *transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		row, err := game.AdjustmentEntry(*account, amount, reason, o.change.At)
		if err != nil {
			return nil, nil, err
		}
		row.ID = o.change.ID
		o.store.moveGold(t, *account, row)
		t.create(newLedgerItem(row), errStale)
		return goldState{account.GoldBalance, account.LedgerSeq}, goldState{row.BalanceAfter, row.Seq}, nil
	})
}

// adjustment is the amount of the adjustment that the record is of.
func (i *auditItem) adjustment() int64 {
	var before, after goldState
	if json.Unmarshal([]byte(i.Before), &before) != nil || json.Unmarshal([]byte(i.After), &after) != nil {
		return 0
	}
	return after.Balance - before.Balance
}

// goldState is what records say of a user's gold.
type goldState struct {
	Balance int64 `json:"goldBalance"`
	Rows    int64 `json:"ledgerRows"`
}
