package explore

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Fault is what befalls one attempt.
type Fault string

// The faults. Those of transactions and plain writes differ from those of reads in what may be applied.
const (
	Conflict  Fault = "conflict"  // another transaction has an item, says the table; nothing is applied
	Throttle  Fault = "throttle"  // the table takes no more; nothing is applied
	Failed    Fault = "failed"    // the server fails before it applies anything
	FailAfter Fault = "failafter" // the server fails after it has applied the request
	Lost      Fault = "lost"      // it is applied, and nobody answers
	Late      Fault = "late"      // nobody answers, and it arrives at any later time
	Deadline  Fault = "deadline"  // its call's time is over, and it never arrives
	Overdue   Fault = "overdue"   // its call's time is over, and it arrives at any later time
	Gone      Fault = "gone"      // its call's process dies, and it never arrives
	Left      Fault = "left"      // its call's process dies, and it arrives at any later time
)

var (
	faultsOfReads  = []Fault{Throttle, Failed, Deadline, Gone}
	faultsOfWrites = []Fault{Conflict, Throttle, Failed, FailAfter, Lost, Late, Deadline, Overdue, Gone, Left}
)

// applies reports whether the fault strikes requests of this kind.
func (f Fault) applies(q *protocol.Request) bool {
	if len(q.Writes) == 0 {
		return slices.Contains(faultsOfReads, f)
	}
	return slices.Contains(faultsOfWrites, f)
}

// ends reports whether the call that it befalls ends, so that nobody may know what became of it.
func (f Fault) ends() bool {
	return slices.Contains([]Fault{Deadline, Overdue, Gone, Left}, f)
}

// doubt reports whether an attempt that it befalls may be applied although its call was told otherwise.
func (f Fault) doubt() bool { return slices.Contains([]Fault{Failed, FailAfter, Lost, Late}, f) }

// arrives reports whether the attempt arrives later, when nobody waits for it any more.
func (f Fault) arrives() bool { return slices.Contains([]Fault{Late, Overdue, Left}, f) }

// Strike is a fault at one attempt of a history: the attempt with the number of those that the call had answered, from
// 0. The zero value is none.
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

func parseStrike(text string) (Strike, error) {
	if text == "-" {
		return Strike{}, nil
	}
	fault, at, found := strings.Cut(text, "@")
	call, attempt, also := strings.Cut(at, ".")
	c, callErr := strconv.Atoi(call)
	a, attemptErr := strconv.Atoi(attempt)
	if !found || !also || callErr != nil || attemptErr != nil || !slices.Contains(faultsOfWrites, Fault(fault)) {
		return Strike{}, fmt.Errorf("%q is no fault", text)
	}
	return Strike{Fault(fault), c, a}, nil
}

// The answers of a table that does not do what it is asked.
var (
	conflicted  = refusal(protocol.Cancelled("TransactionConflict"))
	conflicting = refusal(protocol.Conflict)
	throttled   = refusal(protocol.PartitionThrottled())
	failing     = refusal(protocol.InternalError)
)

func refusal(f protocol.Refusal) reply {
	return reply{f.Status, http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, protocol.Marshal(f.Body)}
}
