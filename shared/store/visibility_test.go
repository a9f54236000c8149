package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// These tests play what engines don't and DynamoDB does: a transaction that becomes visible item by item. The judging
// is held back, and its items are written in stages; between them readers must see all of it or nothing, or wait.

type items = []types.TransactWriteItem

// A judging's items, by what they are.
func ofShow(_, sk string) bool   { return sk == "SHOW" }
func ofGates(pk, _ string) bool  { return strings.HasPrefix(pk, "G#") }
func ofBoards(pk, _ string) bool { return strings.HasPrefix(pk, "BOARD#") }
func ofAll(_, _ string) bool     { return true }

// The results: their first item, and the sheets.
func ofFirst(pk, sk string) bool  { return sk == "RESULT" && strings.HasSuffix(pk, "#R") }
func ofSheets(pk, sk string) bool { return sk == "RESULT" && !ofFirst(pk, sk) }

// holdJudging judges the fair's show and keeps the judging from the table.
func (f fair) holdJudging(t *testing.T) *storetest.Held {
	t.Helper()
	held := f.Wire.Hold()
	checkError(t, f.judge(t.Context()), storetest.ErrHeld)
	return held
}

// then lets items become visible just before the attempt number n (from 1) of an operation.
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

// The entries are read once, however long the results are waited for. It waits only between looks.
func TestDetailWaitsForTheResults(t *testing.T) {
	t.Parallel()
	f := spread(t)
	held := f.holdJudging(t)
	f.Apply(t, held.Take(ofShow))
	_, entries, err := f.ShowWithEntries(soon(t), f.Show.ID)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, %v", entries, err)
	}
	f.Wire.Reset()
	f.then(t, "BatchGetItem", 4, held.Take(ofAll))
	waits := 0
	s := f.WithChance(func(time.Duration) time.Duration { waits++; return 0 })
	show, entries, err := s.ShowWithEntries(t.Context(), f.Show.ID)
	if err != nil || show.Status != game.ShowCompleted || len(entries) != 3 || !ranked(entries) {
		t.Error(show, entries, err)
	}
	storetest.Equal(t, "waits", waits, 3)
	storetest.Equal(t, "requests: the show, three partitions, the results four times", f.Wire.Cost().Requests, 1+3+4)
	f.Invariants(t)
}

// Only a broken table has results of other entries than there are. Since results are told apart by counting, it shows
// none at all, and reads the entries again, but not the results.
func TestDetailShowsNoResultsOfOtherEntries(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	rival := f.AddPlayer(t, storetest.Bob)
	f.MustEnter(t, rival, f.Show, 0)
	f.judged(t, 0, 1, 2)
	only := f.At(store.EntryKey(f.Show.ID, rival.Animals[0].ID, 1))
	entry, more := f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[1].ID, 1)), f.At(store.EntryKey(f.Show.ID, game.NewID(), 1))
	for name, c := range map[string]struct {
		row    storetest.Row
		player game.ID // "" deletes the row
	}{
		"an entry less": {entry, ""}, "nobody's entry": {only, ""}, "an entry more": {more, rival.ID}, "an entry of another": {entry, rival.ID}, "an entry of a third": {entry, game.NewID()},
	} {
		before := c.row.Read(t)
		if c.player == "" {
			c.row.Delete(t)
		} else {
			c.row.Edit(t, "SET u = :u", map[string]any{":u": c.player})
		}
		f.Wire.Reset()
		if _, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID); err == nil {
			t.Errorf("%s: got %+v", name, entries)
		}
		storetest.Equal(t, name+": requests: the show, the entries three times, the results", f.Wire.Cost().Requests, 5)
		f.Wire.Reset()
		f.Wire.Next("Query", storetest.Pass, storetest.Before(func() { c.row.Restore(t, before) }))
		if _, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID); err != nil || len(entries) != 4 || !ranked(entries) {
			t.Errorf("%s: then got %+v, %v", name, entries, err)
		}
		storetest.Equal(t, name+": requests: the show, the entries twice, the results", f.Wire.Cost().Requests, 4)
	}
	f.Invariants(t)
}

// While a sheet is not visible yet, a detail of a large show looks for the sheets alone: two units a look, beside the
// hundreds that its entries take once.
func TestDetailOfALargeShowLooksForItsSheetsAlone(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, store.DefaultGates)
	f.fill(t, f.Show, store.DefaultGates, 1_500)
	held := f.holdJudging(t)
	sheets := held.Take(ofSheets)
	f.Apply(t, held.Take(ofAll))
	detail := func() float64 {
		f.Wire.Reset()
		_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
		if err != nil || len(entries) != 1_500 || !ranked(entries) {
			t.Fatal(len(entries), err)
		}
		return f.Wire.Cost().RCU
	}
	const looks = 12
	f.then(t, "BatchGetItem", 1+looks, sheets) // the last look finds them
	waited, atOnce := detail(), detail()
	t.Logf("%.0f units after %d looks, %.0f at once", waited, looks, atOnce)
	if atOnce < 50 || waited > atOnce+2*looks {
		t.Errorf("took %.0f units with %d looks, %.0f at once", waited, looks, atOnce)
	}
}

// ranked reports whether the entries have the ranks 1 to n; with any but all of them ranked it panics.
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

// Results count once the show is completed, and not before.
func TestResultsAreIgnoredUntilTheShowIsCompleted(t *testing.T) {
	t.Parallel()
	f := spread(t)
	held := f.holdJudging(t)
	f.Apply(t, slices.Concat(held.Take(ofGates), held.Take(ofBoards), held.Take(ofFirst)))
	show, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	if err != nil || show.Status != game.ShowOpen || show.JudgedAt != nil || len(entries) != 3 || ranked(entries) {
		t.Error(show, entries, err)
	}
	_, err = f.claim(t.Context(), f.Ann)
	checkError(t, err, game.ErrNothingToClaim)
	f.Apply(t, held.Take(ofAll))
	if _, entries, err = f.ShowWithEntries(t.Context(), f.Show.ID); err != nil || !ranked(entries) {
		t.Error(entries, err)
	}
	f.checkClaim(t, f.Ann, "rank 1, prize 100")
	f.Invariants(t)
}

// crowded is a fair with one gate whose results go on two sheets, and a player with one entry.
func crowded(t *testing.T) fair {
	t.Helper()
	f := newFair(t, game.TierRookie, 0, 1)
	f.fill(t, f.Show, 1, 1_100)
	f.MustEnter(t, f.Ann, f.Show, 0)
	return f
}

// A judging whose sheets are not visible yet is waited for by all who need them. One of two sheets is not enough for a
// detail; a score and a claim need their player's alone.
func TestReadersWaitForTheSheets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reads int // until the sheets are looked for the second time
		read  func(ctx context.Context, t *testing.T, f fair) (whole bool, err error)
	}{
		// the first item; the sheets, and again
		"detail": {3, func(ctx context.Context, _ *testing.T, f fair) (bool, error) {
			_, entries, err := f.ShowWithEntries(ctx, f.Show.ID)
			return len(entries) == 1_101 && ranked(entries), err
		}},
		// the first item; the sheet, and again
		"season": {3, func(ctx context.Context, t *testing.T, f fair) (bool, error) {
			score, err := f.SeasonScore(ctx, f.Ann.ID, f.Season.ID)
			return err == nil && score == game.SeasonPoints(f.ranks(t)[f.Ann.Animals[0].ID]), err
		}},
		// caller and show; receipt and first item; the sheet, and again
		"claim": {4, func(ctx context.Context, t *testing.T, f fair) (bool, error) {
			rank, prize, err := f.Claim(ctx, f.Ann.ID, f.Show.ID, f.Now)
			return err == nil && rank == f.ranks(t)[f.Ann.Animals[0].ID] && prize == game.Prize(game.TierRookie, rank), err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := crowded(t)
			held := f.holdJudging(t)
			sheets := held.Take(ofSheets)
			storetest.Equal(t, "sheets", len(sheets), 2)
			f.Apply(t, held.Take(ofAll))
			if _, err := c.read(soon(t), t, f); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("without sheets: %v", err)
			}
			if name == "detail" {
				f.Apply(t, sheets[:1])
				sheets = sheets[1:]
			}
			f.then(t, "BatchGetItem", c.reads, sheets)
			if whole, err := c.read(t.Context(), t, f); err != nil || !whole {
				t.Errorf("not all of it, %v", err)
			}
		})
	}
}

// Who is not in the results has no entry. While they are not all there, nobody is told so.
func TestNobodyIsTurnedAwayBeforeTheResultsAreThere(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fair{"one item": spread(t), "sheets": crowded(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stranger := f.AddPlayer(t, storetest.Bob)
			held := f.holdJudging(t)
			sheets := held.Take(ofSheets)
			f.Apply(t, held.Take(ofShow))
			if _, err := f.claim(soon(t), stranger); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("without results: %v", err)
			}
			f.Apply(t, held.Take(ofAll))
			if len(sheets) > 0 {
				if _, err := f.claim(soon(t), stranger); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("without sheets: %v", err)
				}
				f.Apply(t, sheets)
			}
			_, err := f.claim(t.Context(), stranger)
			checkError(t, err, game.ErrNothingToClaim)
		})
	}
}

func TestClaimIsPaidOnceTheResultsAreThere(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	held := f.holdJudging(t)
	f.Apply(t, held.Take(ofShow))
	f.then(t, "BatchGetItem", 4, held.Take(ofAll))
	f.checkClaim(t, f.Ann, "rank 1, prize 100")
	f.Invariants(t)
}

// A show counts once its results are there, and then as a whole.
func TestSeasonCountsAShowAsAWhole(t *testing.T) {
	t.Parallel()
	f := spread(t)
	held := f.holdJudging(t)
	for _, some := range []func(pk, sk string) bool{ofShow, ofGates} {
		f.Apply(t, held.Take(some))
		f.checkScore(t, f.Ann, 0)
	}
	f.Apply(t, held.Take(ofFirst))
	f.checkScore(t, f.Ann, 190)
	f.Apply(t, held.Take(ofAll))
	f.checkScore(t, f.Ann, 190)
}

// While the gates are gone and the show is still open, entrants and judges wait: they are neither let in nor refused
// yet.
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

// A user's second entry and the judging come between the two reads of the season score: it counts both entries or none.
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
