package main

import (
	"maps"
	"slices"
	"strconv"
	"sync"
)

// figures are what is counted of all rounds.
type figures struct {
	mu         sync.Mutex
	Calls      map[string]map[string]int `json:"calls"` // by kind, then by status or outcome
	Faults     map[string]int            `json:"faults"`
	Functions  map[string]int64          `json:"functions"` // what the functions' log says
	Killed     map[string]int            `json:"killed"`
	Unanswered int                       `json:"unanswered"` // calls whose outcome the log alone tells
	Unknown    int                       `json:"unknown"`    // calls whose outcome nobody knows
	Rounds     int                       `json:"rounds"`
	Checks     int                       `json:"checks"`
	Violations int                       `json:"violations"`
	Total      int                       `json:"operations"`
}

func newFigures() *figures {
	return &figures{Calls: map[string]map[string]int{}, Faults: map[string]int{}, Functions: map[string]int64{}, Killed: map[string]int{}}
}

// add counts a call that has ended.
func (f *figures) add(c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Total++
	if f.Calls[c.Kind] == nil {
		f.Calls[c.Kind] = map[string]int{}
	}
	became := c.outcome.String()
	switch {
	case c.Request != "" || c.Status != 0:
		became = strconv.Itoa(c.Status)
	case c.Kind == kindJudgeDue:
		became = "run"
	}
	f.Calls[c.Kind][became]++
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
	for what, n := range s.faults.Proxy.Status().Faults {
		f.Faults[what] += n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Killed["processes of functions"] += s.kills.functions
	f.Killed["engines"] += s.kills.engine
}

// addCheck counts a check.
func (f *figures) addCheck(unanswered, unknown, violations int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Checks++
	f.Unanswered += unanswered
	f.Unknown += unknown
	f.Violations += violations
}

// soFar returns how many calls have ended, how many processes and engines were killed, and the violations.
func (f *figures) soFar() (calls, checks, violations int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Total, f.Checks, f.Violations
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
