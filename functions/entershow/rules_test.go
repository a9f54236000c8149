package main

import (
	"fmt"
	"testing"

	"github.com/ranch-game/ranch/localstack/functiontest"
	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/store"
)

// A fee that an operator changes between the read and the write is read again: message, balance and ledger have the one
// that was read last, and the name that goes with it.
func TestTheFeeThatWasReadIsCharged(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	name, fee := "Town Fair", int64(70)
	c.Meanwhile(func() { c.MustSet(t, c.Show, store.ShowChange{Name: &name, EntryFee: &fee}) })
	c.Do(t, c.Request).Want(t, 201, `{"success":true,"message":"Buck entered in Town Fair!","entryFee":70}`)
	c.CheckGold(t, c.Ann.ID, 430, 500, -70)
	storetest.Equal(t, "description", c.LedgerOf(t, c.Ann.ID)[1].Description, "Show entry: Town Fair")
	c.Invariants(t)
}

// The header is not part of the API: neither does one key twice repeat the first answer, nor does it make two requests
// one.
func TestIdempotencyKeyMeansNothing(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Request.Header = map[string]string{"idempotency-key": "the same key"}
	c.Do(t, c.Request).Want(t, 201, entered)
	c.Do(t, c.Request).Want(t, 409, duplicate)
	c.Request.Body = animal(c.Ann.Animals[1].ID)
	c.Do(t, c.Request).WantStatus(t, 201)
	c.CheckGold(t, c.Ann.ID, 400, 500, -50, -50)
	c.Invariants(t)
}

// TestSeveralThingsHappenBehindTheCheck lets each pair of things happen between the read and the write, so that several
// conditions of one write fail: storage reports them in the order of the write's items, the answer is the first in the
// order of the rules.
func TestSeveralThingsHappenBehindTheCheck(t *testing.T) {
	t.Parallel()
	const itIsEntered = "it is entered"
	// In the order of the rules.
	things := []struct {
		name   string
		status int
		body   string
		make   func(*testing.T, *functiontest.Case)
	}{
		{"the caller is banned", 401, `{"error":"UNAUTHORIZED"}`, func(t *testing.T, c *functiontest.Case) { c.Ban(t, c.Ann.ID) }},
		{"the show is judged", 404, showClosed, functiontest.ShowCompleted},
		{"the animal dies", 404, noAnimal, dies},
		{"it is pregnant", 400, pregnant, getsPregnant},
		{"it is a calf", 400, calf, becomesCalf},
		{itIsEntered, 409, duplicate, isEntered},
		{"the gold is spent", 400, noGold, func(t *testing.T, c *functiontest.Case) {
			c.At("USER#"+string(c.Ann.ID), "PROFILE").Edit(t, "SET g = :gold, ls = :seq", map[string]any{":gold": 49, ":seq": 7})
		}},
	}
	for i, first := range things {
		for _, second := range things[i+1:] {
			t.Run(fmt.Sprintf("%s and %s", first.name, second.name), func(t *testing.T) {
				t.Parallel()
				c := newCase(t)
				c.Meanwhile(func() {
					if second.name == itIsEntered { // which cannot be done after the others
						second.make(t, c)
						first.make(t, c)
						return
					}
					first.make(t, c)
					second.make(t, c)
				})
				c.Do(t, c.Request).Want(t, first.status, first.body)
			})
		}
	}
}
