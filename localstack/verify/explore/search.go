package explore

import (
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Search is a Chooser that tries every choice by depth-first search. The next history repeats the choices of the last
// one up to the last choice that has another option. If two steps touch nothing in common, Search tries only one order
// (sleep sets). Search tries a read after a transaction only if the read sees something of the transaction. Otherwise
// the read equals a read before the transaction.
type Search struct {
	strike Strike
	nodes  []*node // the choices of the running history
	at     int     // how many of the nodes this history has passed
	step   *node   // the node of the present step
	asleep []Option
	blind  []blind
	like   bool // an earlier history was equivalent, so Next abandons this one
}

// node is a choice that was made.
type node struct {
	options []Option // the possible steps; nil for a choice of Pick
	asleep  []Option // options that other histories have covered
	blind   []blind  // reads that other histories have covered, unless they see something
	n       int
	chosen  int
	tried   []int // indices of options that earlier histories chose
}

// blind is a read that an earlier history tried before a transaction was applied.
type blind struct {
	Option
	to []protocol.Key // the items of which the read must see something new
}

// Next implements Chooser.
func (s *Search) Next(options []Option) int {
	if s.like {
		return -1
	}
	if s.at < len(s.nodes) {
		n := s.passed()
		if !slices.EqualFunc(n.options, options, func(a, b Option) bool { return a.ID == b.ID }) {
			panic(fmt.Sprintf("the same choices lead elsewhere: %v, and before %v", options, n.options))
		}
		s.step = n
		return n.chosen
	}
	n := &node{options: options, asleep: s.asleep, blind: s.blind, chosen: -1}
	if !n.next() {
		return -1
	}
	s.nodes, s.at, s.step = append(s.nodes, n), s.at+1, n
	return n.chosen
}

// Pick implements Chooser.
func (s *Search) Pick(n int) int {
	if s.at < len(s.nodes) {
		return s.passed().chosen
	}
	s.nodes, s.at = append(s.nodes, &node{n: n}), s.at+1
	return 0
}

func (s *Search) passed() *node {
	s.at++
	return s.nodes[s.at-1]
}

// Did implements Chooser. An option that was tried instead of the step needs no try after it, unless the two are
// related.
func (s *Search) Did(step Step) {
	s.asleep, s.blind = nil, nil
	s.step.options[s.step.chosen].returns = step.returns
	for _, o := range s.step.seen() {
		switch {
		case o.ID == step.ID:
		case !s.related(o, step):
			s.asleep = append(s.asleep, o)
		case step.applied && o.Call != step.Call && len(o.about.locks) == 0 && !o.ordered(step):
			s.blind = append(s.blind, blind{o, step.touched.writes})
		}
	}
	for _, b := range s.step.blind {
		switch {
		case b.ID == step.ID:
			s.like = !slices.ContainsFunc(step.shown, func(k protocol.Key) bool { return slices.Contains(b.to, k) })
		case !s.related(b.Option, step):
			s.blind = append(s.blind, b)
		case step.applied && b.Call != step.Call && !b.ordered(step):
			s.blind = append(s.blind, blind{b.Option, slices.Concat(b.to, step.touched.writes)})
		}
	}
}

// related reports whether the option and the step may not commute. Steps of the call with the fault never do: their
// order decides which attempt gets the fault.
func (s *Search) related(o Option, step Step) bool {
	struck := s.strike.Fault != "" && s.strike.Call == o.Call
	return o.about.meets(step.touched) || o.ordered(step) || struck && o.Call == step.Call
}

// ordered reports whether the order of the option and the step decides whether a call returns before another begins.
func (o Option) ordered(step Step) bool { return o.begins && step.returns || o.returns && step.begins }

// seen returns the options that need no further try.
func (n *node) seen() []Option {
	seen := slices.Clone(n.asleep)
	for _, i := range n.tried {
		seen = append(seen, n.options[i])
	}
	return seen
}

// next chooses an option of this node that the search has not tried. It returns false if none is left.
func (n *node) next() bool {
	if n.options == nil {
		n.chosen++
		return n.chosen < n.n
	}
	if n.chosen >= 0 {
		n.tried = append(n.tried, n.chosen)
	}
	seen := n.seen()
	n.chosen = slices.IndexFunc(n.options, func(o Option) bool {
		return !slices.ContainsFunc(seen, func(other Option) bool { return other.ID == o.ID })
	})
	return n.chosen >= 0
}

// Again prepares the next history. It returns false if all histories were tried.
func (s *Search) Again() bool {
	s.at, s.step, s.asleep, s.blind, s.like = 0, nil, nil, nil, false
	for len(s.nodes) > 0 {
		if s.nodes[len(s.nodes)-1].next() {
			return true
		}
		s.nodes = s.nodes[:len(s.nodes)-1]
	}
	return false
}

// footprint has what a step touches. If the footprints of two calls' steps do not meet, the steps commute.
type footprint struct {
	reads  []protocol.Range
	writes []protocol.Key // items that other calls may read differently after the step
	locks  []protocol.Key // items for which the step can get a conflict: written or checked
}

// meets reports whether one footprint reads what the other writes, or both lock the same item.
func (f footprint) meets(g footprint) bool {
	locked := func(k protocol.Key) bool { return slices.Contains(g.locks, k) }
	return readsAny(f.reads, g.writes) || readsAny(g.reads, f.writes) || slices.ContainsFunc(f.locks, locked)
}

func readsAny(ranges []protocol.Range, keys []protocol.Key) bool {
	return slices.ContainsFunc(ranges, func(r protocol.Range) bool { return slices.ContainsFunc(keys, r.Has) })
}
