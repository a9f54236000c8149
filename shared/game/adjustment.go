package game

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxBalance is the most gold that an adjustment leaves. Every integer up to it is exact as a floating point number,
// which many clients use for JSON.
const MaxBalance = 1 << 53

// maxReasonLength is how long the reason of an adjustment may be, in code points.
const maxReasonLength = 200

// ErrBalance means that an adjustment would leave a balance outside the allowed range.
var ErrBalance = errors.New("the balance must stay from 0 to 9007199254740992")

// CheckAdjustment returns the problem of an adjustment of gold, or nil. The reason becomes the description of its
// ledger row.
func CheckAdjustment(amount int64, reason string) error {
	n := utf8.RuneCountInString(reason)
	return errors.Join(
		when(amount == 0 || amount < -MaxBalance || amount > MaxBalance, "the amount must be from 1 to %d, or from -1 to -%[1]d", int64(MaxBalance)),
		when(n < 1 || n > maxReasonLength || !printable(reason), "the reason must have 1 to %d printable characters", maxReasonLength),
	)
}

// AdjustmentEntry returns the ledger row of an operator's adjustment, to follow a's last row. CheckAdjustment must have
// accepted it. It returns ErrBalance if the balance would fall below 0, or rise above MaxBalance.
func AdjustmentEntry(a Account, amount int64, reason string, now Instant) (LedgerEntry, error) {
	if balance := a.GoldBalance + amount; balance < 0 || balance > MaxBalance {
		return LedgerEntry{}, fmt.Errorf("%w: it is %d, and would be %d", ErrBalance, a.GoldBalance, balance)
	}
	row := a.nextEntry(amount, CategoryAdjustment, reason, "", now)
	row.RefID = nil
	return row, nil
}
