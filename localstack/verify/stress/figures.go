package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

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
	Unknown    int // calls whose outcome nobody was told, and the log does not tell
	LogTells   int // calls whose outcome the log alone tells
	Unlogged   int // calls that were answered, and that the functions' log has no line of
	Violations int

	CallsByKind map[string]map[string]int // and by status, or what an operator was told
	Causes      map[string]int            // what explains those that failed
	Faults      map[string]int            // of the proxy
	Effects     map[string]int            // of holds and late attempts
	Functions   map[string]int64          // by the functions' own log
	Killed      map[string]int

	mu sync.Mutex
}

func newFigures() *figures {
	return &figures{
		CallsByKind: map[string]map[string]int{}, Causes: map[string]int{}, Faults: map[string]int{}, Effects: map[string]int{},
		Functions: map[string]int64{}, Killed: map[string]int{},
	}
}

// add counts a call that has ended.
func (f *figures) add(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Calls++
	if f.CallsByKind[c.Kind] == nil {
		f.CallsByKind[c.Kind] = map[string]int{}
	}
	became := c.outcome.String()
	switch {
	case c.Request != "" || c.Status != 0:
		became = strconv.Itoa(c.Status)
	case c.Kind == kindJudgeDue:
		became = "run"
	}
	f.CallsByKind[c.Kind][became]++
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

// addCheck counts a check.
func (f *figures) addCheck(unanswered, unknown, violations int, causes map[string]int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Checks++
	f.LogTells += unanswered
	f.Unknown += unknown
	f.Violations += violations
	for what, n := range causes {
		f.Causes[what] += n
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
