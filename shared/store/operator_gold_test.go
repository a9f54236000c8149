package store_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

const mended = "mended by hand"

// adjust adjusts Ann's gold.
func (f fair) adjust(t *testing.T, amount int64) error {
	t.Helper()
	return f.changes().AdjustGold(t.Context(), f.Ann.ID, amount, mended)
}

func TestGoldIsAdjusted(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	change := f.Change()
	for range 2 { // the second call repeats the change
		checkError(t, f.Desk.Operator(change).AdjustGold(t.Context(), f.Ann.ID, -100, mended), nil)
		row := must(f.LedgerRow(t.Context(), f.Ann.ID, change.ID))(t)
		storetest.Equal(t, "row", row, &game.LedgerEntry{
			ID: change.ID, UserID: f.Ann.ID, Seq: 3, Amount: -100, Currency: "gold", Category: "adjustment", BalanceAfter: 350,
			Description: mended, CreatedAt: change.At,
		})
	}
	f.CheckGold(t, f.Ann.ID, 350, 500, -50, -100)
	record := must(f.AuditRecord(t.Context(), change.ID))(t)
	storetest.Equal(t, "record", record, &operate.AuditRecord{
		ID: change.ID, At: change.At, WrittenAt: record.WrittenAt, By: change.By, Action: "adjust gold", Subject: "user " + string(f.Ann.ID), Reason: mended,
		Before: json.RawMessage(`{"goldBalance":450,"ledgerRows":2}`), After: json.RawMessage(`{"goldBalance":350,"ledgerRows":3}`), Link: record.Link,
	})
}

// Gold can be adjusted for a banned user, and for an account that began without gold.
func TestWhoseGoldIsAdjusted(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Ban(t, f.Ann.ID)
	checkError(t, f.adjust(t, 7), nil)
	storetest.Equal(t, "status", f.AccountOf(t, f.Ann.ID).Status, game.UserBanned)
	external := f.AddExternal(t, storetest.Bob, "")
	checkError(t, f.changes().AdjustGold(t.Context(), external.ID, 9, mended), nil)
	f.CheckGold(t, external.ID, 9, 9)
	checkError(t, f.changes().AdjustGold(t.Context(), game.NewID(), 9, mended), store.ErrUnknownUser)
	checkError(t, errOf(f.LedgerRow(t.Context(), external.ID, game.NewID())), operate.ErrUnknownRow)
	f.Invariants(t)
	f.DeleteUser(t, f.Ann.ID)
	f.Unchanged(t, func() { checkError(t, f.adjust(t, 1), operate.ErrDeletedUser) })
}

func TestABalanceKeepsItsLimits(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Unchanged(t, func() {
		checkError(t, f.adjust(t, -501), game.ErrBalance)
		checkError(t, f.adjust(t, game.MaxBalance-499), game.ErrBalance)
		for reason, amount := range map[string]int64{"nothing": 0, "": 1} {
			assert.Error(t, f.changes().AdjustGold(t.Context(), f.Ann.ID, amount, reason), "adjusted by %d for %q", amount, reason)
		}
	})
	checkError(t, f.adjust(t, game.MaxBalance-500), nil)
	checkError(t, f.adjust(t, -game.MaxBalance), nil)
	f.CheckGold(t, f.Ann.ID, 0, 500, game.MaxBalance-500, -game.MaxBalance)
}

func mustAdjust(t *testing.T, f fair, change operate.Change, amount int64) {
	t.Helper()
	checkError(t, f.Rival.Operator(change).AdjustGold(t.Context(), f.Ann.ID, amount, mended), nil)
}

// Of two payments of the same amount for the same reason one pays, also if they come at once, and if the first one's row
// becomes visible after its balance. A payment of another amount, or more than seven days later, pays.
func TestOfTwoPaymentsOnePays(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	pay := func(in *storetest.Scene, amount int64) error {
		return f.Desk.Operator(in.Change()).PayOnce(t.Context(), f.Ann.ID, amount, mended)
	}
	f.Meanwhile(func() { mustAdjust(t, f, f.Change(), 50) })
	checkError(t, pay(f.Scene, 50), operate.ErrPaidBefore)
	held := f.Wire.Hold()
	checkError(t, pay(f.Scene, 60), storetest.ErrHeld)
	f.Apply(t, held.Take(func(_, sk string) bool { return sk == "PROFILE" }))
	f.then(t, "Query", 2, held.Take(ofAll))
	checkError(t, pay(f.Scene, 60), operate.ErrPaidBefore)
	checkError(t, pay(f.AtTime(f.Now.Add(operate.Repeatable)), 50), nil)
	f.CheckGold(t, f.Ann.ID, 660, 500, 50, 60, 50)
}

// A balance that another program has written becomes the sum of the rows, with what is paid in between. A ledger with a
// missing row is left as it is: the sum would lose gold.
func TestGoldIsSetFromTheLedger(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	set := func() error { return f.changes().SetGoldFromLedger(t.Context(), f.Ann.ID) }
	f.Unchanged(t, func() { checkError(t, set(), operate.ErrRightBalance) })
	mustAdjust(t, f, f.Change(), 70)
	f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = :gold", map[string]any{":gold": 7})
	f.Meanwhile(func() { mustAdjust(t, f, f.Change(), 30) })
	checkError(t, set(), nil)
	storetest.Equal(t, "gold", f.AccountOf(t, f.Ann.ID).GoldBalance, 600)
	for _, row := range must(f.Ledger(t.Context(), f.Ann.ID))(t)[1:] {
		at := f.At(store.LedgerKey(f.Ann.ID, row.Seq))
		was := at.Read(t)
		at.Delete(t)
		f.Unchanged(t, func() { checkError(t, set(), table.ErrDamaged) })
		at.Restore(t, was)
	}
}
