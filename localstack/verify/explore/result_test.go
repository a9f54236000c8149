package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// Result is the result of a case's histories, or of random histories.
type Result struct {
	Case        Case // zero: histories of several cases, or a replayed one
	Random      bool
	Histories   int
	Conflicts   int // attempts that met other transactions
	Faults      map[Fault]int
	Strikes     map[Strike]bool `json:"-"` // as in Outcome, of all histories
	Unfinished  bool            // the case has more histories than the limit
	Interrupted bool            // before its end

	// Of the histories with a flaw:
	Violations int
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
	return fmt.Sprintf("%s\n%s%s", v.History, v.Story, strings.Join(v.Problems, "\n"))
}

// add counts a history. It does not count an abandoned history, or a history in which the fault did not strike, which
// belongs to another case. But it notes the attempts of an abandoned history, since a fault can strike these, too.
func (r *Result) add(c Case, out Outcome, problems []string) {
	if r.Faults == nil {
		r.Faults, r.Strikes = map[Fault]int{}, map[Strike]bool{}
	}
	maps.Copy(r.Strikes, out.Strikes)
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

// struck returns the cases with one fault that the histories of the case can meet.
func (r *Result) struck(c Case) (all []Case) {
	strikes := slices.SortedFunc(maps.Keys(r.Strikes), func(a, b Strike) int {
		return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(a.Attempt, b.Attempt), cmp.Compare(a.Fault, b.Fault))
	})
	for _, c.Strike = range strikes {
		all = append(all, c)
	}
	return all
}

// Figures are the sums of all results.
type Figures struct {
	batch.Run
	Pairs, Triples  int // cases without faults
	WithOneFault    int // cases: a pair, and a fault at an attempt
	Left            int // cases that did not end: somebody ended the run, or a process died
	Histories       int
	RandomHistories int // of these histories
	PerSecond       float64
	Conflicts       int
	Faults          map[Fault]int
	Unfinished      []string    // cases without a fault that have more histories than the limit
	Violations      int         // histories
	ViolationsFound []Violation // the shortest one of each case
}

// add adds a result.
func (f *Figures) add(r Result) {
	f.Histories += r.Histories
	f.Conflicts += r.Conflicts
	f.Violations += r.Violations
	for fault, n := range r.Faults {
		f.Faults[fault] += n
	}
	if r.Shortest != nil {
		f.ViolationsFound = append(f.ViolationsFound, *r.Shortest)
	}
	if r.Random {
		f.RandomHistories += r.Histories
	}
	switch {
	case r.Interrupted:
		f.Left++
	case r.Random || r.Case.Calls == nil:
	case r.Case.Strike.Fault != "":
		if r.Histories > 0 {
			f.WithOneFault++
		}
	default:
		if len(r.Case.Calls) == 3 {
			f.Triples++
		} else {
			f.Pairs++
		}
		if r.Unfinished {
			f.Unfinished = append(f.Unfinished, r.Case.String())
		}
	}
}
