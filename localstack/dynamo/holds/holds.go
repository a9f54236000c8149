// Package holds records the items that transactions hold. DynamoDB cancels a transaction if another open transaction
// has one of its items, whatever the two do with the item. It refuses a plain write of an item that a transaction holds
// (Developer Guide, "DynamoDB transactions: how it works", conflict handling). GetItem, BatchGetItem, Query and Scan
// are not affected.
package holds

import (
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// tokenLife is the time for which the simulator remembers the token of a successful transaction. DynamoDB remembers
// tokens for ten minutes (API Reference, TransactWriteItems, ClientRequestToken). The simulator must forget a token
// before the engine does. To hold the items of a repetition does no harm, but to apply a transaction without holding
// its items would.
const tokenLife = 9 * time.Minute

// Table records the items that transactions hold, and the tokens of transactions. It is not safe for concurrent use.
// The zero value is empty.
type Table struct {
	items  map[protocol.Key]*Hold
	tokens map[string]*Hold // by ClientRequestToken

	ended      []*Hold // their items are still there, in the order of their ends
	remembered []*Hold // their tokens are still there
}

// Hold is one transaction that holds items.
type Hold struct {
	Since     time.Time // the time of Acquire
	keys      []protocol.Key
	token     string
	until     time.Time // zero while the transaction is open
	succeeded bool
}

func (h *Hold) active(now time.Time) bool { return h.until.IsZero() || now.Before(h.until) }

// Outcome is the result of an attempt to hold items.
type Outcome int

// The outcomes.
const (
	Held       Outcome = iota
	Conflict           // another transaction has one of the items
	InProgress         // the transaction with this token is under way
	Repeated           // the transaction with this token has succeeded
)

// Acquire holds the items for a transaction from now on. If another transaction holds any of them, Acquire holds
// nothing, and conflicts[i] reports whether keys[i] is held. If the token's transaction is running or has succeeded,
// Acquire holds nothing either. The Outcome names the case.
func (t *Table) Acquire(now time.Time, token string, keys []protocol.Key) (acquired *Hold, conflicts []bool, _ Outcome) {
	if t.items == nil {
		t.items, t.tokens = map[protocol.Key]*Hold{}, map[string]*Hold{}
	}
	t.forget(now)
	if known := t.Token(now, token); known != Held {
		return nil, nil, known
	}
	if conflicts = t.Conflicts(now, keys); conflicts != nil {
		return nil, conflicts, Conflict
	}
	acquired = &Hold{Since: now, keys: keys, token: token}
	for _, k := range keys {
		t.items[k] = acquired
	}
	if token != "" {
		t.tokens[token] = acquired
	}
	return acquired, nil, Held
}

// Token returns InProgress if the transaction with this token is running, and Repeated if it has succeeded. The engine
// can no longer cancel such a transaction. Otherwise Token returns Held.
func (t *Table) Token(now time.Time, token string) Outcome {
	switch known := t.tokens[token]; {
	case token == "" || known == nil:
	case known.active(now):
		return InProgress
	case known.succeeded && now.Before(known.until.Add(tokenLife)):
		return Repeated
	}
	return Held
}

// Conflicts says which items are held, or nil if none is.
func (t *Table) Conflicts(now time.Time, keys []protocol.Key) (conflicts []bool) {
	for i, k := range keys {
		if other := t.items[k]; other != nil && other.active(now) {
			if conflicts == nil {
				conflicts = make([]bool, len(keys))
			}
			conflicts[i] = true
		}
	}
	return conflicts
}

// Free releases one item of an open transaction.
func (t *Table) Free(h *Hold, k protocol.Key) {
	if t.items[k] == h {
		delete(t.items, k)
	}
}

// End releases all items of a hold at the time until, which must not be before now. If the transaction has succeeded,
// its token is remembered from then on.
func (t *Table) End(now time.Time, h *Hold, until time.Time, succeeded bool) {
	if h.until.IsZero() {
		h.until, h.succeeded = until, succeeded
		t.ended = append(t.ended, h)
	}
	t.forget(now)
}

// forget drops items that are no longer held at the time now, and tokens that are too old.
func (t *Table) forget(now time.Time) {
	for len(t.ended) > 0 && !t.ended[0].active(now) {
		one := t.ended[0]
		t.ended[0], t.ended = nil, t.ended[1:]
		for _, k := range one.keys {
			t.Free(one, k)
		}
		one.keys = nil
		if one.token != "" {
			t.remembered = append(t.remembered, one)
		}
	}
	for len(t.remembered) > 0 && !now.Before(t.remembered[0].until.Add(tokenLife)) {
		one := t.remembered[0]
		t.remembered[0], t.remembered = nil, t.remembered[1:]
		if t.tokens[one.token] == one {
			delete(t.tokens, one.token)
		}
	}
}
