package explore

import (
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// group is a set of calls, one bit each.
type group uint8

func (g group) has(call int) bool { return g&(1<<call) != 0 }

// lineage is the happens-before relation of a history: which calls have steps that steps of other calls follow from. A
// step follows from an earlier step if both belong to one call, if they touch the same item, or if a third step
// connects them. The outcome of an attempt that met the fault follows from the fault.
type lineage struct {
	calls  []group // by call: the calls that its steps follow from; the last element is for late attempts
	waits  []group // by call: what the transactions that ended during its long sleeps follow from
	reads  map[protocol.Range]group
	writes map[protocol.Key]group
	locks  map[protocol.Key]group
	struck group
}

func newLineage(calls int) *lineage {
	return &lineage{
		calls: make([]group, calls+1), waits: make([]group, calls),
		reads: map[protocol.Range]group{}, writes: map[protocol.Key]group{}, locks: map[protocol.Key]group{},
	}
}

// add adds a step.
func (l *lineage) add(step Step) {
	from := l.calls[step.Call] | 1<<step.Call
	if step.Call == len(l.waits) {
		from |= l.struck
	}
	for k, g := range l.writes {
		if readsAny(step.touched.reads, []protocol.Key{k}) {
			from |= g
		}
	}
	for r, g := range l.reads {
		if readsAny([]protocol.Range{r}, step.touched.writes) {
			from |= g
		}
	}
	for _, k := range step.touched.locks {
		from |= l.locks[k]
	}
	l.calls[step.Call] = from
	for _, call := range step.awaited {
		l.waits[call] |= from
	}
	for _, r := range step.touched.reads {
		l.reads[r] |= from
	}
	for _, k := range step.touched.writes {
		l.writes[k] |= from
	}
	for _, k := range step.touched.locks {
		l.locks[k] |= from
	}
	if step.struck {
		l.struck = from
	}
}

// follows reports whether a step of call follows from a step of other, or from a transaction that ended while call
// slept.
func (l *lineage) follows(call, other int) bool { return (l.calls[call] | l.waits[call]).has(other) }

// footprint says what a step touches: what it reads, what it makes visible, and which items it needs for a transaction.
// Two steps of different calls commute if their footprints do not meet.
type footprint struct {
	reads  []protocol.Range
	writes []protocol.Key // items that others may read differently after it
	locks  []protocol.Key // items about which it gets conflicts: its writes and its checks
}

// meets reports whether the order of two steps with these footprints can make a difference.
func (f footprint) meets(g footprint) bool {
	return readsAny(f.reads, g.writes) || readsAny(g.reads, f.writes) || slices.ContainsFunc(f.locks, func(k protocol.Key) bool { return slices.Contains(g.locks, k) })
}

func readsAny(ranges []protocol.Range, keys []protocol.Key) bool {
	return slices.ContainsFunc(ranges, func(r protocol.Range) bool { return slices.ContainsFunc(keys, r.Has) })
}
