package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func (f fair) cancelShow(t *testing.T) error {
	return f.Store.Operator(f.Change()).CancelShow(t.Context(), f.Show.ID)
}

// A cancelled show is on no board of open or completed shows, and nobody enters, judges or claims; its entries stay.
func TestAShowIsCancelled(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5, store.MaxGates} {
		t.Run(fmt.Sprint(gates), func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierElite, 50, gates)
			f.MustEnter(t, f.Ann, f.Show, 0, 1)
			change := f.Change()
			checkError(t, f.Store.Operator(change).CancelShow(t.Context(), f.Show.ID), nil)
			f.checkRecorded(t, change, "cancel show", `"status":"open"`, `"status":"cancelled"`)
			want := game.ListedShow{Show: f.Show, EntryCount: 2}
			want.Status = game.ShowCancelled
			f.checkShow(t, want)
			storetest.Equal(t, "ranks", f.ranks(t), map[game.ID]int{f.Ann.Animals[0].ID: 0, f.Ann.Animals[1].ID: 0})
			f.Unchanged(t, func() {
				checkError(t, f.enter(t.Context(), f.Ann, 2), game.ErrShowClosed)
				checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrShowClosed)
				checkError(t, f.judge(t.Context()), game.ErrShowNotOpen)
				_, err := f.JudgeDue(t.Context(), f.Show.ID, f.Show.EntryClosesAt)
				checkError(t, err, game.ErrShowNotOpen)
				_, err = f.claim(t.Context(), f.Ann)
				checkError(t, err, game.ErrNothingToClaim)
				checkError(t, f.setShow(t, terms(f.Show)["name"]), store.ErrNotOpen)
				checkError(t, f.cancelShow(t), nil)
				score, err := f.SeasonScore(t.Context(), f.Ann.ID, f.Season.ID)
				checkError(t, err, nil)
				storetest.Equal(t, "score", score, 0)
			})
			f.Invariants(t)
		})
	}
}

func TestCancellationsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2).judged(t, 0)
	open := f.AddShow(t)
	f.Unchanged(t, func() {
		checkError(t, f.cancelShow(t), store.ErrNotOpen)
		for show, want := range map[game.ID]error{
			f.Show.ID: store.ErrNotCancelled, open.ID: store.ErrNotCancelled, game.NewID(): store.ErrUnknownShow, "": store.ErrUnknownShow,
		} {
			checkError(t, f.Store.Operator(f.Change()).Refund(t.Context(), show, nil), want)
		}
		checkError(t, f.Store.Operator(f.Change()).CancelShow(t.Context(), game.NewID()), store.ErrUnknownShow)
	})
}

func TestShowIsCancelledDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 2)
		f.Meanwhile(func() { f.MustCancel(t, f.Show) })
		checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrShowClosed)
		f.CheckGold(t, f.Ann.ID, 500, 500)
		f.Invariants(t)
	}
}

// An entry that commits while the show is being cancelled is counted, and gets its fee back.
func TestAnAnimalEntersDuringACancellation(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 3)
	late, waiting := f.AddPlayer(t, storetest.Bob), make(chan error, 1)
	f.Meanwhile(func() {
		storetest.Equal(t, "seals before a cancellation was overtaken", f.seals(t, 3), 0)
		f.MustEnter(t, late, f.Show, 0)
	})
	f.Meanwhile(func() {
		storetest.Equal(t, "seals", f.seals(t, 3), 3)
		f.rivalWaits(t, waiting, late)
	})
	checkError(t, f.cancelShow(t), nil)
	checkError(t, <-waiting, game.ErrShowClosed)
	checkError(t, f.Operator().Refund(t.Context(), f.Show.ID, nil), nil)
	f.CheckGold(t, late.ID, 500, 500, -50, 50)
	f.Invariants(t)
}

func TestShowIsCancelledDuringAJudging(t *testing.T) {
	t.Parallel()
	for _, judge := range []func(f fair) error{
		func(f fair) error { return f.judge(t.Context()) },
		func(f fair) error { _, err := f.JudgeDue(t.Context(), f.Show.ID, f.Show.EntryClosesAt); return err },
		func(f fair) error {
			_, err := f.Store.Operator(f.Change()).JudgeShow(t.Context(), f.Show.ID)
			return err
		},
	} {
		f := newFair(t, game.TierRookie, 50, 2)
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.Meanwhile(func() { f.MustCancel(t, f.Show) })
		checkError(t, judge(f), game.ErrShowNotOpen)
		f.CheckGold(t, f.Ann.ID, 500, 500, -50, 50)
		f.Invariants(t)
	}
}

func TestShowIsJudgedDuringACancellation(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.Meanwhile(func() { f.MustJudge(t, f.Ann, f.Show) })
	checkError(t, f.cancelShow(t), store.ErrNotOpen)
	f.CheckGold(t, f.Ann.ID, 450, 500, -50)
	f.Invariants(t)
}

// The show's own item is enough to stop a cancellation, and each gate is.
func TestWhatStopsACancellation(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, f fair){
		"show": func(t *testing.T, f fair) {
			f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET st = :st, ju = :ju", map[string]any{":st": "completed", ":ju": 5})
		},
		"gate": func(t *testing.T, f fair) { f.At(store.GateKey(f.Show, 1)).Delete(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 2)
			ctx := f.untilItIsTriedAgain(t, func() { do(t, f) })
			checkError(t, f.Store.Operator(f.Change()).CancelShow(ctx, f.Show.ID), context.Canceled)
			if row := f.At(store.BoardKey(game.ShowCancelled, "", f.Show)).Read(t); row != nil {
				t.Errorf("wrote %v", row)
			}
		})
	}
}

// The closing time is changed in between: the cancellation takes away the gates and rows of the new one.
func TestTermsChangeDuringACancellation(t *testing.T) {
	t.Parallel()
	eachTerm(t, 2, func(t *testing.T, f fair, change store.ShowChange) {
		f.Meanwhile(func() { f.MustSet(t, f.Show, change) })
		checkError(t, f.cancelShow(t), nil)
		f.Invariants(t)
	})
}

func TestShowIsCancelledWhileItsTermsChange(t *testing.T) {
	t.Parallel()
	eachTerm(t, 2, func(t *testing.T, f fair, change store.ShowChange) {
		f.Meanwhile(func() { f.MustCancel(t, f.Show) })
		checkError(t, f.setShow(t, change), store.ErrNotOpen)
		f.Invariants(t)
	})
}

// Two operators cancel a show: it is cancelled once, and both may go on to the refunds.
func TestTwoCancellations(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	f.MustEnter(t, f.Ann, f.Show, 0)
	change := f.Change()
	f.Meanwhile(func() { f.MustCancel(t, f.Show) })
	checkError(t, f.Store.Operator(change).CancelShow(t.Context(), f.Show.ID), nil)
	records, err := f.Audit(t.Context(), f.Now, f.Now+1)
	checkError(t, err, nil)
	if slices.ContainsFunc(records, func(r store.AuditRecord) bool { return r.ID == change.ID }) {
		t.Error("the second one left a record")
	}
	f.Invariants(t)
}

// Entries, judges and a cancellation at once: whoever paid is ranked, or gets it back.
func TestEntriesRaceWithACancellation(t *testing.T) {
	t.Parallel()
	for round := range 4 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 3)
			players := make([]storetest.Player, 8)
			for i := range players {
				players[i] = f.AddPlayer(t, storetest.Anybody)
			}
			atOnce(t, len(players)+2, func(i int) error {
				var err error
				switch {
				case i < len(players):
					err = errors.Join(f.enter(t.Context(), players[i], 0), f.enter(t.Context(), players[i], 1))
				case i == len(players) && round%2 == 1:
					err = f.judge(t.Context())
				default:
					err = f.cancelShow(t)
				}
				if errors.Is(err, store.ErrNotOpen) || errors.Is(err, game.ErrShowClosed) || errors.Is(err, game.ErrShowNotOpen) {
					return nil
				}
				return err
			}, nil)
			err := f.Operator().Refund(t.Context(), f.Show.ID, nil)
			if record, recordErr := f.ShowRecord(t.Context(), f.Show.ID); record.Status == game.ShowCompleted {
				checkError(t, err, store.ErrNotCancelled)
			} else {
				checkError(t, errors.Join(err, recordErr), nil)
				for _, p := range players {
					storetest.Equal(t, "gold", f.AccountOf(t, p.ID).GoldBalance, 500)
				}
			}
			f.Invariants(t)
		})
	}
}
