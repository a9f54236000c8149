package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ranch-game/ranch/localstack/accept/contract"
)

// answers counts the functions' responses, as their logs record them.
type answers struct {
	mu       sync.Mutex
	counts   map[string]map[string]int // by function, and by the error's code or, without one, the status
	failures []string
}

func newAnswers() *answers { return &answers{counts: map[string]map[string]int{}} }

// read counts the response that a line of a function's log records. A line that is not JSON, from a crash or from the
// gateway, is a failure. A record of the level ERROR is one, too.
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
	answer := cmp.Or(record.Code, fmt.Sprint(record.Status))
	if a.counts[function] == nil {
		a.counts[function] = map[string]int{}
	}
	a.counts[function][answer]++
}

// print prints the number of each answer.
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

// check returns an error for each outcome of the contract that did not occur, and for each failure in the logs.
func (a *answers) check(c *contract.Contract) (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range c.Operations() {
		function := strings.ToUpper(o.ID[:1]) + o.ID[1:]
		for _, answer := range o.Outcomes() {
			if a.counts[function][answer] == 0 {
				err = errors.Join(err, fmt.Errorf("no request to %s got the answer %s", function, answer))
			}
		}
	}
	for _, f := range a.failures {
		err = errors.Join(err, errors.New(f))
	}
	return err
}
