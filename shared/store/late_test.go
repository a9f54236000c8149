package store_test

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// If a lost attempt of a registration has taken its names, the registration has succeeded.
func TestARegistrationRecognisesItsLostAttempt(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	var p storetest.Player
	for _, then := range []storetest.Fault{storetest.Cancelled("ConditionalCheckFailed", "ConditionalCheckFailed"), storetest.Cancelled("AccessDenied")} {
		p = f.NewPlayer(storetest.Anybody)
		f.Wire.Next("TransactWriteItems", storetest.LoseAnswer, then)
		f.Wire.Next("TransactGetItems", storetest.Conflict) // the account is still becoming visible
		checkError(t, p.Create(t.Context(), f.Store), nil)
		f.CheckFaults(t)
		storetest.Equal(t, "account", f.AccountOf(t, p.ID), p.Account)
		f.Invariants(t)
	}

	// If another account has the names, the registration is refused. It reads the account only if an attempt was lost.
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
