package explore

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/batch"
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
	Unfinished bool // there are more histories of the case than may be tried
	// Astray are the choices that a history has made which was to make others: those of other requests.
	Astray Choices `json:",omitempty"`
	// Interrupted says that the job was broken off, and might have gone on.
	Interrupted bool

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
	batch.Run
	Pairs, Triples      int // cases whose histories without faults were tried
	WithOneFault        int // cases: a pair, and a fault at an attempt
	Left                int // jobs that were not done to their end: it was interrupted, or a worker has died
	Histories           int
	RandomHistories     int // of them
	PerSecond           float64
	Abandoned           int // histories, since others are like them
	Conflicts           int
	Faults              map[Fault]int
	Unfinished          []string    // cases without a fault that have more histories than may be tried
	UnfinishedWithFault int         // cases with a fault that have
	Violations          int         // histories
	ViolationsFound     []Violation // the shortest one of each case
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
	switch {
	case !r.Unfinished:
	case strings.HasSuffix(r.Case, "/-"):
		f.Unfinished = append(f.Unfinished, r.Case)
	default:
		f.UnfinishedWithFault++
	}
	if r.Interrupted {
		f.Left++
	}
	if r.Shortest != nil {
		f.ViolationsFound = append(f.ViolationsFound, *r.Shortest)
	}
}

// Finish says of which run the figures are, and how fast it was.
func (f *Figures) Finish(command string, began time.Time, interrupted bool) {
	f.Run = batch.NewRun(command, began, interrupted)
	f.PerSecond = float64(f.Histories) / time.Since(began).Seconds()
}

// Print writes the figures for people.
func (f *Figures) Print(to io.Writer) {
	fmt.Fprintf(to, "%d histories in %.1f minutes, %.0f a second: of %d pairs, %d triples and %d cases of a pair and one fault; %d of them random.\n",
		f.Histories, f.Minutes, f.PerSecond, f.Pairs, f.Triples, f.WithOneFault, f.RandomHistories)
	fmt.Fprintf(to, "%d more were abandoned, since others are like them. %d attempts met other transactions.\nFaults:", f.Abandoned, f.Conflicts)
	for _, fault := range slices.Sorted(maps.Keys(f.Faults)) {
		fmt.Fprintf(to, " %s %d", fault, f.Faults[fault])
	}
	fmt.Fprintf(to, "\nNot all histories were tried of %d cases with a fault, and of %d without: %v\n", f.UnfinishedWithFault, len(f.Unfinished), f.Unfinished)
	if f.Interrupted {
		fmt.Fprintf(to, "Interrupted: %d cases were left, and those that follow from them.\n", f.Left)
	}
	fmt.Fprintf(to, "%d histories with violations, in %d cases\n", f.Violations, len(f.ViolationsFound))
}
