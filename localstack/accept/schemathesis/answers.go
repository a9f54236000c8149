package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// wanted has the answers that the scene is there for, by function: statuses of success, and codes. What needs a fault
// of the service is not among them.
var wanted = map[string][]string{
	"Register":    {"201", "VALIDATION_ERROR", "CONFLICT"},
	"Login":       {"200", "VALIDATION_ERROR", "INVALID_CREDENTIALS", "OAUTH_ACCOUNT", "BANNED"},
	"Refresh":     {"200", "MISSING_TOKEN", "INVALID_TOKEN", "UNAUTHORIZED"},
	"Logout":      {"200"},
	"ListAnimals": {"200", "UNAUTHORIZED"},
	"ListShows":   {"200", "UNAUTHORIZED"},
	"GetShow":     {"200", "UNAUTHORIZED", "NOT_FOUND"},
	"EnterShow":   {"201", "VALIDATION_ERROR", "INVALID", "INSUFFICIENT_GOLD", "UNAUTHORIZED", "NOT_FOUND", "DUPLICATE"},
	"JudgeShow":   {"200", "UNAUTHORIZED", "NOT_FOUND"},
	"ClaimReward": {"200", "ALREADY_CLAIMED", "UNAUTHORIZED", "NOT_FOUND"},
	"GetSeason":   {"200", "UNAUTHORIZED"},
}

// answers counts what the functions have answered.
type answers struct {
	mu       sync.Mutex
	counts   map[string]map[string]int // function, status or code
	failures []string
}

func newAnswers() *answers { return &answers{counts: map[string]map[string]int{}} }

// read takes a line of a function's log. One that is no record is a crash, or the gateway's word.
func (a *answers) read(function, line string) {
	var record struct {
		Level, Code string
		Status      int
	}
	err := json.Unmarshal([]byte(line), &record)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil || record.Level == "ERROR" {
		a.failures = append(a.failures, function+": "+line)
		return
	}
	if record.Status == 0 {
		return
	}
	answer := record.Code
	if answer == "" {
		answer = fmt.Sprint(record.Status)
	}
	if a.counts[function] == nil {
		a.counts[function] = map[string]int{}
	}
	a.counts[function][answer]++
}

// print prints how often there was which answer.
func (a *answers) print(out io.Writer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fmt.Fprintln(out, "\nAnswers of the functions:")
	for _, function := range slices.Sorted(maps.Keys(a.counts)) {
		var counts []string
		for _, answer := range slices.Sorted(maps.Keys(a.counts[function])) {
			counts = append(counts, fmt.Sprintf("%s %d", answer, a.counts[function][answer]))
		}
		fmt.Fprintf(out, "  %-12s %s\n", function, strings.Join(counts, ", "))
	}
}

// check returns an error for each answer that is wanted and that nobody got, and for each failure.
func (a *answers) check() (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, function := range slices.Sorted(maps.Keys(wanted)) {
		for _, answer := range wanted[function] {
			if a.counts[function][answer] == 0 {
				err = errors.Join(err, fmt.Errorf("no question had %s answer %s", function, answer))
			}
		}
	}
	for _, f := range a.failures {
		err = errors.Join(err, errors.New(f))
	}
	return err
}
