package game

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxBalance is the most gold that an adjustment leaves: every integer up to it is exact where numbers are floating
// point, as they are in many clients' JSON.
const MaxBalance = 1 << 53

// maxReasonLength is how long the reason of an adjustment may be, in code points.
const maxReasonLength = 200

// ErrBalance means that an adjustment would leave a balance outside the allowed range.
var ErrBalance = errors.New("the balance must stay from 0 to 9007199254740992")

// CheckAdjustment returns what is wrong with an adjustment of anybody's gold. The reason becomes the description of its
// ledger row.
func CheckAdjustment(amount int64, reason string) error {
	n := utf8.RuneCountInString(reason)
	return errors.Join(
		when(amount == 0 || amount < -MaxBalance || amount > MaxBalance, "the amount must be from 1 to %d, or from -1 to -%[1]d", int64(MaxBalance)),
		when(n < 1 || n > maxReasonLength || !printable(reason), "the reason must have 1 to %d printable characters", maxReasonLength),
	)
}

// AdjustmentEntry is the ledger row that follows a's last one when an operator makes an adjustment that CheckAdjustment
// finds nothing wrong with. It returns ErrBalance where the balance would fall below 0, or rise above MaxBalance.
func AdjustmentEntry(a Account, amount int64, reason string, now Instant) (LedgerEntry, error) {
	if balance := a.GoldBalance + amount; balance < 0 || balance > MaxBalance {
		return LedgerEntry{}, fmt.Errorf("%w: it is %d, and would be %d", ErrBalance, a.GoldBalance, balance)
	}
	row := a.nextEntry(amount, CategoryAdjustment, reason, "", now)
	row.RefID = nil
	return row, nil
}
