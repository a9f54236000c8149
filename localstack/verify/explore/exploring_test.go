package explore

import (
	"context"
	"fmt"
)

// explore tries all histories of a case, at most so many, or until the first in which something is wrong. Those that
// are abandoned count, too, and those in which the fault has no turn. It may be interrupted.
func (p *place) explore(ctx context.Context, c Case, most int, untilFirst bool) Result {
	p.t.Helper()
	r := Result{Case: c.String(), Attempts: make([]string, len(c.Calls)), Faults: map[Fault]int{}}
	search := &Search{strike: c.Strike}
	tried := 0
	for again := true; again; again = search.Again() {
		if tried >= most || untilFirst && r.Violations > 0 {
			r.Unfinished = true
			break
		}
		if r.Interrupted = ctx.Err() != nil; r.Interrupted {
			break
		}
		tried++
		out, problems := p.play(c, search)
		r.add(c, out, problems)
	}
	r.Abandoned = search.Pruned
	return r
}

// add counts a history, but for one that was abandoned, or whose fault has not had its turn: it is another case's. What
// an abandoned one has released, others need not have: a fault can strike that, too.
func (r *Result) add(c Case, out Outcome, problems []string) {
	if r.Attempts != nil {
		r.addAttempts(out.Attempts)
	}
	if !out.Whole || c.Strike.Fault != "" && !out.Struck {
		return
	}
	r.Histories++
	r.Conflicts += out.Conflicts
	if out.Struck {
		r.Faults[c.Strike.Fault]++
	}
	if len(problems) == 0 {
		return
	}
	r.Violations++
	if r.Shortest == nil || len(out.Steps) < r.Shortest.Steps {
		r.Shortest = &Violation{History: fmt.Sprintf("%s/%s", c, out.Choices), Steps: len(out.Steps), Story: out.Story(), Problems: problems}
	}
}
