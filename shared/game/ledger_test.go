package game

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const ledgerUser, ledgerShow = ID("11111111-1111-4111-8111-111111111111"), ID("33333333-3333-4333-8333-333333333333")

func TestLedgerEntries(t *testing.T) {
	account := Account{User: User{ID: ledgerUser, GoldBalance: 500}, LedgerSeq: 7}
	show := Show{ID: ledgerShow, Name: "Autumn Cup", EntryFee: 40}
	starter := StarterEntry(ledgerUser, 5)
	assert.True(t, starter.Description != "", "no welcome")
	adjustment, err := AdjustmentEntry(account, -200, "bought twice", 8)
	assert.NoError(t, err)
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
		"refund": {RefundEntry(account, show, 35, 9), LedgerEntry{
			UserID: ledgerUser, Seq: 8, Amount: 35, Currency: "gold", Category: "refund", BalanceAfter: 535,
			Description: "Show cancelled: Autumn Cup", RefID: new(ledgerShow), CreatedAt: 9,
		}},
		"adjustment": {adjustment, LedgerEntry{
			UserID: ledgerUser, Seq: 8, Amount: -200, Currency: "gold", Category: "adjustment", BalanceAfter: 300,
			Description: "bought twice", CreatedAt: 8,
		}},
	}
	var ids []ID
	for name, test := range tests {
		assert.Empty(t, cmp.Diff(test.want, test.got, cmpopts.IgnoreFields(LedgerEntry{}, "ID")), "%s", name)
		ids = append(ids, test.got.ID)
	}
	checkIDs(t, ids...)
}

// In any order of fees and rewards, rows are numbered without gaps, and each balance is the sum of the amounts so far.
func TestLedgerAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := StarterEntry(ledgerUser, 0)
		account := NewAccount(Registration{}, 0)
		rows, sum := []LedgerEntry{first}, first.Amount
		for _, amount := range rapid.SliceOf(rapid.Int64Range(1, 1500)).Draw(t, "amounts") {
			entry := RewardEntry(account, Show{}, 1, amount, 0)
			if rapid.Bool().Draw(t, "fee") {
				entry = FeeEntry(account, Show{EntryFee: min(amount, account.GoldBalance)}, 0)
			}
			sum += entry.Amount
			require.True(t, entry.Seq == account.LedgerSeq+1 && entry.BalanceAfter == sum,
				"row %d after %d, balance %d, want %d", entry.Seq, account.LedgerSeq, entry.BalanceAfter, sum)
			account.GoldBalance, account.LedgerSeq = entry.BalanceAfter, entry.Seq
			rows = append(rows, entry)
		}
		differences := AuditLedger(account, rows)
		require.True(t, differences == nil, differences)
	})
}

func TestAuditLedger(t *testing.T) {
	row := func(seq, amount, balance int64) LedgerEntry {
		return LedgerEntry{Seq: seq, Amount: amount, BalanceAfter: balance}
	}
	account := func(balance, seq int64) Account { return Account{User: User{GoldBalance: balance}, LedgerSeq: seq} }
	for name, test := range map[string]struct {
		account Account
		rows    []LedgerEntry
		want    []string
	}{
		"in order":         {account(460, 2), []LedgerEntry{row(1, 500, 500), row(2, -40, 460)}, nil},
		"down to nothing":  {account(0, 2), []LedgerEntry{row(1, 500, 500), row(2, -500, 0)}, nil},
		"external account": {account(0, 0), nil, nil},
		"gap": {account(460, 2), []LedgerEntry{row(1, 500, 500), row(3, -40, 460)},
			[]string{"row 2 has the number 3"}},
		"double": {account(460, 2), []LedgerEntry{row(1, 500, 500), row(1, -40, 460)},
			[]string{"row 2 has the number 1"}},
		"wrong balance in a row": {account(460, 2), []LedgerEntry{row(1, 500, 500), row(2, -40, 450)},
			[]string{"row 2 says a balance of 450, the amounts add up to 460"}},
		"below nothing": {account(-1, 2), []LedgerEntry{row(1, 500, 500), row(2, -501, -1)},
			[]string{"row 2 leaves a balance of -1"}},
		"paid without a row": {account(600, 1), []LedgerEntry{row(1, 500, 500)},
			[]string{"the balance is 600, the amounts add up to 500"}},
		"last row lost": {account(460, 2), []LedgerEntry{row(1, 500, 500)},
			[]string{"the balance is 460, the amounts add up to 500", "the account counts 2 rows, but 1 exist"}},
	} {
		assert.Empty(t, cmp.Diff(test.want, AuditLedger(test.account, test.rows)), "%s", name)
	}
}

// The JSON of a row, which operators read.
func TestLedgerEntryJSON(t *testing.T) {
	row := LedgerEntry{ID: ledgerShow, UserID: ledgerUser, Seq: 2, Amount: -25, Currency: Currency, Category: CategoryFee, BalanceAfter: 475, Description: "Cup"}
	const start = `{"id":"33333333-3333-4333-8333-333333333333","user_id":"11111111-1111-4111-8111-111111111111","seq":2,"amount":-25,"currency":"gold",` +
		`"category":"fee","balance_after":475,"description":"Cup",`
	for reference, want := range map[*ID]string{
		nil:             start + `"created_at":"1970-01-01T00:00:00.000Z"}`,
		new(ledgerUser): start + `"ref_id":"11111111-1111-4111-8111-111111111111","created_at":"1970-01-01T00:00:00.000Z"}`,
	} {
		row.RefID = reference
		got, err := json.Marshal(row)
		assert.True(t, err == nil && string(got) == want, "got %s, %v, want %s", got, err, want)
	}
}
