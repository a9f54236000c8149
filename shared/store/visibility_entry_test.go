package store_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// holdEntry makes an entry of Ann's animal i, but holds its transaction back from the table.
func (f fair) holdEntry(t *testing.T, i int) *storetest.Held {
	t.Helper()
	held := f.Wire.Hold()
	checkError(t, f.enter(t.Context(), f.Ann, i), storetest.ErrHeld)
	return held
}

// If only a part of a committed entry is visible, a judging waits for the rest, and ranks the entry.
func TestJudgingWaitsForAnEntry(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(f fair) (pk, sk string){
		"gate first":  func(f fair) (pk, sk string) { return store.GateKey(f.Show, 0) },
		"entry first": func(f fair) (pk, sk string) { return store.EntryKey(f.Show.ID, f.Ann.Animals[1].ID, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 1)
			f.MustEnter(t, f.Ann, f.Show, 0)
			held := f.holdEntry(t, 1)
			firstPK, firstSK := first(f)
			f.Apply(t, held.Take(func(pk, sk string) bool { return pk == firstPK && sk == firstSK }))
			ctx, cancel := context.WithCancel(t.Context())
			// The judging reads the gate and the entries three times. Then it takes the lease.
			f.Wire.Next("Query", slices.Repeat([]storetest.Fault{storetest.Pass}, 6+1)...) // and the notes
			f.Wire.Next("Query", storetest.Before(cancel))
			checkError(t, f.judge(ctx), context.Canceled)
			f.then(t, "Query", 4, held.Take(ofAll))
			ranked, err := f.Judge(t.Context(), f.Ann.ID, f.Show.ID, f.Now)
			assert.True(t, err == nil && len(ranked) == 2, "%v, %v", ranked, err)
			f.Invariants(t)
		})
	}
}

// The fee of an entry may be visible before the entry. A second entry, with no gold left, still gets DUPLICATE.
func TestADuplicateWaitsForTheEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 500, 1)
	held := f.holdEntry(t, 0)
	f.Apply(t, held.Take(func(_, sk string) bool { return sk == "PROFILE" }))
	f.Wire.Next("TransactGetItems", storetest.Conflict, storetest.Before(func() { f.Apply(t, held.Take(ofAll)) }))
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrDuplicateEntry)
	f.Invariants(t)
}

// A show that is just being created is on the board before its gates are visible. A list waits for them, since a
// judging that is becoming visible looks the same.
func TestNewShowIsStillBecomingVisible(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := bareFair(t)
		f.Show = f.NewShow(storetest.Tier("pro"), storetest.Fee(0))
		held := f.Wire.Hold()
		checkError(t, f.changes().CreateShow(t.Context(), f.Show, gates), storetest.ErrHeld)
		f.Apply(t, append(held.Take(ofBoards), held.Take(ofShow)...))
		for _, tier := range []string{"pro", ""} {
			list, err := firstPage(soon(t), f, game.ShowOpen, tier)
			assert.ErrorIs(t, err, context.DeadlineExceeded, "listed as %+v, %v", list, err)
		}
		show, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
		assert.True(t, err == nil && len(entries) == 0, "%v, %v", entries, err)
		storetest.Equal(t, "show", show, f.Show)
		checkError(t, f.judge(soon(t)), context.DeadlineExceeded)
		gatesLeft := held.Take(ofGates)
		f.then(t, "TransactWriteItems", 2, gatesLeft)
		checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
		f.checkList(t, game.ShowOpen, "pro", f.Show.Name)
		f.checkList(t, "", "", f.Show.Name)
		f.Invariants(t)
	}
}
