package capacity

import (
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

type key = protocol.Key

// holds has the items of transactions that are under way. Developer Guide, "DynamoDB transactions: how it works",
// conflict handling: a transaction that names an item of one under way is cancelled, whatever either does with the
// item, and a plain write of such an item is refused; GetItem, BatchGetItem, Query and Scan go on.
type holds struct {
	mu     sync.Mutex
	items  map[key]*hold
	tokens map[string]*hold // by ClientRequestToken

	answered   []*hold // whose items are still there, in the order of their answers
	remembered []*hold // whose tokens are still there
}

// hold is one transaction.
type hold struct {
	keys      []key
	token     string
	accepted  time.Time
	until     time.Time // zero while the engine has not answered
	committed bool
}

func (h *hold) active(now time.Time) bool { return h.until.IsZero() || now.Before(h.until) }

// tokenLife is how long the token of a transaction that succeeded stands for it (API Reference, TransactWriteItems,
// ClientRequestToken).
const tokenLife = 10 * time.Minute

func newHolds() *holds { return &holds{items: map[key]*hold{}, tokens: map[string]*hold{}} }

// outcome is what came of an attempt to hold items.
type outcome int

const (
	held       outcome = iota
	conflict           // with a transaction that has one of the items
	inProgress         // the transaction with this token is under way
	repeated           // the transaction with this token has succeeded
)

// acquire holds the items from now on. On a conflict it holds nothing and says which items conflict.
func (h *holds) acquire(now time.Time, token string, keys []key) (acquired *hold, conflicts []bool, _ outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(now)
	if before := h.tokens[token]; token != "" && before != nil {
		switch {
		case before.active(now):
			return nil, nil, inProgress
		case before.committed && now.Before(before.until.Add(tokenLife)):
			return nil, nil, repeated
		}
	}
	if conflicts = h.conflicts(now, keys); conflicts != nil {
		return nil, conflicts, conflict
	}
	acquired = &hold{keys: keys, token: token, accepted: now}
	for _, k := range keys {
		h.items[k] = acquired
	}
	if token != "" {
		h.tokens[token] = acquired
	}
	return acquired, nil, held
}

// conflicting says which of the items are held; nil if none is.
func (h *holds) conflicting(now time.Time, keys []key) []bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.conflicts(now, keys)
}

func (h *holds) conflicts(now time.Time, keys []key) (conflicts []bool) {
	for i, k := range keys {
		if other := h.items[k]; other != nil && other.active(now) {
			if conflicts == nil {
				conflicts = make([]bool, len(keys))
			}
			conflicts[i] = true
		}
	}
	return conflicts
}

// release says that the engine has answered. The items are free at the time that it returns, which is now or later.
func (h *holds) release(now time.Time, one *hold, atLeast time.Duration, committed bool) (until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one.until, one.committed = one.accepted.Add(atLeast), committed
	if one.until.Before(now) {
		one.until = now
	}
	h.answered = append(h.answered, one)
	h.forget(now)
	return one.until
}

// forget drops items that are held no more, and tokens that are too old.
func (h *holds) forget(now time.Time) {
	for len(h.answered) > 0 && !h.answered[0].active(now) {
		one := h.answered[0]
		h.answered[0], h.answered = nil, h.answered[1:]
		for _, k := range one.keys {
			if h.items[k] == one {
				delete(h.items, k)
			}
		}
		one.keys = nil
		if one.token != "" {
			h.remembered = append(h.remembered, one)
		}
	}
	for len(h.remembered) > 0 && !now.Before(h.remembered[0].until.Add(tokenLife)) {
		one := h.remembered[0]
		h.remembered[0], h.remembered = nil, h.remembered[1:]
		if h.tokens[one.token] == one {
			delete(h.tokens, one.token)
		}
	}
}
