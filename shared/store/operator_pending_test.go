package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/store"
)

// Work that was interrupted, or is due, is pending until it is done.
func TestPending(t *testing.T) {
	t.Parallel()
	f := newFair(t, "rookie", 50, 2)
	bob := f.AddPlayer(t, storetest.Bob)
	open := f.AddShow(t, func(d *storetest.ShowDraft) { d.EntryClosesAt = f.Now.Add(3 * time.Hour) })
	other := f.AddShow(t, func(d *storetest.ShowDraft) { d.EntryClosesAt = f.Now.Add(2 * time.Hour) })
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	f.MustEnter(t, bob, other, 0)
	check := func(after time.Duration, want ...store.PendingWork) {
		t.Helper()
		got := must(f.Pending(t.Context(), f.Now.Add(after)))(t)
		storetest.Equal(t, "pending", got, want)
	}
	check(0)

	checkError(t, f.cancelShow(t), nil)
	refunds := store.PendingWork{Work: store.WorkRefunds, Show: f.Show.ID, Since: f.Now, Left: 2}
	check(0, refunds)
	ctx, cancel := context.WithCancel(t.Context())
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Before(cancel))
	checkError(t, f.refund(ctx), context.Canceled)
	refunds.Left = 1
	judging := store.PendingWork{Work: store.WorkJudging, Show: other.ID, Since: other.EntryClosesAt}
	check(2*time.Hour, judging, refunds)

	// The deletion ends before it renames the entries.
	ctx, cancel = context.WithCancel(t.Context())
	f.Wire.Next("UpdateItem", slices.Repeat([]storetest.Fault{storetest.Before(cancel)}, 2)...)
	checkError(t, errOf(f.changes().DeleteUser(ctx, bob.ID)), context.Canceled)
	f.Wire.Forget()
	names := store.PendingWork{Work: store.WorkNames, User: bob.ID, Name: "deleted player", Since: f.Now, Left: 1}
	check(2*time.Hour, judging, refunds, names)

	f.DeleteUser(t, bob.ID)
	checkError(t, f.refund(t.Context()), nil)
	f.MustJudge(t, f.Ann, other)
	check(2 * time.Hour)
	check(3*time.Hour, store.PendingWork{Work: store.WorkJudging, Show: open.ID, Since: open.EntryClosesAt})
}

// Pending waits for an entry that was just made and is only partly visible. A show is torn if it stays so.
func TestPendingRefundsWaitForEntries(t *testing.T) {
	t.Parallel()
	f := cancelledFair(t)
	part := f.participation(0)
	row := part.Read(t)
	part.Delete(t)
	torn := must(f.Pending(t.Context(), f.Now))(t)
	storetest.Equal(t, "torn", []any{torn[0].Torn, torn[0].Left}, []any{true, 1})
	f.Wire.Next("BatchGetItem", storetest.Pass, storetest.Pass, storetest.Pass, storetest.Before(func() { part.Restore(t, row) }))
	whole := must(f.Pending(t.Context(), f.Now))(t)
	storetest.Equal(t, "whole", []any{whole[0].Torn, whole[0].Left}, []any{false, 1})
	f.CheckFaults(t)
}
