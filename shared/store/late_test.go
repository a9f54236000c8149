package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// A lost attempt arrives after its call was refused, when the reason has passed. The refused player is neither charged
// nor paid. The status and the animal are again as they were read: only the numbers of their changes differ.
func TestARefusedWriteNeverHappens(t *testing.T) {
	t.Parallel()
	for _, w := range writesOf("enter", "judge", "claim", "login") {
		t.Run(w.name+"/banned", func(t *testing.T) {
			t.Parallel()
			f := w.fair(t)
			f.arrivesLate(t, w.do, func() { f.Ban(t, f.Ann.ID) }, func() { f.Unban(t, f.Ann.ID) })
		})
	}
	ill, calf, died := game.StatusPregnant, game.StageCalf, game.Instant(1)
	for name, change := range map[string]store.AnimalChange{"pregnant": {Status: &ill}, "a calf": {Stage: &calf}, "dead": {DiedAt: &died}} {
		t.Run("enter/"+name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 1)
			was := f.Ann.Animals[0]
			back := store.AnimalChange{Status: &was.Status, Stage: &was.Stage, Alive: true}
			f.arrivesLate(t, enterFirst, func() { f.MustChange(t, f.Ann, 0, change) }, func() { f.MustChange(t, f.Ann, 0, back) })
		})
	}
}

// arrivesLate loses the first attempt of a call and makes a change before the second, which is refused. It takes the
// change back and delivers the first attempt, which must change nothing.
func (f fair) arrivesLate(t *testing.T, do func(ctx context.Context, f fair) error, happen, takeBack func()) {
	t.Helper()
	late, arrive := storetest.Late(storetest.Lost)
	f.Wire.Next("TransactWriteItems", late, storetest.Before(happen))
	err := do(t.Context(), f)
	if refusal := (*game.Refusal)(nil); !errors.As(err, &refusal) {
		t.Errorf("error %v, want a refusal", err)
	}
	takeBack()
	f.Unchanged(t, arrive)
	f.CheckFaults(t)
	f.Invariants(t)
}

// If a registration's names are taken, it may be by the registration itself: then it has succeeded.
func TestARegistrationRecognisesItsLostAttempt(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	var p storetest.Player
	for _, then := range []storetest.Fault{storetest.Cancelled("ConditionalCheckFailed", "ConditionalCheckFailed"), storetest.Cancelled("AccessDenied")} {
		p = f.NewPlayer(storetest.Anybody)
		f.Wire.Next("TransactWriteItems", storetest.LoseAnswer, then)
		f.Wire.Next("TransactGetItems", storetest.Conflict) // it is still becoming visible
		checkError(t, p.Create(t.Context(), f.Store), nil)
		f.CheckFaults(t)
		storetest.Equal(t, "account", f.AccountOf(t, p.ID), p.Account)
		f.Invariants(t)
	}

	// If they are another's, it has not. If no attempt was lost, the call does not look.
	other := f.NewPlayer(storetest.Cid)
	other.Email = p.Email
	for requests, faults := range map[int][]storetest.Fault{2: {storetest.Lost}, 1: nil} {
		f.Wire.Next("TransactWriteItems", faults...)
		f.Wire.Reset()
		f.Unchanged(t, func() { checkError(t, other.Create(t.Context(), f.Store), game.ErrTaken) })
		f.CheckFaults(t)
		storetest.Equal(t, "requests", f.Wire.Cost().Requests, requests)
	}
}
