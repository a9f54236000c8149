package store

import (
	"context"
	"encoding/json"

	"github.com/ranch-game/ranch/shared/game"
)

// AdjustGold adds an amount, which may be negative, to a user's gold, also to a banned user's. The new row of the
// ledger has the change's id, by which LedgerRow finds it, and the reason as its description. It returns
// game.ErrBalance if the balance would fall below 0 or rise above game.MaxBalance. The write requires the ledger's
// number as read: if the user's gold moves in between, AdjustGold reads again.
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

// adjustment returns the amount of an adjustment from its record; 0 for any other record.
func (i *auditItem) adjustment() int64 {
	var before, after goldState
	if json.Unmarshal([]byte(i.Before), &before) != nil || json.Unmarshal([]byte(i.After), &after) != nil {
		return 0
	}
	return after.Balance - before.Balance
}

// goldState is what records say about a user's gold.
type goldState struct {
	Balance int64 `json:"goldBalance"`
	Rows    int64 `json:"ledgerRows"`
}
