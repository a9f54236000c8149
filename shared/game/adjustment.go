package game

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxBalance is the highest gold balance that an adjustment may lead to. JSON clients often hold numbers as floating
// point values, which are exact for every integer up to MaxBalance.
const MaxBalance = 1 << 53

// maxReasonLength is the length limit of an adjustment's reason, in code points.
const maxReasonLength = 200

// ErrBalance means that an adjustment would leave a balance outside the allowed range.
var ErrBalance = errors.New("the balance must stay from 0 to 9007199254740992")

// CheckAdjustment returns an error that lists every problem of an adjustment of gold, or nil if the adjustment is
// valid. The reason becomes the description of the adjustment's ledger row.
func CheckAdjustment(amount int64, reason string) error {
	n := utf8.RuneCountInString(reason)
	return errors.Join(
		when(amount == 0 || amount < -MaxBalance || amount > MaxBalance, "the amount must be from 1 to %d, or from -1 to -%[1]d", int64(MaxBalance)),
		when(n < 1 || n > maxReasonLength || !printable(reason), "the reason must have 1 to %d printable characters", maxReasonLength),
	)
}

// AdjustmentEntry returns the ledger row of an operator's adjustment. The row follows the last ledger row of a. The
// caller must have passed amount and reason to CheckAdjustment. AdjustmentEntry returns ErrBalance if the new balance
// would be below 0 or above MaxBalance.
func AdjustmentEntry(a Account, amount int64, reason string, now Instant) (LedgerEntry, error) {
	if balance := a.GoldBalance + amount; balance < 0 || balance > MaxBalance {
		return LedgerEntry{}, fmt.Errorf("%w: it is %d, and would be %d", ErrBalance, a.GoldBalance, balance)
	}
	row := a.nextEntry(amount, CategoryAdjustment, reason, "", now)
	row.RefID = nil
	return row, nil
}
