package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// The terms change after an entry has read them and before it commits. The entry uses the new terms.
func TestTermsChangeDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		eachTerm(t, gates, func(t *testing.T, f fair, change operate.ShowChange) {
			f.Meanwhile(func() { f.MustSet(t, f.Show, change) })
			show, _, err := f.Enter(t.Context(), f.Ann.ID, f.Show.ID, f.Ann.Animals[0].ID, f.Now)
			checkError(t, err, nil)
			record := must(f.Rival.ShowRecord(t.Context(), f.Show.ID))(t)
			storetest.Equal(t, "the show that was entered", show, record.Show)
			rows := f.LedgerOf(t, f.Ann.ID)
			storetest.Equal(t, "fee", rows[1].Amount, -record.EntryFee)
			storetest.Equal(t, "description", rows[1].Description, "Show entry: "+record.Name)
			f.Invariants(t)
		})
	}
}

// The closing time changes and returns to the value that an entry under way has read, with another fee. The entry's
// gate then exists again, and only the number of the terms reveals the change.
func TestClosingTimeComesBackDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	later, fee := f.Show.EntryClosesAt.Add(time.Minute), int64(70)
	f.Meanwhile(func() {
		f.MustSet(t, f.Show, operate.ShowChange{EntryClosesAt: &later, EntryFee: &fee})
		f.MustSet(t, f.Show, operate.ShowChange{EntryClosesAt: &f.Show.EntryClosesAt})
	})
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.CheckGold(t, f.Ann.ID, 430, 500, -70)
}

// A player enters between read and write. A change of the fee or the tier then fails; any other change reads again.
func TestAnAnimalEntersWhileTermsChange(t *testing.T) {
	t.Parallel()
	eachTerm(t, 3, func(t *testing.T, f fair, change operate.ShowChange) {
		f.Meanwhile(func() { f.MustEnter(t, f.Ann, f.Show, 0) })
		err := f.setShow(t, change)
		if change.Tier != nil || change.EntryFee != nil {
			checkError(t, err, operate.ErrHasEntries)
		} else {
			checkError(t, err, nil)
		}
		f.CheckGold(t, f.Ann.ID, 450, 500, -50)
		f.Invariants(t)
	})
}

// If entries come in between, the change takes the lease. Later entries wait for it and use the new terms.
func TestAChangeTakesTheLeaseOnceOvertaken(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"name", "closing time"} { // which keep or move the gates
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 3)
			f.Clock.Stop() // leases last, however slow the machine is
			late, waiting := f.AddPlayer(t, storetest.Bob), make(chan error, 1)
			f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
			f.Meanwhile(func() {
				storetest.Equal(t, "leased", f.leased(t), true)
				f.rivalWaits(t, waiting, late)
			})
			checkError(t, f.setShow(t, terms(f.Show)[name]), nil)
			storetest.Equal(t, "leased after the change", f.leased(t), false)
			if f.CheckFaults(t); t.Failed() { // then no entry waits
				return
			}
			checkError(t, <-waiting, nil)
		})
	}
}

func TestTwoChangesOfAShow(t *testing.T) {
	t.Parallel()
	for first := range terms(game.Show{}) {
		for second := range terms(game.Show{}) {
			if first == second || first == "all" || second == "all" {
				continue
			}
			t.Run(first+"/"+second, func(t *testing.T) {
				t.Parallel()
				f := newFair(t, game.TierRookie, 50, 2)
				change := terms(f.Show)
				f.Meanwhile(func() { f.MustSet(t, f.Show, change[first]) })
				checkError(t, f.setShow(t, change[second]), nil)
				record := must(f.ShowRecord(t.Context(), f.Show.ID))(t)
				storetest.Equal(t, "terms", record.Terms, 2)
				changed := 0
				for _, different := range []bool{
					record.Name != f.Show.Name, record.Tier != f.Show.Tier, record.EntryFee != f.Show.EntryFee, record.EntryClosesAt != f.Show.EntryClosesAt,
				} {
					if different {
						changed++
					}
				}
				storetest.Equal(t, "fields that have changed", changed, 2)
			})
		}
	}
}

// untilItIsTriedAgain calls do before the write of an operator's change, and ends the context when that is tried again.
func (f fair) untilItIsTriedAgain(t *testing.T, do func()) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	f.Meanwhile(func() {
		do()
		f.Wire.Next("GetItem", storetest.Before(cancel))
	})
	return ctx
}

// Only a damaged table has an open show without one of its gates. The change must not create a gate without a count.
func TestAGateIsMissingWhileTermsChange(t *testing.T) {
	t.Parallel()
	eachTerm(t, 2, func(t *testing.T, f fair, change operate.ShowChange) {
		gate := f.At(store.GateKey(f.Show, 1))
		ctx := f.untilItIsTriedAgain(t, func() { gate.Delete(t) })
		checkError(t, f.changes().SetShow(ctx, f.Show.ID, change), context.Canceled)
		row := gate.Read(t)
		assert.True(t, row == nil, "made %v", row)
		f.At(store.GateKey(f.Show, 1)).Edit(t, "SET n = :none", map[string]any{":none": 0})
		f.Invariants(t)
	})
}

// Only a damaged table has a gate under the key to which another gate is to move. The change must not overwrite it.
func TestAGateIsThereAlreadyWhileTermsChange(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	change, moved := terms(f.Show)["closing time"], f.Show
	moved.EntryClosesAt = *change.EntryClosesAt
	gate := f.At(store.GateKey(moved, 1))
	ctx := f.untilItIsTriedAgain(t, func() { gate.Edit(t, "SET n = :n", map[string]any{":n": 7}) })
	checkError(t, f.changes().SetShow(ctx, f.Show.ID, change), context.Canceled)
	storetest.Equal(t, "gate", len(gate.Read(t)), 3) // its key and its count
}

// A judging that has read the old terms reads again, and undoes nothing.
func TestTermsChangeDuringAJudging(t *testing.T) {
	t.Parallel()
	eachTerm(t, 2, func(t *testing.T, f fair, change operate.ShowChange) {
		var set operate.ShowRecord
		f.Meanwhile(func() {
			f.MustSet(t, f.Show, change)
			set = must(f.Rival.ShowRecord(t.Context(), f.Show.ID))(t)
		})
		checkError(t, f.judge(t.Context()), nil)
		set.Status, set.JudgedAt = game.ShowCompleted, &f.Now
		f.checkShow(t, set.ListedShow)
		f.Invariants(t)
	})
}

func TestShowEndsWhileItsTermsChange(t *testing.T) {
	t.Parallel()
	for _, end := range []func(t *testing.T, f fair){
		func(t *testing.T, f fair) { f.MustJudge(t, f.Ann, f.Show) },
		func(t *testing.T, f fair) { f.MustCancel(t, f.Show) },
	} {
		eachTerm(t, 2, func(t *testing.T, f fair, change operate.ShowChange) {
			f.Meanwhile(func() { end(t, f) })
			checkError(t, f.setShow(t, change), operate.ErrNotOpen)
		})
	}
}

// holdChange moves the closing time of the fair's show to a minute earlier, and holds the transaction back.
func (f fair) holdChange(t *testing.T) *storetest.Held {
	t.Helper()
	earlier, held := f.Show.EntryClosesAt.Add(-time.Minute), f.Wire.Hold()
	err := f.setShow(t, operate.ShowChange{EntryClosesAt: &earlier})
	require.ErrorIs(t, err, storetest.ErrHeld)
	return held
}

// Readers may see the rows and gates of a moving show under both keys. The list reads again until they see one of each.
func TestListsWaitForAShowThatMoves(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	held := f.holdChange(t)
	f.Apply(t, held.Take(func(pk, sk string) bool { return f.At(pk, sk).Read(t) == nil }))
	f.Wire.Next("Query", storetest.Pass, storetest.Pass, storetest.Pass, // the board, the gates in two shards
		storetest.Before(func() { f.Apply(t, held.Items) }))
	shows, err := firstPage(t.Context(), f, "", "")
	assert.True(t, err == nil && len(shows) == 1 && shows[0].EntryCount == 2 && shows[0].EntryClosesAt != f.Show.EntryClosesAt,
		"%v, %v", shows, err)
	f.checkList(t, game.ShowOpen, game.TierRookie, f.Show.Name)
}
