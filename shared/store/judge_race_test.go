package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// A judging writes nothing if the show is judged or cancelled after the judging has read it.
func TestShowEndsDuringAJudging(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, f fair){
		"judged":    func(t *testing.T, f fair) { f.AtTime(f.Now-5).MustJudge(t, f.Ann, f.Show) },
		"cancelled": func(t *testing.T, f fair) { f.MustCancel(t, f.Show) },
	} {
		for _, w := range writesOf("judge", "due judging", "operator's judging") {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := w.fair(t)
				f.MustEnter(t, f.Ann, f.Show, 0)
				checkError(t, f.comesToNothing(t, w, func() { end(t, f) }), game.ErrShowNotOpen)
			})
		}
	}
}

// If an entry makes a judging or a cancellation fail, the call takes the lease before it tries again, and includes the
// entry. The next entry waits, and finds the show closed.
func TestWhoIsOvertakenTakesTheLease(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5} {
		for name, do := range map[string]func(t *testing.T, f fair) error{
			"judging":                func(t *testing.T, f fair) error { return f.judge(t.Context()) },
			"judging by an operator": func(t *testing.T, f fair) error { return errOf(f.changes().JudgeShow(t.Context(), f.Show.ID)) },
			"cancellation":           func(t *testing.T, f fair) error { return f.cancelShow(t) },
		} {
			t.Run(fmt.Sprint(name, "/", gates), func(t *testing.T) {
				t.Parallel()
				f := newFair(t, game.TierRookie, 50, gates)
				f.Clock.Stop() // leases last, even on a slow machine
				late, waiting := f.AddPlayer(t, storetest.Bob), make(chan error, 1)
				f.Meanwhile(func() {
					storetest.Equal(t, "leased before it was overtaken", f.leased(t), false)
					f.MustEnter(t, late, f.Show, 0)
				})
				f.Meanwhile(func() {
					storetest.Equal(t, "leased", f.leased(t), true)
					f.rivalWaits(t, waiting, late)
				})
				checkError(t, do(t, f), nil)
				if f.CheckFaults(t); t.Failed() { // in that case, no call waits
					return
				}
				checkError(t, <-waiting, game.ErrShowClosed)
				record := must(f.ShowRecord(t.Context(), f.Show.ID))(t)
				storetest.Equal(t, "entries", record.EntryCount, 1)
			})
		}
	}
}

// A change of the show's item, or of a gate, makes a judging or a cancellation fail.
func TestWhatStopsAJudgingOrACancellation(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, f fair){
		"show": func(t *testing.T, f fair) {
			f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET st = :st, ju = :ju", map[string]any{":st": "completed", ":ju": 5})
		},
		"gate": func(t *testing.T, f fair) { f.At(store.GateKey(f.Show, 1)).Delete(t) },
	} {
		for _, w := range writesOf("judge gates", "cancel") {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := w.fair(t)
				ctx, cancel := context.WithCancel(t.Context())
				var then map[string]map[string]any
				f.Meanwhile(func() {
					damage(t, f)
					then = f.rows(t)
					time.AfterFunc(200*time.Millisecond, cancel) // otherwise it would try for ever
				})
				assert.Error(t, w.do(ctx, f), "it went through")
				after := f.rows(t)
				for _, row := range after {
					delete(row, "lb") // a lease ends by itself
					delete(row, "lu")
				}
				storetest.Equal(t, "the table", after, then)
			})
		}
	}
}

// leased reports whether a call has the show's lease.
func (f fair) leased(t *testing.T) bool {
	t.Helper()
	waits := must(store.Waits(t.Context(), f.Store, f.Show.ID, ""))(t)
	return waits
}

// rivalWaits starts an entry of a player's second animal through another store, and returns when the entry waits for
// the lease. result receives the entry's error.
func (f fair) rivalWaits(t *testing.T, result chan error, p storetest.Player) {
	rival, wire := f.Another(t)
	waits := make(chan struct{})
	wire.Next("GetItem", storetest.Before(func() { close(waits) }))
	go func() {
		_, _, err := rival.Enter(t.Context(), p.ID, f.Show.ID, p.Animals[1].ID, f.Now)
		result <- err
	}()
	select {
	case <-waits:
	case err := <-result:
		t.Errorf("did not wait for the lease: %v", err)
		result <- err
	}
}

// A caller who is no longer allowed to judge takes no lease.
func TestBannedCallerTakesNoLease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.Meanwhile(func() {
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.Ban(t, f.Ann.ID)
	})
	f.Wire.Next("UpdateItem", storetest.Before(func() { t.Error("took a lease for a banned caller") }))
	checkError(t, f.judge(t.Context()), game.ErrUnauthorized)
	f.Wire.Forget()
}
