package logcheck

// pairs assigns stored items to calls, by their indices; -1 means none.
type pairs struct{ ofCall, ofItem []int }

// pairing pairs calls with stored items for which may returns true. As many as possible of the calls that must have an
// item get one, and then as many items as possible get a call. It finds augmenting paths: these never take the pair of
// a call or an item away without giving it another one.
func pairing(calls, items int, may func(call, item int) bool, must func(call int) bool) pairs {
	p := pairs{ofCall: unpaired(calls), ofItem: unpaired(items)}
	for call := range calls {
		if must(call) {
			augment(p.ofCall, p.ofItem, call, make([]bool, items), may)
		}
	}
	for item := range items {
		if p.ofItem[item] < 0 {
			augment(p.ofItem, p.ofCall, item, make([]bool, calls), func(item, call int) bool { return may(call, item) })
		}
	}
	return p
}

// augment finds a partner for one, and other partners for those that lose theirs by that. It returns false, and changes
// nothing, if there are not enough. seen has the others that were tried.
func augment(own, others []int, one int, seen []bool, may func(one, other int) bool) bool {
	for other := range others {
		if seen[other] || !may(one, other) {
			continue
		}
		seen[other] = true
		if rival := others[other]; rival < 0 || augment(own, others, rival, seen, may) {
			own[one], others[other] = other, one
			return true
		}
	}
	return false
}

// inOrder swaps the items of two calls if each call may have the other's item, so that the call that ended first has
// the earlier item.
func (p pairs) inOrder(may func(call, item int) bool, endedFirst func(call, other int) bool) {
	for i := range p.ofItem {
		for j := i + 1; j < len(p.ofItem); j++ {
			early, late := p.ofItem[i], p.ofItem[j]
			if early >= 0 && late >= 0 && endedFirst(late, early) && may(late, i) && may(early, j) {
				p.ofItem[i], p.ofItem[j] = late, early
				p.ofCall[late], p.ofCall[early] = i, j
			}
		}
	}
}

func unpaired(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = -1
	}
	return all
}
