package explore

import (
	"fmt"
	"io"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// group is a set of calls, a bit each.
type group uint8

func (g group) has(call int) bool { return g&(1<<call) != 0 }

// lineage says which calls have steps that something follows from. A step follows from an earlier one where both are of
// one call, or about the same, or a third one is between them; and what has become of an attempt that met its fault
// follows from that.
type lineage struct {
	calls  []group // by call: what its steps follow from, and one more of attempts that are late
	waits  []group // by call: what transactions follow from that were over while it slept for longer than that takes
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

// add adds a step that was made.
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

// follows reports whether a step of the call follows from one of the other's, or a transaction does that was over while
// the call slept.
func (l *lineage) follows(call, other int) bool { return (l.calls[call] | l.waits[call]).has(other) }

// write writes what there is to say of it about the calls that are open.
func (l *lineage) write(to io.Writer, open group) {
	for i := range l.waits {
		fmt.Fprint(to, " ", l.calls[i]|l.waits[i]|1<<i)
		fmt.Fprint(to, " ", l.calls[i]&open)
	}
	fmt.Fprintln(to, l.calls[len(l.waits)]&open, l.struck&open)
	var lines []string
	for r, g := range l.reads {
		if g&open != 0 {
			lines = append(lines, fmt.Sprintln("read", r, g&open))
		}
	}
	for k, g := range l.writes {
		if g&open != 0 {
			lines = append(lines, fmt.Sprintln("written", k, g&open))
		}
	}
	for k, g := range l.locks {
		if g&open != 0 {
			lines = append(lines, fmt.Sprintln("locked", k, g&open))
		}
	}
	writeSorted(to, lines)
}

// openGroup are the calls of which it may still make a difference that something follows from them: those that some
// other call, which is not quiet, does not follow from yet.
func (s *schedule) openGroup() (open group) {
	for j := range s.calls {
		for i, c := range s.calls {
			if i != j && !s.quiet(c) && !s.lineage.follows(i, j) {
				open |= 1 << j
			}
		}
	}
	return open
}
