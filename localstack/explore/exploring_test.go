package explore

import (
	"time"
)

// finding is what came of a case.
type finding struct {
	Case
	histories, pruned int
	attempts          []int // how many each call has had, at most
	conflicts         int
	longest           time.Duration
	whole             bool // every history was tried

	// Of the shortest history in which something was wrong.
	problems []string
	outcome  Outcome
	first    int // the number of the first one
	bad      int
}

// explore tries all histories of a case, at most so many, or until the first in which something is wrong.
func (p *place) explore(c Case, most int, untilFirst bool) finding {
	p.t.Helper()
	found := finding{Case: c, attempts: make([]int, len(c.Calls))}
	search := &Search{strike: c.Strike}
	for again := true; again; again = search.Again() {
		if found.histories+search.Pruned >= most || untilFirst && found.bad > 0 {
			return found
		}
		found.add(p.play(c, search))
	}
	found.pruned, found.whole = search.Pruned, true
	return found
}

// add counts a history, but for one that was abandoned, or whose fault has not had its turn.
func (f *finding) add(out Outcome, problems []string) {
	if !out.Whole || f.Strike.Fault != "" && !out.Struck {
		return
	}
	f.histories++
	f.conflicts += out.Conflicts
	for i, n := range out.Attempts {
		f.attempts[i] = max(f.attempts[i], n)
	}
	if len(problems) == 0 {
		return
	}
	if f.bad++; f.bad == 1 {
		f.first = f.histories
	}
	if f.problems == nil || len(out.Steps) < len(f.outcome.Steps) {
		f.problems, f.outcome = problems, out
	}
}
