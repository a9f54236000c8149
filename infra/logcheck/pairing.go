package logcheck

// pairs assigns stored items to calls, by their indices; -1 means none.
type pairs struct{ ofCall, ofItem []int }

// pairing pairs calls with stored items for which may returns true. As many as possible of the calls that must have an
// item get one, and then as many items as possible get a call. It finds augmenting paths: these never take the pair of
// a call or an item away without giving it another one.
func pairing(calls, items int, may func(call, item int) bool, must func(call int) bool) pairs {
	p := pairs{ofCall: unpaired(calls), ofItem: unpaired(items)}
	var find func(item int, seen []bool) bool // a call for the item
	find = func(item int, seen []bool) bool {
		for call := range calls {
			if seen[call] || !may(call, item) {
				continue
			}
			seen[call] = true
			if other := p.ofCall[call]; other < 0 || find(other, seen) {
				p.ofCall[call], p.ofItem[item] = item, call
				return true
			}
		}
		return false
	}
	var give func(call int, seen []bool) bool // an item to the call
	give = func(call int, seen []bool) bool {
		for item := range items {
			if seen[item] || !may(call, item) {
				continue
			}
			seen[item] = true
			if other := p.ofItem[item]; other < 0 || give(other, seen) {
				p.ofCall[call], p.ofItem[item] = item, call
				return true
			}
		}
		return false
	}
	for call := range calls {
		if must(call) {
			give(call, make([]bool, items))
		}
	}
	for item := range items {
		if p.ofItem[item] < 0 {
			find(item, make([]bool, calls))
		}
	}
	return p
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
