package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Result is the result of histories.
type Result struct {
	Histories  int
	Faults     int             // histories in which the fault struck
	Strikes    map[Strike]bool // the faults that could have struck
	Unfinished []string        // cases that may have more histories, which were not tried
	Violations int             // histories with a flaw
	Shortest   *Violation
}

// Violation is a history with a flaw.
type Violation struct {
	History  string // for replay
	Steps    int
	Story    string
	Problems []string
}

func (v Violation) String() string {
	return fmt.Sprintf("make explore HISTORY='%s'\n%s%s", v.History, v.Story, strings.Join(v.Problems, "\n"))
}

func (r Result) String() string {
	text := fmt.Sprintf("%d histories, %d with a fault, %d wrong", r.Histories, r.Faults, r.Violations)
	if len(r.Unfinished) > 0 {
		text += ", not all of " + strings.Join(r.Unfinished, ", ")
	}
	return text
}

// add adds a history. It does not count an abandoned history. It does not count a history in which the fault did not
// strike, because that history belongs to the case without the fault. But it notes the attempts of both, since a fault
// can strike them, too.
func (r *Result) add(c Case, out Outcome, problems []string) {
	one := Result{Strikes: out.Strikes}
	if out.Whole && (c.Strike.Fault == "" || out.Struck) {
		one.Histories = 1
		if out.Struck {
			one.Faults = 1
		}
		if len(problems) > 0 {
			one.Violations = 1
			one.Shortest = &Violation{fmt.Sprintf("%s/%s", c, out.Choices), len(out.Steps), out.Story(), problems}
		}
	}
	r.sum(one)
}

// sum adds a result to r.
func (r *Result) sum(one Result) {
	r.Histories += one.Histories
	r.Faults += one.Faults
	r.Violations += one.Violations
	r.Unfinished = append(r.Unfinished, one.Unfinished...)
	if r.Strikes == nil {
		r.Strikes = map[Strike]bool{}
	}
	maps.Copy(r.Strikes, one.Strikes)
	if one.Shortest != nil && (r.Shortest == nil || one.Shortest.Steps < r.Shortest.Steps) {
		r.Shortest = one.Shortest
	}
}

// struck returns the case once with each fault that could have struck its histories.
func (r *Result) struck(c Case) (all []Case) {
	strikes := slices.SortedFunc(maps.Keys(r.Strikes), func(a, b Strike) int {
		return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.Fault, b.Fault))
	})
	for _, c.Strike = range strikes {
		all = append(all, c)
	}
	return all
}
