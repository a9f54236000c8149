package logcheck

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// pairing finds a pairing in which each item has a call, and each call that must have an item has one, if one exists.
func TestPairing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		calls, items := rapid.IntRange(0, 5).Draw(rt, "calls"), rapid.IntRange(0, 4).Draw(rt, "items")
		may := rapid.SliceOfN(rapid.Bool(), calls*items, calls*items).Draw(rt, "may")
		must := rapid.SliceOfN(rapid.Bool(), calls, calls).Draw(rt, "must")
		keysOf := func(n int, what string) []int { return rapid.SliceOfN(rapid.IntRange(0, 1), n, n).Draw(rt, what) }
		callKeys, itemKeys := keysOf(calls, "keys of calls"), keysOf(items, "keys of items")
		p := pairing(callKeys, itemKeys, func(call, item int) bool { return may[call*items+item] }, func(call int) bool { return must[call] })
		for i := range may { // the search below knows no keys
			may[i] = may[i] && callKeys[i/items] == itemKeys[i%items]
		}
		whole := true
		for call, item := range p.ofCall {
			whole = whole && (item >= 0 || !must[call])
			require.True(rt, item < 0 || p.ofItem[item] == call && may[call*items+item], "call %d has item %d: %+v", call, item, p)
		}
		for _, call := range p.ofItem {
			whole = whole && call >= 0
		}
		there := wholePairing(items, may, must, make([]bool, items), 0, 0)
		require.Equal(rt, whole, there, "%t, and %+v", there, p)
	})
}

// wholePairing reports whether such a pairing exists, by trying all pairs of the calls from call on.
func wholePairing(items int, may, must, taken []bool, call, paired int) bool {
	if call == len(must) {
		return paired == items
	}
	if !must[call] && wholePairing(items, may, must, taken, call+1, paired) {
		return true
	}
	for item := range items {
		if may[call*items+item] && !taken[item] {
			taken[item] = true
			if wholePairing(items, may, must, taken, call+1, paired+1) {
				return true
			}
			taken[item] = false
		}
	}
	return false
}
