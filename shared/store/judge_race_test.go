package store_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestTwoJudges(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := newFair(t, game.TierRookie, 0, gates)
		rival := f.AddPlayer(t, storetest.Bob)
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.Meanwhile(func() { f.AtTime(f.Now-5).MustJudge(t, rival, f.Show) })
		checkError(t, f.judge(t.Context()), game.ErrShowNotOpen)
		show, _, err := f.ShowWithEntries(t.Context(), f.Show.ID)
		if err != nil || *show.JudgedAt != f.Now-5 {
			t.Error(show, err)
		}
		f.Invariants(t)
	}
}

// The show's own item is enough to stop the second judge.
func TestShowIsCompletedDuringAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Meanwhile(func() {
		f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET st = :st, ju = :ju", map[string]any{":st": "completed", ":ju": 5})
	})
	checkError(t, f.judge(t.Context()), game.ErrShowNotOpen)
	if f.At(store.GateKey(f.Show, 0)).Read(t) == nil {
		t.Error("the second judging deleted the gate")
	}
}

// So is each gate.
func TestGateIsDeletedDuringAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	gate := f.At(store.GateKey(f.Show, 1))
	f.Meanwhile(func() { gate.Delete(t) })
	checkError(t, f.judge(soon(t)), context.DeadlineExceeded)
	if results := f.At(store.ResultsKey(f.Show.ID)).Read(t); results != nil {
		t.Errorf("the results are %v", results)
	}
	if show, _, err := f.Rival.ShowWithEntries(t.Context(), f.Show.ID); err != nil || show.Status != game.ShowOpen {
		t.Error(show, err)
	}
}

func TestAnimalEntersDuringAJudging(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := newFair(t, game.TierRookie, 50, gates)
		late := f.AddPlayer(t, storetest.Bob)
		f.MustEnter(t, f.Ann, f.Show, 1)
		f.Meanwhile(func() { f.MustEnter(t, late, f.Show, 0) })
		ranked, err := f.Judge(t.Context(), f.Ann.ID, f.Show.ID, f.Now)
		if err != nil || len(ranked) != 2 || ranked[0].Animal != late.Animals[0].ID {
			t.Error(ranked, err)
		}
		storetest.Equal(t, "ranks", f.ranks(t), map[game.ID]int{late.Animals[0].ID: 1, f.Ann.Animals[1].ID: 2})
		f.Invariants(t)
	}
}

func TestCallerIsBannedDuringAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.Meanwhile(func() { f.Ban(t, f.Ann.ID) })
	checkError(t, f.judge(t.Context()), game.ErrUnauthorized)
	if show, _, err := f.ShowWithEntries(t.Context(), f.Show.ID); err != nil || show.Status != game.ShowOpen {
		t.Error(show, err)
	}
	f.Invariants(t)
}

func TestCallerIsDeletedDuringAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Meanwhile(func() { f.DeleteUser(t, f.Ann.ID) })
	checkError(t, f.judge(t.Context()), game.ErrUnauthorized)
}

// A judging that is overtaken seals the gates, so that it is not overtaken for ever: the next entry waits, and finds
// the show judged.
func TestJudgingSealsTheGatesOnceOvertaken(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5} {
		f := newFair(t, game.TierRookie, 0, gates)
		late, waiting := f.AddPlayer(t, storetest.Bob), make(chan error, 1)
		f.Meanwhile(func() {
			storetest.Equal(t, "seals before a judging was overtaken", f.seals(t, gates), 0)
			f.MustEnter(t, late, f.Show, 0)
		})
		f.Meanwhile(func() {
			storetest.Equal(t, "seals", f.seals(t, gates), gates)
			f.rivalWaits(t, waiting, late)
		})
		ranked, err := f.Judge(t.Context(), f.Ann.ID, f.Show.ID, f.Now)
		if err != nil || len(ranked) != 1 {
			t.Error(ranked, err)
		}
		checkError(t, <-waiting, game.ErrShowClosed)
		f.Invariants(t)
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
	f.Invariants(t)
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
	f.Invariants(t)
}

// Other transactions keep the gates busy without an entry to show for it: after a few conflicts the judging seals the
// gates, too.
func TestJudgingSealsTheGatesAfterConflicts(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
	f.Meanwhile(func() { storetest.Equal(t, "seals", f.seals(t, 2), 2) })
	checkError(t, f.judge(t.Context()), nil)
	f.Invariants(t)
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
	f.CheckFaults(t)
}
