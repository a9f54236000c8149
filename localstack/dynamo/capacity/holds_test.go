package capacity

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

const hold12 = 12 * time.Millisecond

func itemKeys(names ...string) (keys []key) {
	for _, name := range names {
		keys = append(keys, key{Table: "t", PK: name, SK: "s"})
	}
	return keys
}

func TestHolds(t *testing.T) {
	t.Parallel()
	h, now := newHolds(), start
	first, _, came := h.acquire(now, "", itemKeys("a", "b"))
	checkEqual(t, "the first", came, held)
	if _, conflicts, came := h.acquire(now, "", itemKeys("c", "b", "d")); came != conflict || !slices.Equal(conflicts, []bool{false, true, false}) {
		t.Errorf("one that shares b: %v %v", conflicts, came)
	}
	checkEqual(t, "c is not held by the cancelled one", h.conflicting(now, itemKeys("c")) == nil, true)

	now = now.Add(time.Second)
	checkEqual(t, "while the engine has not answered", h.conflicting(now, itemKeys("a")) == nil, false)
	checkEqual(t, "free at", h.release(now, first, hold12, true), now)
	checkEqual(t, "after the answer, past the hold", h.conflicting(now, itemKeys("a", "b")) == nil, true)
}

func TestAnItemIsHeldAtLeastForTheHold(t *testing.T) {
	t.Parallel()
	h := newHolds()
	first, _, _ := h.acquire(start, "", itemKeys("a"))
	until := h.release(start.Add(time.Millisecond), first, hold12, true)
	checkEqual(t, "held for", until.Sub(start), hold12)
	checkEqual(t, "just before", h.conflicting(until.Add(-1), itemKeys("a")) == nil, false)
	checkEqual(t, "then", h.conflicting(until, itemKeys("a")) == nil, true)
}

func TestTokens(t *testing.T) {
	t.Parallel()
	h := newHolds()
	first, _, _ := h.acquire(start, "token", itemKeys("a"))
	_, _, came := h.acquire(start, "token", itemKeys("a"))
	checkEqual(t, "while it is under way", came, inProgress)
	until := h.release(start, first, hold12, true)
	_, _, came = h.acquire(until.Add(-1), "token", itemKeys("a"))
	checkEqual(t, "until it has committed", came, inProgress)

	other, _, _ := h.acquire(until, "another", itemKeys("a"))
	_, _, came = h.acquire(until, "token", itemKeys("a"))
	checkEqual(t, "once it has, though others have the item", came, repeated)
	end := h.release(until, other, hold12, false)
	_, _, came = h.acquire(end, "another", itemKeys("a"))
	checkEqual(t, "one that was cancelled", came, held)

	_, _, came = h.acquire(until.Add(tokenLife-1), "token", itemKeys("b"))
	checkEqual(t, "within ten minutes", came, repeated)
	_, _, came = h.acquire(until.Add(tokenLife), "token", itemKeys("b"))
	checkEqual(t, "after that", came, held)
}

func TestHoldsForget(t *testing.T) {
	t.Parallel()
	h, now := newHolds(), start
	for i := range 10_000 {
		name := fmt.Sprint(i)
		one, _, _ := h.acquire(now, name, itemKeys(name))
		h.release(now, one, hold12, true)
		now = now.Add(time.Second)
	}
	h.acquire(now, "", nil)
	if len(h.items) > 1 || len(h.tokens) > 601 || len(h.answered)+len(h.remembered) > 602 {
		t.Errorf("%d items, %d tokens, %d+%d holds are kept", len(h.items), len(h.tokens), len(h.answered), len(h.remembered))
	}
}
