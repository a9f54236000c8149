package store_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// These tests simulate a property of DynamoDB that engines lack: a transaction becomes visible item by item. They hold
// a judging back, and write its items in stages. In between, readers must see all of it, see nothing, or wait.

type items = []types.TransactWriteItem

// The kinds of a judging's items.
func ofShow(_, sk string) bool   { return sk == "SHOW" }
func ofGates(pk, _ string) bool  { return strings.HasPrefix(pk, "G#") }
func ofBoards(pk, _ string) bool { return strings.HasPrefix(pk, "BOARD#") }
func ofAll(_, _ string) bool     { return true }

// holdJudging judges the fair's show, but holds the transaction back from the table.
func (f fair) holdJudging(t *testing.T) *storetest.Held {
	t.Helper()
	held := f.Wire.Hold()
	checkError(t, f.judge(t.Context()), storetest.ErrHeld)
	return held
}

// then makes items visible just before attempt number n (from 1) of an operation.
func (f fair) then(t *testing.T, operation string, n int, items items) {
	for range n - 1 {
		f.Wire.Next(operation, storetest.Pass)
	}
	f.Wire.Next(operation, storetest.Before(func() { f.Apply(t, items) }))
}

// spread is a fair whose player has animals in two of three gates.
func spread(t *testing.T) fair {
	t.Helper()
	s := newScene(t)
	s.AddSeason(t)
	s.Show = s.AddShow(t, storetest.Fee(0), storetest.Gates(3))
	s.Ann = s.NewPlayer(storetest.Ann)
	for i := range s.Ann.Animals {
		for store.GateOf(s.Ann.Animals[i].ID, 3) != i%2 {
			s.Ann.Animals[i].ID = game.NewID()
		}
	}
	s.Register(t, s.Ann)
	s.MustEnter(t, s.Ann, s.Show)
	return fair{s}
}

// ranked reports whether the entries have the ranks 1 to n. If only some are ranked, it panics.
func ranked(entries []game.Entry) bool {
	n := 0
	for i, e := range entries {
		if e.Rank != nil {
			n++
			if *e.Rank != i+1 {
				panic("the ranks are not in order")
			}
		}
	}
	if n != 0 && n != len(entries) {
		panic("part of a judging is visible")
	}
	return n > 0
}

// crowded is a fair with one gate, with several sheets and pages of results, and a player with one entry.
func crowded(t *testing.T) fair {
	t.Helper()
	f := newFair(t, game.TierRookie, 0, 1)
	f.fill(t, f.Show, 1, 400)
	f.MustEnter(t, f.Ann, f.Show, 0)
	return f
}

// All results of a show count from the moment when its item has the status completed, and none before, whatever else of
// the judging is visible.
func TestResultsCountOnceTheShowIsCompleted(t *testing.T) {
	t.Parallel()
	for name, fairOf := range map[string]func(t *testing.T) fair{"own item": spread, "sheets": crowded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fairOf(t)
			stranger := f.AddPlayer(t, storetest.Bob)
			held := f.holdJudging(t)
			show := held.Take(ofShow)
			late := held.Take(ofBoards)
			f.Apply(t, held.Take(ofAll))
			open, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
			assert.True(t, err == nil && open.Status == game.ShowOpen && open.JudgedAt == nil && len(entries) != 0 && !ranked(entries),
				"%v, %v, %v", open, len(entries), err)
			checkError(t, errOf(f.claim(t.Context(), f.Ann)), game.ErrNothingToClaim)
			f.checkScore(t, f.Ann, 0)

			f.Apply(t, show)
			judged, placed, err := f.ShowWithEntries(t.Context(), f.Show.ID)
			assert.True(t, err == nil && judged.Status == game.ShowCompleted && len(placed) == len(entries) && ranked(placed),
				"%v, %v, %v", judged, len(placed), err)
			checkError(t, errOf(f.claim(t.Context(), stranger)), game.ErrNothingToClaim)
			rank, score := 0, int64(0)
			for _, e := range placed {
				if e.PlayerID == f.Ann.ID {
					rank = cmp.Or(rank, *e.Rank)
					score += game.SeasonPoints(*e.Rank)
				}
			}
			f.checkScore(t, f.Ann, score)
			f.checkClaim(t, f.Ann, fmt.Sprintf("rank %d, prize %d", rank, game.Prize(game.TierRookie, rank)))
			f.Apply(t, late)
		})
	}
}

// No reader sees the results of a failed judging. The next judging writes new results.
func TestNobodySeesResultsOfAFailedJudging(t *testing.T) {
	t.Parallel()
	f := crowded(t)
	f.Wire.Next("TransactWriteItems", storetest.Cancelled("ValidationError"))
	require.Error(t, f.judge(t.Context()), "want an error")
	if show, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID); err != nil || show.Status != game.ShowOpen || ranked(entries) {
		t.Error(show, len(entries), err)
	}
	f.MustEnter(t, f.Ann, f.Show, 1)
	f.MustJudge(t, f.Ann, f.Show)
	if _, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID); err != nil || len(entries) != 402 || !ranked(entries) {
		t.Error(len(entries), err)
	}
}

// Only a damaged table lacks a page or a sheet. Then none of the results is shown, and nothing is paid.
func TestMissingResultsAreAFault(t *testing.T) {
	t.Parallel()
	f := crowded(t)
	f.MustJudge(t, f.Ann, f.Show)
	f.Edited()
	page := f.At(store.PageKey(t.Context(), f.Store, f.Show.ID, 2))
	before := page.Read(t)
	page.Delete(t)
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	assert.Error(t, err, "got %d entries", len(entries))
	page.Restore(t, before)
	for sheet := range 3 {
		f.At(store.SheetKey(t.Context(), f.Store, f.Show.ID, sheet)).Delete(t)
	}
	answer, err := f.claim(t.Context(), f.Ann)
	assert.Error(t, err, "got %v", answer)
	score, err := f.SeasonScore(t.Context(), f.Ann.ID, f.Season.ID)
	assert.Error(t, err, "got %d", score)
}

// If the gates are gone and the show's item is still open, entrants and judges wait for the judging.
func TestEntrantsAndJudgesSeeAJudgingBeforeItsShow(t *testing.T) {
	t.Parallel()
	for _, w := range writesOf("enter", "judge") {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			f := w.fair(t)
			held := f.holdJudging(t)
			f.Apply(t, held.Take(ofGates))
			checkError(t, w.do(soon(t), f), context.DeadlineExceeded)
			f.then(t, "BatchGetItem", 2, held.Take(ofAll))
			want := game.ErrShowClosed
			if strings.HasPrefix(w.name, "judge") {
				want = game.ErrShowNotOpen
			}
			checkError(t, w.do(t.Context(), f), want)
			f.CheckGold(t, f.Ann.ID, 500, 500)
			f.Invariants(t)
		})
	}
}

// The season score reads participations, then shows. If a second entry and the judging happen in between, the score
// counts both entries.
func TestSeasonCountsTheEntriesOfAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.Wire.Next("BatchGetItem", storetest.Before(func() {
		f.MustEnter(t, f.Ann, f.Show, 1)
		f.MustJudge(t, f.Ann, f.Show)
	}))
	f.checkScore(t, f.Ann, 160)
	f.CheckFaults(t)
}

// A list may show the show as completed before its own item does. A claim then waits, and is paid.
func TestAClaimWaitsForAShowThatIsListedAsCompleted(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	held := f.holdJudging(t)
	f.Apply(t, held.Take(ofBoards))
	f.Wire.Next("TransactGetItems", storetest.Conflict, storetest.Before(func() { f.Apply(t, held.Take(ofAll)) }))
	f.checkClaim(t, f.Ann, "rank 1, prize 100")
	f.CheckFaults(t)
	f.Invariants(t)
}

// Another operator's change has committed, and only its audit record is visible yet. The next change continues the
// chain after this record, but has read the old show or animal. So its write fails, and it reads again.
func TestOperatorsChangesMeetOneThatIsPartlyVisible(t *testing.T) {
	t.Parallel()
	ofRecords := func(pk, _ string) bool { return strings.HasPrefix(pk, "AUDIT") }
	for _, earlier := range []bool{false, true} { // whether the show and the animal have been changed before
		f := newFair(t, game.TierRookie, 50, 1)
		second := f.AddShow(t)
		if earlier {
			f.MustSet(t, f.Show, operate.ShowChange{EntryFee: new(int64(60))})
			f.MustSet(t, second, operate.ShowChange{EntryFee: new(int64(60))})
			f.MustChange(t, f.Ann, 0, operate.AnimalChange{Stage: new("foal")})
		}
		partly := func(change func() error, other func() error) {
			t.Helper()
			held := f.Wire.Hold()
			checkError(t, change(), storetest.ErrHeld)
			f.Apply(t, held.Take(ofRecords))
			f.Meanwhile(func() { f.Apply(t, held.Take(ofAll)) })
			checkError(t, other(), nil)
		}
		change := func(c operate.AnimalChange) func() error {
			return func() error { return f.changes().ChangeAnimal(t.Context(), f.Ann.ID, f.Ann.Animals[0].ID, c) }
		}
		partly(change(operate.AnimalChange{Status: new("resting")}), change(operate.AnimalChange{Stage: new("elder")}))
		animal := must(f.Animal(t.Context(), f.Ann.ID, f.Ann.Animals[0].ID))(t)
		storetest.Equal(t, "animal", []string{animal.Status, animal.Stage}, []string{"resting", "elder"})

		partly(func() error { return f.setShow(t, operate.ShowChange{Name: new("Autumn Fair")}) }, func() error { return f.cancelShow(t) })
		shows := must(f.AllShows(t.Context(), game.ShowCancelled))(t)
		storetest.Equal(t, "names", []string{shows[0].Name}, []string{"Autumn Fair"})

		set := func(c operate.ShowChange) func() error {
			return func() error { return f.changes().SetShow(t.Context(), second.ID, c) }
		}
		partly(set(operate.ShowChange{Name: new("Autumn Fair")}), set(operate.ShowChange{EntryFee: new(int64(70))}))
		show := must(f.ShowRecord(t.Context(), second.ID))(t)
		assert.True(t, show.Name == "Autumn Fair" && show.EntryFee == 70, "%+v", show)
		f.CheckFaults(t)
		f.Invariants(t)
	}
}
