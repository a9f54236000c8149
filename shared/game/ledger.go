package game

import "fmt"

// Category says why gold moved.
type Category string

// The categories of the specification's section 2.5.
const (
	CategoryStarter Category = "starter"
	CategoryFee     Category = "fee"
	CategoryReward  Category = "reward"
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
	RefID        *ID      `json:"ref_id,omitempty"` // the show of a fee or reward
	CreatedAt    Instant  `json:"created_at"`
}

// StarterEntry is the first ledger row of every registered user.
func StarterEntry(user ID, now Instant) LedgerEntry {
	return LedgerEntry{
		ID: NewID(), UserID: user, Seq: 1, Amount: StartingGold, Currency: Currency, Category: CategoryStarter,
		BalanceAfter: StartingGold, Description: "Welcome to Ranch! Here is your starting gold.", CreatedAt: now,
	}
}

// FeeEntry is the ledger row that follows a's last one when a pays the entry fee of show.
func FeeEntry(a Account, show Show, now Instant) LedgerEntry {
	return a.nextEntry(-show.EntryFee, CategoryFee, "Show entry: "+show.Name, show.ID, now)
}

// RewardEntry is the ledger row that follows a's last one when a is paid prize for rank in show.
func RewardEntry(a Account, show Show, rank int, prize int64, now Instant) LedgerEntry {
	return a.nextEntry(prize, CategoryReward, fmt.Sprintf("%s - Rank %d", show.Name, rank), show.ID, now)
}

func (a Account) nextEntry(amount int64, category Category, description string, show ID, now Instant) LedgerEntry {
	return LedgerEntry{
		ID: NewID(), UserID: a.ID, Seq: a.LedgerSeq + 1, Amount: amount, Currency: Currency, Category: category,
		BalanceAfter: a.GoldBalance + amount, Description: description, RefID: &show, CreatedAt: now,
	}
}
