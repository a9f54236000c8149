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
	Case        Case // zero for a replayed history or random ones
	Random      bool
	Histories   int
	Conflicts   int // as in Outcome, of all histories
	Faults      map[Fault]int
	Strikes     map[Strike]bool `json:"-"` // the faults that could have struck, of all histories
	Unfinished  bool            // the case may have more histories, which were not tried
	Interrupted bool            // a signal ended it early

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

// add adds a history. It does not count an abandoned history. It does not count a history in which the fault did not
// strike, because that history belongs to the case without the fault. But it notes the attempts of both, since a fault
// can strike them, too.
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

// Figures are the sums of all results.
type Figures struct {
	batch.Run
	Pairs, Triples  int // cases without a fault
	WithOneFault    int // cases of a pair with a fault at one attempt
	Left            int // cases that did not end, because a signal ended the run or a process died
	Histories       int
	RandomHistories int // random ones of these Histories
	PerSecond       float64
	Conflicts       int
	Faults          map[Fault]int
	Unfinished      []string    // cases without a fault, as in Result
	Violations      int         // histories
	ViolationsFound []Violation // the shortest of each Result
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
