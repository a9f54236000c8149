package explore

import (
	"slices"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// group is a set of calls, one bit each.
type group uint8

func (g group) has(call int) bool { return g&(1<<call) != 0 }

// lineage is the happens-before relation of a history: which calls follow from which. A step follows from an earlier
// step if both belong to one call, if their footprints meet, or if a third step connects them. A late attempt follows
// from the fault. A call follows from another if one of its steps follows from a step of the other.
type lineage struct {
	calls  []group // by call: the calls that it follows from, and itself; the last element is for late attempts
	waits  []group // by call: the calls that the transactions that ended during its long sleeps follow from
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

// add adds the history's next step.
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

// follows reports whether call follows from other, by its steps or by a transaction that ended while call slept.
func (l *lineage) follows(call, other int) bool { return (l.calls[call] | l.waits[call]).has(other) }

// footprint has what a step touches. If the footprints of two calls' steps do not meet, the steps commute.
type footprint struct {
	reads  []protocol.Range
	writes []protocol.Key // items that other calls may read differently after the step
	locks  []protocol.Key // items for which the step can get a conflict: written or checked
}

// meets reports whether one footprint reads what the other writes, or both lock the same item.
func (f footprint) meets(g footprint) bool {
	return readsAny(f.reads, g.writes) || readsAny(g.reads, f.writes) || slices.ContainsFunc(f.locks, func(k protocol.Key) bool { return slices.Contains(g.locks, k) })
}

func readsAny(ranges []protocol.Range, keys []protocol.Key) bool {
	return slices.ContainsFunc(ranges, func(r protocol.Range) bool { return slices.ContainsFunc(keys, r.Has) })
}
