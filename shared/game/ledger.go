package game

import "fmt"

// Category is the reason for a change of gold.
type Category string

// The categories (docs/rules.md, S2.5.1 and R-operators).
const (
	CategoryStarter Category = "starter"
	CategoryFee     Category = "fee"
	CategoryReward  Category = "reward"
	CategoryRefund  Category = "refund"

	CategoryAdjustment Category = "adjustment" // an operator's change
)

// Currency is the only currency that the ledger records.
const Currency = "gold"

// LedgerEntry is one change of a gold balance.
type LedgerEntry struct {
	ID           ID       `json:"id"`
	UserID       ID       `json:"user_id"`
	Seq          int64    `json:"seq"` // 1 for a user's first row, without gaps
	Amount       int64    `json:"amount"`
	Currency     string   `json:"currency"`
	Category     Category `json:"category"`
	BalanceAfter int64    `json:"balance_after"`
	Description  string   `json:"description"`
	RefID        *ID      `json:"ref_id,omitempty"` // the show of a fee, reward or refund
	CreatedAt    Instant  `json:"created_at"`
}

// StarterEntry returns the first ledger row of a registered user, with a random id.
func StarterEntry(user ID, now Instant) LedgerEntry {
	return LedgerEntry{
		ID: NewID(), UserID: user, Seq: 1, Amount: StartingGold, Currency: Currency, Category: CategoryStarter,
		BalanceAfter: StartingGold, Description: "Welcome to Ranch! Here is your starting gold.", CreatedAt: now,
	}
}

// FeeEntry returns the ledger row for paying the entry fee of show, with a random id. The row follows the last ledger
// row of a.
func FeeEntry(a Account, show Show, now Instant) LedgerEntry {
	return a.nextEntry(-show.EntryFee, CategoryFee, "Show entry: "+show.Name, show.ID, now)
}

// RefundEntry returns the ledger row that pays back to a the fee, in gold, of an entry in a cancelled show. The row has
// a random id and follows the last ledger row of a.
func RefundEntry(a Account, show Show, fee int64, now Instant) LedgerEntry {
	return a.nextEntry(fee, CategoryRefund, "Show cancelled: "+show.Name, show.ID, now)
}

// RewardEntry returns the ledger row for the prize, in gold, of a rank in show. The row has a random id and follows the
// last ledger row of a.
func RewardEntry(a Account, show Show, rank int, prize int64, now Instant) LedgerEntry {
	return a.nextEntry(prize, CategoryReward, fmt.Sprintf("%s - Rank %d", show.Name, rank), show.ID, now)
}

func (a Account) nextEntry(amount int64, category Category, description string, show ID, now Instant) LedgerEntry {
	return LedgerEntry{
		ID: NewID(), UserID: a.ID, Seq: a.LedgerSeq + 1, Amount: amount, Currency: Currency, Category: category,
		BalanceAfter: a.GoldBalance + amount, Description: description, RefID: &show, CreatedAt: now,
	}
}

// AuditLedger compares an account with all of its ledger rows, oldest first. It returns a sentence for each difference.
// Differences of rows are a number that is not the row's place, a balance that is not the sum of the amounts so far,
// and a sum below 0. Differences of the account are another balance and another count of rows.
func AuditLedger(a Account, rows []LedgerEntry) []string {
	var differences []string
	report := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	sum := int64(0)
	for i, row := range rows {
		sum += row.Amount
		if want := int64(i + 1); row.Seq != want {
			report("row %d has the number %d", want, row.Seq)
		}
		if row.BalanceAfter != sum {
			report("row %d says a balance of %d, the amounts add up to %d", row.Seq, row.BalanceAfter, sum)
		}
		if sum < 0 {
			report("row %d leaves a balance of %d", row.Seq, sum)
		}
	}
	if a.GoldBalance != sum {
		report("the balance is %d, the amounts add up to %d", a.GoldBalance, sum)
	}
	if a.LedgerSeq != int64(len(rows)) {
		report("the account counts %d rows, but %d exist", a.LedgerSeq, len(rows))
	}
	return differences
}
