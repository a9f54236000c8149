package explore

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Result is what came of a job: all histories of a case, or some random ones.
type Result struct {
	Case      string
	Histories int
	Abandoned int // since others are like them
	// Attempts are those of the calls of a case, as Outcome has them; b where some histories had a read and others a
	// write.
	Attempts   []string
	Conflicts  int // attempts that met others
	Faults     map[Fault]int
	Unfinished bool // not all histories of the case were tried

	// Of the histories in which something is wrong.
	Violations int
	Shortest   *Violation
}

// addAttempts notes what attempts a history has had.
func (r *Result) addAttempts(all []string) {
	for call, letters := range all {
		known := []byte(r.Attempts[call])
		for i := range letters {
			switch {
			case i == len(known):
				known = append(known, letters[i])
			case known[i] != letters[i]:
				known[i] = 'b'
			}
		}
		r.Attempts[call] = string(known)
	}
}

// mostStruck is how many attempts of a call a fault strikes: those of its first two tries, about. The later ones repeat
// what the earlier ones do.
const mostStruck = 8

// Struck are the cases with one fault each that the histories of the case can meet.
func (r *Result) Struck(c Case) (all []Case) {
	for call, letters := range r.Attempts {
		for attempt := range min(len(letters), mostStruck) {
			for _, fault := range faultsOfWrites {
				if letters[attempt] != 'r' || slices.Contains(faultsOfReads, fault) {
					c.Strike = Strike{fault, call, attempt}
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// Violation is a history in which something is wrong.
type Violation struct {
	History  string // to replay
	Steps    int
	Story    string
	Problems []string
}

// Test returns the test to paste.
func (v Violation) Test() string {
	return fmt.Sprintf("func TestThisHistory(t *testing.T) { replay(t, %q) }\n", v.History)
}

// Figures are the sums of all results.
type Figures struct {
	Pairs, Triples  int
	WithFaults      int // cases with one fault
	Random          int // histories
	Histories       int
	Abandoned       int
	Conflicts       int
	Faults          map[Fault]int
	Unfinished      []string
	Seconds         float64
	PerSecond       float64
	Violations      int
	ViolationsFound []Violation // the shortest one of each case
}

// Add adds a result.
func (f *Figures) Add(r Result) {
	f.Histories += r.Histories
	f.Abandoned += r.Abandoned
	f.Conflicts += r.Conflicts
	f.Violations += r.Violations
	if f.Faults == nil {
		f.Faults = map[Fault]int{}
	}
	for fault, n := range r.Faults {
		f.Faults[fault] += n
	}
	if r.Unfinished {
		f.Unfinished = append(f.Unfinished, r.Case)
	}
	if r.Shortest != nil {
		f.ViolationsFound = append(f.ViolationsFound, *r.Shortest)
	}
}

// Finish notes how long it took.
func (f *Figures) Finish(took time.Duration) {
	f.Seconds = took.Seconds()
	f.PerSecond = float64(f.Histories) / f.Seconds
}

// Print writes the figures for people.
func (f *Figures) Print(to io.Writer) {
	fmt.Fprintf(to, "%d histories in %.0f s, %.0f a second: %d pairs, %d triples, %d of them with one fault each, and %d random histories.\n",
		f.Histories, f.Seconds, f.PerSecond, f.Pairs, f.Triples, f.WithFaults, f.Random)
	fmt.Fprintf(to, "%d more were abandoned, since others are like them. %d attempts met other transactions.\nFaults:", f.Abandoned, f.Conflicts)
	for _, fault := range slices.Sorted(maps.Keys(f.Faults)) {
		fmt.Fprintf(to, " %s %d", fault, f.Faults[fault])
	}
	fmt.Fprintf(to, "\nNot all histories were tried of %d cases: %v\n%d histories with violations, in %d cases\n", len(f.Unfinished), f.Unfinished, f.Violations, len(f.ViolationsFound))
}
