package game

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

const ledgerUser, ledgerShow = ID("11111111-1111-4111-8111-111111111111"), ID("33333333-3333-4333-8333-333333333333")

func TestLedgerEntries(t *testing.T) {
	account := Account{User: User{ID: ledgerUser, GoldBalance: 500}, LedgerSeq: 7}
	show := Show{ID: ledgerShow, Name: "Autumn Cup", EntryFee: 40}
	starter := StarterEntry(ledgerUser, 5)
	if starter.Description == "" {
		t.Error("no welcome")
	}
	tests := map[string]struct{ got, want LedgerEntry }{
		"starter": {starter, LedgerEntry{
			UserID: ledgerUser, Seq: 1, Amount: 500, Currency: "gold", Category: "starter", BalanceAfter: 500,
			Description: starter.Description, CreatedAt: 5,
		}},
		"fee": {FeeEntry(account, show, 6), LedgerEntry{
			UserID: ledgerUser, Seq: 8, Amount: -40, Currency: "gold", Category: "fee", BalanceAfter: 460,
			Description: "Show entry: Autumn Cup", RefID: new(ledgerShow), CreatedAt: 6,
		}},
		"reward": {RewardEntry(account, show, 2, 60, 7), LedgerEntry{
			UserID: ledgerUser, Seq: 8, Amount: 60, Currency: "gold", Category: "reward", BalanceAfter: 560,
			Description: "Autumn Cup - Rank 2", RefID: new(ledgerShow), CreatedAt: 7,
		}},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, test.got, cmpopts.IgnoreFields(LedgerEntry{}, "ID")); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if _, ok := ParseID(string(test.got.ID)); !ok {
			t.Errorf("%s has the id %q", name, test.got.ID)
		}
	}
}

func TestStarterEntryHasNoReference(t *testing.T) {
	encoded, err := json.Marshal(StarterEntry(ledgerUser, 0))
	if err != nil || strings.Contains(string(encoded), "ref_id") {
		t.Errorf("%s, %v", encoded, err)
	}
}

// However fees and rewards follow each other, the rows are numbered without gaps and each balance is the sum of all amounts so far.
func TestLedgerAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := StarterEntry(ledgerUser, 0)
		account := NewAccount(Registration{}, "", 0)
		sum := first.Amount
		for _, amount := range rapid.SliceOf(rapid.Int64Range(1, 1500)).Draw(t, "amounts") {
			entry := RewardEntry(account, Show{}, 1, amount, 0)
			if rapid.Bool().Draw(t, "fee") {
				entry = FeeEntry(account, Show{EntryFee: amount}, 0)
			}
			sum += entry.Amount
			if entry.Seq != account.LedgerSeq+1 || entry.BalanceAfter != sum {
				t.Fatalf("row %d after %d, balance %d, want %d", entry.Seq, account.LedgerSeq, entry.BalanceAfter, sum)
			}
			account.GoldBalance, account.LedgerSeq = entry.BalanceAfter, entry.Seq
		}
	})
}
