package store_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func (f fair) judge(ctx context.Context) error {
	_, err := f.Judge(ctx, f.player.ID, f.show.ID, f.now)
	return err
}

func TestTwoJudges(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := newFair(t, game.TierRookie, 0, gates)
		rival := f.graded(t)
		f.MustEnter(t, f.player, f.show, f.player.Animals[0], f.now)
		f.before(func() { f.MustJudge(t, rival, f.show, f.now-5) })
		checkError(t, f.judge(t.Context()), game.ErrShowNotOpen)
		checkFaults(t, f.Table)
		show, _, err := f.ShowWithEntries(t.Context(), f.show.ID)
		if err != nil || *show.JudgedAt != f.now-5 {
			t.Error(show, err)
		}
		f.Invariants(t)
	}
}

// The show's own item is enough to stop the second judge.
func TestShowIsCompletedDuringAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.before(func() {
		f.At(store.ShowKey(f.show.ID)).Edit(t, "SET st = :st, ju = :ju", map[string]any{":st": "completed", ":ju": 5})
	})
	checkError(t, f.judge(t.Context()), game.ErrShowNotOpen)
	checkFaults(t, f.Table)
	if open := f.At(store.GateKey(f.show.ID, 0)).Read(t)["op"].(*types.AttributeValueMemberBOOL); !open.Value {
		t.Error("the second judging closed the gate")
	}
}

// So is each gate: results that are there are never overwritten.
func TestGateIsClosedDuringAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	gate := f.At(store.GateKey(f.show.ID, 1))
	ctx := f.untilTheNextAttempt(t, func() {
		gate.Edit(t, "SET op = :op, re = :re", map[string]any{":op": false, ":re": []byte("results")})
	})
	checkError(t, f.judge(ctx), context.Canceled)
	checkFaults(t, f.Table)
	if results := gate.Read(t)["re"].(*types.AttributeValueMemberB); string(results.Value) != "results" {
		t.Errorf("the results are %q", results.Value)
	}
	if show, _, err := f.Rival.ShowWithEntries(t.Context(), f.show.ID); err != nil || show.Status != game.ShowOpen {
		t.Error(show, err)
	}
}

func TestAnimalEntersDuringAJudging(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 3} {
		f := newFair(t, game.TierRookie, 50, gates)
		late := f.graded(t)
		f.MustEnter(t, f.player, f.show, f.player.Animals[1], f.now)
		f.before(func() { f.MustEnter(t, late, f.show, late.Animals[0], f.now) })
		ranked, err := f.Judge(t.Context(), f.player.ID, f.show.ID, f.now)
		if err != nil || len(ranked) != 2 || ranked[0].Animal != late.Animals[0].ID {
			t.Error(ranked, err)
		}
		checkFaults(t, f.Table)
		checkEqual(t, "ranks", f.ranks(t), map[game.ID]int{late.Animals[0].ID: 1, f.player.Animals[1].ID: 2})
		f.Invariants(t)
	}
}

func TestCallerIsBannedDuringAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.player, f.show, f.player.Animals[0], f.now)
	f.before(func() { f.ban(t, f.player) })
	checkError(t, f.judge(t.Context()), game.ErrUnauthorized)
	checkFaults(t, f.Table)
	if show, _, err := f.ShowWithEntries(t.Context(), f.show.ID); err != nil || show.Status != game.ShowOpen {
		t.Error(show, err)
	}
	f.Invariants(t)
}

func TestCallerIsDeletedDuringAJudging(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.before(func() { f.At(store.UserKey(f.player.ID)).Delete(t) })
	checkError(t, f.judge(t.Context()), game.ErrUnauthorized)
	checkFaults(t, f.Table)
}

// A judging that is overtaken seals the gates, so that it is not overtaken for ever: the next entry waits, and finds the show judged.
func TestJudgingSealsTheGatesOnceOvertaken(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5} {
		f := newFair(t, game.TierRookie, 0, gates)
		late, waiting := f.graded(t), make(chan error, 1)
		sealed := func() (n int) {
			for k := range gates {
				if f.At(store.GateKey(f.show.ID, k)).Read(t)["su"] != nil {
					n++
				}
			}
			return n
		}
		f.Wire.Next("TransactWriteItems",
			storetest.Before(func() {
				checkEqual(t, "seals before a judging was overtaken", sealed(), 0)
				f.MustEnter(t, late, f.show, late.Animals[0], f.now)
			}),
			storetest.Before(func() {
				checkEqual(t, "seals", sealed(), gates)
				f.rivalWaits(t, waiting, late)
			}))
		ranked, err := f.Judge(t.Context(), f.player.ID, f.show.ID, f.now)
		if err != nil || len(ranked) != 1 {
			t.Error(ranked, err)
		}
		checkError(t, <-waiting, game.ErrShowClosed)
		checkFaults(t, f.Table)
		f.Invariants(t)
	}
}

// rivalWaits lets a player enter its second animal from a store of its own, and returns once it waits behind a seal; result has its end.
func (f fair) rivalWaits(t *testing.T, result chan error, p storetest.Player) {
	rival, wire := f.Another(t)
	waits := make(chan struct{})
	wire.Next("GetItem", storetest.Before(func() { close(waits) }))
	go func() {
		_, _, err := rival.Enter(t.Context(), p.ID, f.show.ID, p.Animals[1].ID, f.now)
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
	f.before(func() {
		f.MustEnter(t, f.player, f.show, f.player.Animals[0], f.now)
		f.ban(t, f.player)
	})
	f.Wire.Next("UpdateItem", storetest.Before(func() { t.Error("sealed a gate for a banned caller") }))
	checkError(t, f.judge(t.Context()), game.ErrUnauthorized)
	f.Invariants(t)
}

// Entries that arrive before every attempt: the judging takes them all in.
func TestJudgingIsOvertakenManyTimes(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 3)
	herd := f.RegisterHerd(t, f.now, 0, 8)
	for _, animal := range herd.Animals {
		f.before(func() {
			f.Clock.Move(store.SealLease) // the seals have expired
			f.MustEnter(t, herd, f.show, animal, f.now)
		})
	}
	ranked, err := f.Judge(t.Context(), f.player.ID, f.show.ID, f.now)
	if err != nil || len(ranked) != len(herd.Animals) {
		t.Error(ranked, err)
	}
	checkFaults(t, f.Table)
	f.Invariants(t)
}

// Other transactions keep the gates busy without an entry to show for it: after a few conflicts the judging seals the gates, too.
func TestJudgingSealsTheGatesAfterConflicts(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict, storetest.Before(func() {
		for k := range 2 {
			if f.At(store.GateKey(f.show.ID, k)).Read(t)["su"] == nil {
				t.Errorf("gate %d is not sealed", k)
			}
		}
	}))
	if err := f.judge(t.Context()); err != nil {
		t.Error(err)
	}
	checkFaults(t, f.Table)
	f.Invariants(t)
}
