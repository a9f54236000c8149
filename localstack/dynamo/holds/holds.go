// Package holds records which items a running transaction holds (locks). If two transactions name the same item,
// DynamoDB cancels the second one, even if both only check the item. DynamoDB refuses a plain write of a held item
// (Developer Guide, "DynamoDB transactions: how it works", conflict handling). Other reads than TransactGetItems ignore
// holds.
package holds

import (
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// tokenLife is the time for which the simulator remembers the token of a successful transaction. DynamoDB remembers
// tokens for ten minutes (API Reference, TransactWriteItems, ClientRequestToken). The simulator must forget a token
// before the engine does. Otherwise the engine could apply a repetition whose items the simulator does not hold. If the
// simulator forgets first, it only holds the items of a repetition that writes nothing.
const tokenLife = 9 * time.Minute

// Table records held items, and the tokens of transactions. It is not safe for concurrent use. The zero value is empty.
// It keeps an entry for each item and each token that it has met.
type Table struct {
	items  map[protocol.Key]*Hold
	tokens map[string]*Hold // by ClientRequestToken
}

// Hold represents one transaction and the items that it holds.
type Hold struct {
	Since     time.Time // the time of Acquire
	until     time.Time // when the items are free; zero before End
	succeeded bool
}

func (h *Hold) active(now time.Time) bool { return h.until.IsZero() || now.Before(h.until) }

// Outcome is the result of Acquire.
type Outcome int

// The outcomes.
const (
	Held       Outcome = iota
	Conflict           // another transaction holds one of the items
	InProgress         // the transaction with this token is running
	Repeated           // the transaction with this token has succeeded in the last nine minutes
)

// Acquire holds the items of a transaction from now until End, and returns the Hold. If another transaction holds any
// of the items, Acquire holds nothing and returns Conflict, and conflicts[i] reports whether keys[i] is held. If the
// transaction with this token is running or has succeeded, Acquire holds nothing and returns InProgress or
// Repeated.
func (t *Table) Acquire(now time.Time, token string, keys []protocol.Key) (acquired *Hold, conflicts []bool, _ Outcome) {
	if t.items == nil {
		t.items, t.tokens = map[protocol.Key]*Hold{}, map[string]*Hold{}
	}
	if known := t.known(now, token); known != Held {
		return nil, nil, known
	}
	if conflicts = t.Conflicts(now, keys); conflicts != nil {
		return nil, conflicts, Conflict
	}
	acquired = &Hold{Since: now}
	for _, k := range keys {
		t.items[k] = acquired
	}
	if token != "" {
		t.tokens[token] = acquired
	}
	return acquired, nil, Held
}

// known returns InProgress if the transaction with this token holds its items, and Repeated if it has succeeded in the
// last nine minutes (tokenLife). Otherwise, and without a token, known returns Held.
func (t *Table) known(now time.Time, token string) Outcome {
	switch earlier := t.tokens[token]; {
	case token == "" || earlier == nil:
	case earlier.active(now):
		return InProgress
	case earlier.succeeded && now.Before(earlier.until.Add(tokenLife)):
		return Repeated
	}
	return Held
}

// Conflicts reports, for each key, whether a transaction holds its item. It returns nil if no item is held.
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

// Free releases the item with the key k if the hold h has it.
func (t *Table) Free(h *Hold, k protocol.Key) {
	if t.items[k] == h {
		delete(t.items, k)
	}
}

// End releases all items of a hold at the time until. If succeeded is true, the Table knows the hold's token for nine
// minutes after until. A second End of the same hold changes nothing.
func (t *Table) End(h *Hold, until time.Time, succeeded bool) {
	if h.until.IsZero() {
		h.until, h.succeeded = until, succeeded
	}
}
