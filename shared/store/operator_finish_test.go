package store_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func (f fair) checkUnfinished(t *testing.T, want ...store.PendingWork) {
	t.Helper()
	got := must(f.Rival.Unfinished(t.Context()))(t)
	storetest.Equal(t, "unfinished", got, append([]store.PendingWork{}, want...))
}

func (f fair) checkFinish(t *testing.T, w store.PendingWork, want bool) {
	t.Helper()
	finished := must(f.Finish(t.Context(), w, f.Now+9))(t)
	storetest.Equal(t, "finished", finished, want)
}

// A cancellation or deletion notes the work that it begins. The call that completes the work deletes the note.
func TestBegunWorkIsNotedUntilItIsFinished(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	bob := f.AddPlayer(t, storetest.Bob)
	f.MustEnter(t, bob, f.Show, 0)
	other := fair{f.AtTime(f.Now + 5)}
	f.checkUnfinished(t)

	f.DeleteUser(t, bob.ID)
	f.checkUnfinished(t) // it was finished at once
	cid := f.AddPlayer(t, storetest.Cid)
	f.MustEnter(t, cid, f.Show, 0)
	ctx, cancel := context.WithCancel(t.Context())
	f.Wire.Next("UpdateItem", storetest.Before(cancel))
	checkError(t, errOf(f.Desk.Operator(other.Change()).DeleteUser(ctx, cid.ID)), context.Canceled)
	names := store.PendingWork{Work: store.WorkNames, User: cid.ID, Since: f.Now + 5}
	checkError(t, f.cancelShow(t), nil)
	refunds := store.PendingWork{Work: store.WorkRefunds, Show: f.Show.ID, Since: f.Now}
	f.checkUnfinished(t, refunds, names)

	f.checkFinish(t, names, true)
	f.checkUnfinished(t, refunds)
	storetest.Equal(t, "name", f.names(t, f.Show.ID)[cid.Animals[0].ID], game.DeletedPlayer)
	f.checkFinish(t, refunds, true)
	f.checkUnfinished(t)
	f.CheckGold(t, f.Ann.ID, 500, 500, -50, -50, 50, 50)
	storetest.Equal(t, "when it was given back", f.LedgerOf(t, f.Ann.ID)[4].CreatedAt, f.Now+9)
	f.Unchanged(t, func() { f.checkFinish(t, refunds, true); f.checkFinish(t, names, true) })
	f.Invariants(t)
}

// A note may be visible before the other items of its change. Finish then leaves the work and the note.
func TestWorkThatCannotBeSeenIsLeft(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.Unchanged(t, func() {
		for _, w := range []store.PendingWork{
			{Work: store.WorkRefunds, Show: f.Show.ID}, {Work: store.WorkRefunds, Show: game.NewID()},
		} {
			f.checkFinish(t, w, false)
		}
		for _, w := range []store.PendingWork{{Work: store.WorkNames, User: f.Ann.ID}, {Work: store.WorkNames, User: game.NewID()}} {
			f.checkFinish(t, w, true) // there is no note
		}
	})
	held := f.Wire.Hold()
	checkError(t, errOf(f.changes().SetUser(t.Context(), f.Ann.ID, username("Anna"))), storetest.ErrHeld)
	f.Apply(t, held.Take(func(pk, _ string) bool { return pk == "PENDING" }))
	f.Unchanged(t, func() { f.checkFinish(t, store.PendingWork{Work: store.WorkNames, User: f.Ann.ID}, false) })
	account := f.At(store.UserKey(f.Ann.ID))
	row := account.Read(t)
	account.Delete(t) // a damaged table lacks the user
	f.Unchanged(t, func() { f.checkFinish(t, store.PendingWork{Work: store.WorkNames, User: f.Ann.ID}, false) })
	account.Restore(t, row)
	f.Apply(t, held.Take(ofAll))
	f.checkFinish(t, store.PendingWork{Work: store.WorkNames, User: f.Ann.ID}, true)
	storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], "Anna")
	f.checkUnfinished(t)
}

// An operator's Refund ends the refunds while Finish is under way. The show keeps the time of the first end.
func TestRefundsEndDuringFinish(t *testing.T) {
	t.Parallel()
	f := cancelledFair(t)
	f.Meanwhile(func() { checkError(t, f.Operator().Refund(t.Context(), f.Show.ID, nil), nil) })
	f.checkFinish(t, store.PendingWork{Work: store.WorkRefunds, Show: f.Show.ID}, true)
	f.CheckFaults(t)
	storetest.Equal(t, "end of the refunds", f.record(t).RefundedAt, new(f.Now))
	f.checkUnfinished(t)
	f.Invariants(t)
}

// Another renaming begins and is interrupted while Finish or SetUser completes the first. The note of the other stays,
// and Finish then uses it.
func TestFinishingLeavesTheNoteOfALaterChange(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	begin := func(name string) {
		operators, wire := f.Another(t)
		wire.Next("TransactWriteItems", storetest.Pass, storetest.Denied)
		_, err := operators.Operator(f.Change()).SetUser(t.Context(), f.Ann.ID, username(name))
		assert.Error(t, err, "renamed whole")
	}
	begin("Anna")
	names := store.PendingWork{Work: store.WorkNames, User: f.Ann.ID, Since: f.Now}
	f.Meanwhile(func() { begin("Anni") }) // before the entry gets the name
	f.checkFinish(t, names, false)
	f.checkUnfinished(t, names)
	f.Wire.Next("DeleteItem", storetest.Before(func() { begin("Annie") }))
	f.checkFinish(t, names, true)
	f.checkUnfinished(t, names)
	f.Wire.Next("DeleteItem", storetest.Before(func() { begin("Ann_2") }))
	must(f.changes().SetUser(t.Context(), f.Ann.ID, username("Ann_1")))(t)
	f.checkUnfinished(t, names)
	f.checkFinish(t, names, true)
	f.checkUnfinished(t)
	storetest.Equal(t, "name", f.names(t, f.Show.ID)[f.Ann.Animals[0].ID], "Ann_2")
	f.Invariants(t)
}
