package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/kit/batch"
)

// figures are what is counted of all rounds. docs/truth.md is made of their JSON.
type figures struct {
	batch.Run

	Calls      int
	Rounds     int
	BrokenOff  int // rounds, for want of the machine
	Uncompared int // calls of theirs since a round's last check
	Checks     int // of everything
	Unknown    int // calls whose outcome neither their caller nor the log knows
	LogTells   int // calls whose outcome the log alone knows
	Unlogged   int // calls that were answered, and that the functions' log has no line of
	Violations int

	CallsByKind map[string]map[string]int // and by status, or an operator's outcome
	Causes      map[string]int            // what explains those that failed
	Faults      map[string]int            // of the proxy
	Effects     map[string]int            // of holds and late attempts
	Functions   map[string]int64          // by the functions' own log
	Killed      map[string]int

	mu      sync.Mutex
	counted map[*logcheck.Record]bool // of Unknown and LogTells
}

func newFigures() *figures {
	return &figures{
		CallsByKind: map[string]map[string]int{}, Causes: map[string]int{}, Faults: map[string]int{}, Effects: map[string]int{},
		Functions: map[string]int64{}, Killed: map[string]int{}, counted: map[*logcheck.Record]bool{},
	}
}

// add counts a call that has ended.
func (f *figures) add(c *logcheck.Record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Calls++
	kind := string(c.Kind)
	if f.CallsByKind[kind] == nil {
		f.CallsByKind[kind] = map[string]int{}
	}
	became := string(c.Outcome)
	switch {
	case c.Kind == logcheck.JudgeDue:
		became = "run"
	case functions[c.Kind] != "":
		became = strconv.Itoa(c.Answer.Status)
	}
	f.CallsByKind[kind][became]++
}

// addLine counts what a function says of a request.
func (f *figures) addLine(line logLine) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Functions["requests"]++
	f.Functions["attempts of writes"] += line.Attempts
	f.Functions["conflicts"] += line.Conflicts
	f.Functions["retries"] += line.Retries
	f.Functions["seals"] += line.Seals
}

// addStage counts what a stage has seen.
func (f *figures) addStage(s *stage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Rounds++
	status := s.faults.Simulator.Status()
	for what, n := range status.Faults {
		f.Faults[what] += n
	}
	for what, n := range status.Effects {
		f.Effects[what] += n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Killed["processes of functions"] += s.kills.functions
	f.Killed["engines"] += s.kills.engine
}

// addCheck counts a check of all calls of a round so far: those that are new since the last one.
func (f *figures) addCheck(calls []*logcheck.Record, log heard, violations int, causes map[string]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Checks++
	f.Violations += violations
	for what, n := range causes {
		f.Causes[what] += n
	}
	for _, c := range calls {
		if a, logged := log.answers[c.Request]; c.Outcome != logcheck.Unknown && a.fault == "" || f.counted[c] {
			continue
		} else if f.counted[c] = true; logged && a.outcome != logcheck.Unknown {
			f.LogTells++
		} else {
			f.Unknown++
		}
	}
}

// addBroken counts a round that was broken off.
func (f *figures) addBroken() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.BrokenOff++
}

// addUncompared counts calls that nothing will be compared with.
func (f *figures) addUncompared(calls int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Uncompared += calls
}

// addUnlogged counts calls that the functions' log has no line of.
func (f *figures) addUnlogged(calls int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Unlogged += calls
}

// compared returns how many calls have been compared, or are to be.
func (f *figures) compared() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Calls - f.Uncompared
}

// progress is how far it is, of so many calls.
func (f *figures) progress(of int) batch.Progress {
	f.mu.Lock()
	defer f.mu.Unlock()
	return batch.Progress{What: "calls", Done: f.Calls - f.Uncompared, Of: of, Note: fmt.Sprintf("%d checks, %d violations", f.Checks, f.Violations)}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// printFigures prints what was counted.
func printFigures(out io.Writer, f *figures, s settings) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(out, "\n%d calls in %d rounds of seed %d, %.1f minutes, %d checks\n\n", f.Calls, f.Rounds, s.seed, f.Minutes, f.Checks)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, kind := range sortedKeys(f.CallsByKind) {
		total := 0
		for _, n := range f.CallsByKind[kind] {
			total += n
		}
		fmt.Fprintf(w, "%s\t%d\t%s\n", kind, total, counts(f.CallsByKind[kind]))
	}
	fmt.Fprintf(w, "\nfaults\t\t%s\n", counts(f.Faults))
	fmt.Fprintf(w, "came of them\t\t%s\n", counts(f.Effects))
	fmt.Fprintf(w, "functions\t\t%s\n", counts(f.Functions))
	fmt.Fprintf(w, "killed\t\t%s\n", counts(f.Killed))
	fmt.Fprintf(w, "failed\t\t%s\n", counts(f.Causes))
	fmt.Fprintf(w, "without an answer\t%d\tthe log has answers of %d\n", f.Unknown+f.LogTells, f.LogTells)
	if f.Unlogged > 0 {
		fmt.Fprintf(w, "not in the log\t%d\t\n", f.Unlogged)
	}
	if f.BrokenOff+f.Uncompared > 0 {
		fmt.Fprintf(w, "not compared\t%d\tin rounds that were broken off: %d\n", f.Uncompared, f.BrokenOff)
	}
	fmt.Fprintf(w, "violations\t%d\t\n", f.Violations)
	w.Flush()
}

func counts[N int | int64](m map[string]N) string {
	var parts []string
	for _, what := range sortedKeys(m) {
		if m[what] > 0 {
			parts = append(parts, fmt.Sprintf("%d × %s", m[what], what))
		}
	}
	return strings.Join(parts, ", ")
}

// printViolation prints a violation with its story, and how to see its like again.
func printViolation(out io.Writer, number int, v violation, s settings) {
	fmt.Fprintf(out, "\nviolation %d, in the calls %d to %d of round %d: %s\n", number, v.from, v.to, v.round, v.text)
	for _, line := range v.story {
		fmt.Fprintln(out, "  "+line)
	}
	fmt.Fprintf(out, "  all calls: .build/stress/round-%d; again: make stress SEED=%d ROUND=%d OPS=%d%s\n", v.round, s.seed, v.round, v.to, s.besides)
}
