package holds

import (
	"fmt"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

const hold = 12 * time.Millisecond

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func keys(names ...string) (keys []protocol.Key) {
	for _, name := range names {
		keys = append(keys, protocol.Key{Table: "t", PK: name, SK: "s"})
	}
	return keys
}

func checkEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	var h Table
	acquire := func(at time.Time, token, item string) Outcome {
		_, _, came := h.Acquire(at, token, keys(item))
		return came
	}
	first, _, _ := h.Acquire(start, "token", keys("a"))
	checkEqual(t, "while it is under way", acquire(start, "token", "a"), InProgress)
	until := start.Add(hold)
	h.End(start, first, until, true)
	checkEqual(t, "until it has committed", acquire(until.Add(-1), "token", "a"), InProgress)
	other, _, _ := h.Acquire(until, "another", keys("a"))
	checkEqual(t, "once it has, though others have the item", acquire(until, "token", "a"), Repeated)
	h.End(until, other, until, false)
	checkEqual(t, "one that was cancelled", acquire(until, "another", "a"), Held)
	checkEqual(t, "as long as tokens live", acquire(until.Add(tokenLife-1), "token", "b"), Repeated)
	checkEqual(t, "after that", acquire(until.Add(tokenLife), "token", "b"), Held)
}

func TestTheTableForgets(t *testing.T) {
	t.Parallel()
	var h Table
	now := start
	for i := range 10_000 {
		name := fmt.Sprint(i)
		one, _, _ := h.Acquire(now, name, keys(name))
		h.End(now, one, now.Add(hold), true)
		now = now.Add(time.Second)
	}
	h.Acquire(now, "", nil)
	if most := int(tokenLife/time.Second) + 1; len(h.items) > 1 || len(h.tokens) > most || len(h.ended)+len(h.remembered) > most+1 {
		t.Errorf("%d items, %d tokens, %d+%d holds are kept", len(h.items), len(h.tokens), len(h.ended), len(h.remembered))
	}
}
