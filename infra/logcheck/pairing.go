package logcheck

import (
	"maps"
	"slices"
)

// pairs assigns stored items to calls, by their indices; -1 means none.
type pairs struct {
	ofCall, ofItem []int
	groups         [][]int // the indices of the items, by key
}

// pairing pairs calls with stored items that have the same key, and for which may returns true. As many as possible of
// the calls for which must returns true get an item. Then as many items as possible get a call. It finds augmenting
// paths: these never take the pair of a call or an item away without giving it another one. Keys keep long lists fast.
func pairing[K comparable](calls, items []K, may func(call, item int) bool, must func(call int) bool) pairs {
	callsOf, itemsOf := byKey(calls), byKey(items)
	p := pairs{slices.Repeat([]int{-1}, len(calls)), slices.Repeat([]int{-1}, len(items)), slices.Collect(maps.Values(itemsOf))}
	for call, key := range calls {
		if must(call) {
			augment(p.ofCall, p.ofItem, call, itemsOf[key], map[int]bool{}, may)
		}
	}
	for item, key := range items {
		if p.ofItem[item] < 0 {
			augment(p.ofItem, p.ofCall, item, callsOf[key], map[int]bool{}, func(item, call int) bool { return may(call, item) })
		}
	}
	return p
}

// byKey groups the indices of equal keys.
func byKey[K comparable](keys []K) map[K][]int {
	indices := map[K][]int{}
	for i, key := range keys {
		indices[key] = append(indices[key], i)
	}
	return indices
}

// augment gives one a partner from the candidates. If that partner has another pair, augment finds a new partner for
// its rival. If there are not enough, it returns false and changes nothing. seen has the candidates that were tried.
func augment(own, others []int, one int, candidates []int, seen map[int]bool, may func(one, other int) bool) bool {
	for _, other := range candidates {
		if seen[other] || !may(one, other) {
			continue
		}
		seen[other] = true
		if rival := others[other]; rival < 0 || augment(own, others, rival, candidates, seen, may) {
			own[one], others[other] = other, one
			return true
		}
	}
	return false
}

// inOrder swaps the items of two calls if each call may have the other's item, so that the call that ended first has
// the earlier item.
func (p pairs) inOrder(may func(call, item int) bool, endedFirst func(call, other int) bool) {
	for _, group := range p.groups {
		for n, i := range group {
			for _, j := range group[n+1:] {
				early, late := p.ofItem[i], p.ofItem[j]
				if early >= 0 && late >= 0 && endedFirst(late, early) && may(late, i) && may(early, j) {
					p.ofItem[i], p.ofItem[j] = late, early
					p.ofCall[late], p.ofCall[early] = i, j
				}
			}
		}
	}
}
