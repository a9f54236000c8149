package operate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// AdjustGold adds an amount, which may be negative, to the gold of a user, who may be banned. The new ledger row has
// the change's id, by which LedgerRow finds it, and the reason as its description. AdjustGold returns game.ErrBalance
// if the balance would be below 0 or above game.MaxBalance, and the errors of game.CheckAdjustment. The write requires
// the status and the ledger's number as read: if either has changed, AdjustGold reads again.
func (o Operator) AdjustGold(ctx context.Context, user game.ID, amount int64, reason string) error {
	return o.adjust(ctx, user, amount, reason, false)
}

// ErrPaidBefore means that a user has got the same amount for the same reason before.
var ErrPaidBefore = errors.New("the user has got the same amount for the same reason in the last seven days")

// PayOnce is AdjustGold for a change that may be a repetition under another id. It returns ErrPaidBefore if PaidBefore
// finds a row. Of several such calls at once, one pays: the write requires the ledger's number as read. PayOnce also
// reads the whole ledger.
func (o Operator) PayOnce(ctx context.Context, user game.ID, amount int64, reason string) error {
	return o.adjust(ctx, user, amount, reason, true)
}

// PaidBefore returns the last row of an adjustment by the same amount for the same reason in the time Repeatable before
// at, or nil.
func PaidBefore(rows []game.LedgerEntry, amount int64, reason string, at game.Instant) *game.LedgerEntry {
	for _, r := range slices.Backward(rows) {
		if r.Category == game.CategoryAdjustment && r.Amount == amount && r.Description == reason && at < r.CreatedAt.Add(Repeatable) {
			return &r
		}
	}
	return nil
}

func (o Operator) adjust(ctx context.Context, user game.ID, amount int64, reason string, once bool) error {
	if err := game.CheckAdjustment(amount, reason); err != nil {
		return err
	}
	o.change.Reason = reason
	o.same = func(i *records.AuditItem) bool { return Adjusts(i, user, amount) }
	return o.make(ctx, adjustGold, subjectUser(user), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		if once {
			rows, err := o.desk.Ledger(ctx, user)
			switch {
			case err != nil:
				return nil, nil, err
			case PaidBefore(rows, amount, reason, o.change.At) != nil:
				return nil, nil, ErrPaidBefore
			case account.LedgerSeq > 0 && (len(rows) == 0 || rows[len(rows)-1].Seq < account.LedgerSeq):
				return nil, nil, table.ErrStale // the last row is not visible yet
			}
		}
		row, err := game.AdjustmentEntry(*account, amount, reason, o.change.At)
		if err != nil {
			return nil, nil, err
		}
		row.ID = o.change.ID
		store.MoveGold(t, *account, row)
		t.Create(records.NewLedgerItem(row), table.ErrStale)
		return goldState{account.GoldBalance, account.LedgerSeq}, goldState{row.BalanceAfter, row.Seq}, nil
	})
}

// SetGoldFromLedger sets a user's balance to the sum of the ledger's rows, after another program has written a wrong
// balance. It returns ErrRightBalance if it is that sum, and table.Damage if a row is missing, also the last one. The
// write requires the status and the ledger's number as read, so a payment in between counts.
func (o Operator) SetGoldFromLedger(ctx context.Context, user game.ID) error {
	return o.make(ctx, "set gold from ledger", subjectUser(user), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		account, err := o.user(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		rows, err := o.desk.Ledger(ctx, user)
		if err != nil {
			return nil, nil, err
		}
		sum, err := SumOf(rows)
		last := game.LedgerEntry{Seq: int64(len(rows)), BalanceAfter: sum}
		switch {
		case err != nil:
			return nil, nil, err
		case account.LedgerSeq > last.Seq: // the last rows are missing, or not visible yet
			return nil, nil, errRowsMissing
		case account.GoldBalance == sum && account.LedgerSeq == last.Seq:
			return nil, nil, ErrRightBalance
		}
		store.MoveGold(t, *account, last)
		return goldState{account.GoldBalance, account.LedgerSeq}, goldState{sum, last.Seq}, nil
	})
}

// ErrRightBalance means that a user's balance is the sum of the ledger's rows.
var ErrRightBalance = errors.New("the balance is the sum of the ledger's rows: nothing is changed")

const errRowsMissing = table.Damage("rows of the ledger are missing: restore them from a backup first")

// SumOf returns the sum of all rows of a ledger, or table.Damage if a number of a row is missing or twice.
func SumOf(rows []game.LedgerEntry) (sum int64, err error) {
	for i, r := range rows {
		if r.Seq != int64(i)+1 {
			return 0, errRowsMissing
		}
		sum += r.Amount
	}
	return sum, nil
}

const adjustGold = "adjust gold"

// Adjusts reports whether the record is of an adjustment of the user's gold by the amount.
func Adjusts(i *records.AuditItem, user game.ID, amount int64) bool {
	return i.Action == adjustGold && i.Subject == subjectUser(user) && adjustmentIn(i) == amount
}

// adjustmentIn returns the amount of an adjustment from the states in its record; 0 for any other record.
func adjustmentIn(i *records.AuditItem) int64 {
	var before, after goldState
	if json.Unmarshal([]byte(i.Before), &before) != nil || json.Unmarshal([]byte(i.After), &after) != nil {
		return 0
	}
	return after.Balance - before.Balance
}

// goldState is a user's gold in audit records.
type goldState struct {
	Balance int64 `json:"goldBalance"`
	Rows    int64 `json:"ledgerRows"` // the number of the last row
}

// LedgerRow returns the row of a user's ledger with the id, for example of an adjustment, or ErrUnknownRow if there is
// no such row. It reads the whole ledger, as Ledger does.
func (d Desk) LedgerRow(ctx context.Context, user, id game.ID) (*game.LedgerEntry, error) {
	rows, err := d.Ledger(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if row.ID == id {
			return &row, nil
		}
	}
	return nil, ErrUnknownRow
}
