package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/shared/operate"
)

// Call is an operation of the store with its arguments, and how it is judged. By default, the call takes effect at one
// instant.
type Call struct {
	Name string // in a story: "Ann enters her best animal"
	Do   func(ctx context.Context, s operate.Desk) (answer any, err error)

	Operator bool // an operator makes the call
	Reads    bool // the answer has Parts, each of which may have an instant of its own
	Steps    bool // the call makes several changes, and its answer is not compared
}

// Case is the start of an exploration: the name of a fixture, the names of the calls on it, and a fault. Its text looks
// like "fair/enter+judge/late@0.1". The text of a history is its case's text with its choices appended.
type Case struct {
	Fixture string
	Calls   []string
	Strike  Strike
}

func (c Case) String() string {
	return fmt.Sprintf("%s/%s/%s", c.Fixture, strings.Join(c.Calls, "+"), c.Strike)
}

// ParseHistory parses the text of a history: a case, and the choices that lead to the history.
func ParseHistory(text string) (Case, Choices, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return Case{}, "", fmt.Errorf("%q is no history: it wants fixture/call+call/fault/choices", text)
	}
	strike, err := parseStrike(parts[2])
	if err == nil && strings.Trim(parts[3], choiceDigits) != "" {
		err = fmt.Errorf("%q are no choices", parts[3])
	}
	return Case{parts[0], strings.Split(parts[1], "+"), strike}, Choices(parts[3]), err
}

// Fault is what happens to one attempt, one sending of a request.
type Fault string

// These are the faults. They differ in whether a write is applied, and in what the call learns.
const (
	Conflict Fault = "conflict" // the call gets a conflict; nothing is applied
	Failed   Fault = "failed"   // the call gets a 500; nothing is applied
	Lost     Fault = "lost"     // the connection breaks; the attempt is applied
	Late     Fault = "late"     // the connection breaks; the attempt arrives at any later time
	Deadline Fault = "deadline" // the call's time ends; the attempt never arrives
	Overdue  Fault = "overdue"  // the call's time ends; the attempt arrives at any later time
	Gone     Fault = "gone"     // the call's process dies; the attempt never arrives
	Split    Fault = "split"    // the table reads one item of a batch, and leaves the others unprocessed
)

var (
	faultsOfReads  = []Fault{Failed, Deadline, Gone}
	faultsOfWrites = []Fault{Conflict, Failed, Lost, Late, Deadline, Overdue, Gone}
	fatal          = []Fault{Deadline, Overdue, Gone} // they end the call's time or process: its outcome may stay unknown
	doubtful       = []Fault{Failed, Lost, Late}      // the call cannot know whether the attempt is applied
)

// faultsOf returns the faults that can strike a request.
func faultsOf(q *protocol.Request) []Fault {
	switch {
	case len(q.Writes) > 0:
		return faultsOfWrites
	case q.Operation == "BatchGetItem" && len(q.Items) > 1:
		return append(faultsOfReads[:len(faultsOfReads):len(faultsOfReads)], Split)
	}
	return faultsOfReads
}

// mostStruck is the number of a call's first attempts that a fault can strike. They are about two tries of an
// operation, and later tries repeat the earlier ones.
const mostStruck = 8

// Strike is a fault at one attempt of a history. Attempt counts the released attempts of the call, from 0. The zero
// Strike is no fault.
type Strike struct {
	Fault   Fault
	Call    int
	Attempt int
}

func (s Strike) String() string {
	if s.Fault == "" {
		return "-"
	}
	return fmt.Sprintf("%s@%d.%d", s.Fault, s.Call, s.Attempt)
}

func parseStrike(text string) (s Strike, err error) {
	if text == "-" {
		return Strike{}, nil
	}
	fault, at, _ := strings.Cut(text, "@")
	s.Fault = Fault(fault)
	_, err = fmt.Sscanf(at, "%d.%d", &s.Call, &s.Attempt)
	if err != nil || s.Fault != Split && !slices.Contains(faultsOfWrites, s.Fault) {
		err = fmt.Errorf("%q is no fault, such as late@0.1", text)
	}
	return s, err
}
