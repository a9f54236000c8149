package store_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Whoever judges a show that another one has judged, or an operator has cancelled, since it was read, writes nothing.
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

// A judging or a cancellation that is overtaken seals the gates, so that it is not overtaken for ever: the entry that
// has come in between is part of it, and the next one waits, and finds the show closed.
func TestWhoIsOvertakenSealsTheGates(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5} {
		for name, do := range map[string]func(t *testing.T, f fair) error{
			"judging": func(t *testing.T, f fair) error { return f.judge(t.Context()) },
			"judging by an operator": func(t *testing.T, f fair) error {
				_, err := f.Store.Operator(f.Change()).JudgeShow(t.Context(), f.Show.ID)
				return err
			},
			"cancellation": func(t *testing.T, f fair) error { return f.cancelShow(t) },
		} {
			t.Run(fmt.Sprint(name, "/", gates), func(t *testing.T) {
				t.Parallel()
				f := newFair(t, game.TierRookie, 50, gates)
				late, waiting := f.AddPlayer(t, storetest.Bob), make(chan error, 1)
				f.Meanwhile(func() {
					storetest.Equal(t, "seals before it was overtaken", f.seals(t, gates), 0)
					f.MustEnter(t, late, f.Show, 0)
				})
				f.Meanwhile(func() {
					storetest.Equal(t, "seals", f.seals(t, gates), gates)
					f.rivalWaits(t, waiting, late)
				})
				checkError(t, do(t, f), nil)
				checkError(t, <-waiting, game.ErrShowClosed)
				record, err := f.ShowRecord(t.Context(), f.Show.ID)
				checkError(t, err, nil)
				storetest.Equal(t, "entries", record.EntryCount, 1)
			})
		}
	}
}

// The show's own item is enough to stop them, and so is each gate.
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
					then = f.Rows(t)
					time.AfterFunc(200*time.Millisecond, cancel) // else it is tried again for ever
				})
				if err := w.do(ctx, f); err == nil {
					t.Error("it went through")
				}
				after := f.Rows(t)
				for _, row := range after {
					delete(row, "su") // a seal wears off
				}
				storetest.Equal(t, "the table", after, then)
			})
		}
	}
}

// seals returns how many of the show's gates are sealed.
func (f fair) seals(t *testing.T, gates int) (n int) {
	t.Helper()
	for k := range gates {
		if f.At(store.GateKey(f.Show, k)).Read(t)["su"] != nil {
			n++
		}
	}
	return n
}

// rivalWaits lets a player enter its second animal from a store of its own, and returns once it waits behind a seal;
// result has its end.
func (f fair) rivalWaits(t *testing.T, result chan error, p storetest.Player) {
	f.Clock.Stop() // the seal lasts, and for so short that the rival soon looks again
	f.Clock.Move(store.SealLease - time.Second/2)
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
		t.Errorf("did not wait behind a seal: %v", err)
		result <- err
	}
}

// A caller who is no longer allowed to judge leaves no seals behind.
func TestBannedCallerSealsNothing(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.Meanwhile(func() {
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.Ban(t, f.Ann.ID)
	})
	f.Wire.Next("UpdateItem", storetest.Before(func() { t.Error("sealed a gate for a banned caller") }))
	checkError(t, f.judge(t.Context()), game.ErrUnauthorized)
	f.Wire.Forget()
}

// Entries that arrive before every attempt: the judging takes them all in.
func TestJudgingIsOvertakenManyTimes(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 3)
	herd := f.AddHerd(t, 0, 8)
	for i := range herd.Animals {
		f.Meanwhile(func() {
			f.Clock.Move(store.SealLease) // the seals have expired
			f.MustEnter(t, herd, f.Show, i)
		})
	}
	ranked, err := f.Judge(t.Context(), f.Ann.ID, f.Show.ID, f.Now)
	if err != nil || len(ranked) != len(herd.Animals) {
		t.Error(ranked, err)
	}
}

// Other transactions keep the gates busy without an entry to show for it: after a few conflicts the judging seals the
// gates, too.
func TestJudgingSealsTheGatesAfterConflicts(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
	f.Meanwhile(func() { storetest.Equal(t, "seals", f.seals(t, 2), 2) })
	checkError(t, f.judge(t.Context()), nil)
}

// A gate that is busy for a while is sealed for the whole time from when it is free: the judging begins behind fresh
// seals.
func TestSealOfABusyGateIsFresh(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
	f.Wire.Next("UpdateItem", func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		f.Clock.Move(3 * time.Second)
		return storetest.ConflictPlainWrite(r, pass)
	})
	f.Meanwhile(func() {
		until, err := strconv.ParseInt(f.At(store.GateKey(f.Show, 0)).Read(t)["su"].(*types.AttributeValueMemberN).Value, 10, 64)
		if left := game.Instant(until).Time().Sub(f.Clock.Now()); err != nil || left < store.SealLease-time.Second {
			t.Errorf("the seal ends in %v, %v", left, err)
		}
	})
	checkError(t, f.judge(t.Context()), nil)
}
