package store_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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

	// The context ends before the deletion renames the entry.
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

// Pending waits for an entry that was just made and is only partly visible. A show whose entry stays so is torn.
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

// In a damaged table, Pending counts an entry as unpaid unless it finds a participation without fee, or with a refund.
func TestPendingRefundsOfADamagedTable(t *testing.T) {
	t.Parallel()
	f := newFair(t, "rookie", 50, 2)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	checkError(t, f.cancelShow(t), nil)
	earlier := f.AddShow(t)
	f.MustEnter(t, f.Ann, earlier, 2)
	checkError(t, f.Operator().CancelShow(t.Context(), earlier.ID), nil)
	f.At("PENDING", "REFUNDS#"+string(earlier.ID)).Edit(t, "SET si = :n", map[string]any{":n": 7})
	type counted struct {
		Left int
		Torn bool
	}
	for name, c := range map[string]struct {
		row    storetest.Row
		change string // "" deletes the row
		want   []counted
	}{
		"nothing":                    {f.At(store.ShowKey(f.Show.ID)), "SET tr = :text", []counted{{2, false}}},
		"entry":                      {f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 2)), "", []counted{{2, true}}},
		"first participation":        {f.participation(0), "", []counted{{2, true}}},
		"second participation":       {f.participation(1), "", []counted{{2, true}}},
		"unreadable participation":   {f.participation(0), "SET fr = :text", []counted{{2, false}}},
		"participation without fee":  {f.participation(0), "REMOVE fr", []counted{{1, false}}},
		"show that is only a record": {f.At(store.ShowKey(f.Show.ID)), "", nil},
	} {
		row := c.row.Read(t)
		if c.change == "" {
			c.row.Delete(t)
		} else {
			c.row.Edit(t, c.change, used(c.change, map[string]any{":text": "much"}))
		}
		var got []counted
		for _, w := range must(f.Pending(t.Context(), f.Now))(t) {
			if w.Show == f.Show.ID {
				got = append(got, counted{w.Left, w.Torn})
				storetest.Equal(t, name+": since", w.Since, f.Now)
			} else {
				storetest.Equal(t, "since", w.Since, 7)
			}
		}
		storetest.Equal(t, name, got, c.want)
		c.row.Restore(t, row)
	}
}

// Pending counts an entry that shows the old name in its own item or on its page of results.
func TestPendingNames(t *testing.T) {
	t.Parallel()
	f := newFair(t, "rookie", 0, 2)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.MustJudge(t, f.Ann, f.Show)
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Denied)
	_, err := f.changes().SetUser(t.Context(), f.Ann.ID, username("Anna"))
	assert.Error(t, err, "renamed whole")
	entry, page := f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 2)), f.Result(t, f.Show, "PAGE#")
	show, account := f.At(store.ShowKey(f.Show.ID)), f.At(store.UserKey(f.Ann.ID))
	check := func(name, shown string, left int) {
		t.Helper()
		got := must(f.Pending(t.Context(), f.Now))(t)
		storetest.Equal(t, name, got, []store.PendingWork{{Work: store.WorkNames, User: f.Ann.ID, Name: shown, Since: f.Now, Left: left}})
	}
	rename := func(row storetest.Row, change, name string) { row.Edit(t, change, map[string]any{":name": name}) }
	check("both", "Anna", 1)
	rename(entry, "SET un = :name", "Anna")
	check("the page", "Anna", 1)
	rename(page, "SET us[0] = :name", "Anna")
	check("none", "Anna", 0)
	rename(entry, "SET un = :name", "ann")
	check("the item", "Anna", 1)
	row := show.Read(t)
	show.Delete(t)
	check("of no show", "Anna", 0)
	show.Restore(t, row)
	rename(show, "SET n = :name", "many")
	_, err = f.Pending(t.Context(), f.Now)
	assert.Error(t, err, "did not say that a show cannot be read")
	show.Restore(t, row)
	account.Delete(t)
	check("of no user", "", 0)
}
