package store

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// AdjustGold changes a user's gold by an amount, and returns the row of the ledger that says so: the reason is its
// description, and its id is that of the change. A banned user's gold can be adjusted, too. It returns game.ErrBalance
// where the balance would fall below 0, or rise above game.MaxBalance. The guard is the ledger's number as read:
// whatever moved the user's gold in between is taken into account.
func (o Operator) AdjustGold(ctx context.Context, user game.ID, amount int64, reason string) (*game.LedgerEntry, error) {
	if err := game.CheckAdjustment(amount, reason); err != nil {
		return nil, err
	}
	o.change.Reason = reason
	err := o.make(ctx, "adjust gold", subjectUser(user), func(ctx context.Context, t *transaction) (before, after any, err error) {
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
	if err != nil {
		return nil, err
	}
	// Which attempt was applied, the ledger knows, also where the change had been made before.
	rows, err := o.store.Ledger(ctx, user)
	for _, row := range rows {
		if row.ID == o.change.ID {
			return &row, nil
		}
	}
	if err == nil {
		err = errNotVisible
	}
	return nil, fmt.Errorf("the gold is adjusted: %w", err)
}

// goldState is what records say of a user's gold.
type goldState struct {
	Balance int64 `json:"goldBalance"`
	Rows    int64 `json:"ledgerRows"`
}
