package store_test

import (
	"context"
	"testing"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// holdEntry enters the player's animal i and keeps the entry from the table.
func (f fair) holdEntry(t *testing.T, i int) *storetest.Held {
	t.Helper()
	held := f.Wire.Hold()
	checkError(t, f.enter(t.Context(), f.player, i), storetest.ErrHeld)
	return held
}

// An entry has been written, and only part of it is visible: the judging waits for the rest, and ranks it.
func TestJudgingWaitsForAnEntry(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(f fair) (pk, sk string){
		"gate first":  func(f fair) (pk, sk string) { return store.GateKey(f.show.ID, 0) },
		"entry first": func(f fair) (pk, sk string) { return store.EntryKey(f.show.ID, f.player.Animals[1].ID, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 1)
			f.MustEnter(t, f.player, f.show, f.player.Animals[0], f.now)
			held := f.holdEntry(t, 1)
			firstPK, firstSK := first(f)
			f.Apply(t, held.Take(func(pk, sk string) bool { return pk == firstPK && sk == firstSK }))
			checkError(t, f.judge(soon(t)), context.DeadlineExceeded)
			gate := f.At(store.GateKey(f.show.ID, 0))
			if gate.Read(t)["su"] == nil {
				t.Error("a judging that reads a gate in vain has not sealed it")
			}
			gate.Edit(t, "REMOVE su", nil) // the rest of the entry, which comes before the seal, is applied under its conditions
			f.then(t, "Query", 2, held.Take(ofAll))
			ranked, err := f.Judge(t.Context(), f.player.ID, f.show.ID, f.now)
			if err != nil || len(ranked) != 2 {
				t.Error(ranked, err)
			}
			checkFaults(t, f.Table)
			f.Invariants(t)
		})
	}
}

// A show that is just being created is listed before its gates are visible: it has no entries yet, which is no fault.
func TestNewShowIsStillBecomingVisible(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := bareFair(t)
		f.show = storetest.NewShow(f.season.ID, f.now, "pro", 0)
		held := f.Wire.Hold()
		checkError(t, f.CreateShow(t.Context(), f.show, gates), storetest.ErrHeld)
		f.Apply(t, append(held.Take(ofBoards), held.Take(ofShow)...))
		f.checkList(t, game.ShowOpen, "pro", f.show.Name)
		f.checkList(t, "", "", f.show.Name)
		show, entries, err := f.ShowWithEntries(t.Context(), f.show.ID)
		if err != nil || len(entries) != 0 {
			t.Error(entries, err)
		}
		checkEqual(t, "show", show, f.show)
		checkError(t, f.judge(soon(t)), context.DeadlineExceeded)
		gatesLeft := held.Take(ofGates)
		f.then(t, "TransactWriteItems", 2, gatesLeft)
		if err := f.enter(t.Context(), f.player, 0); err != nil {
			t.Error(err)
		}
		checkFaults(t, f.Table)
		f.Invariants(t)
	}
}
