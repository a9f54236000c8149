package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// What explains a failure.
const (
	causeKilled   = "the process was killed"
	causeTime     = "the function's time was over"
	causeStart    = "no process started in time"
	causeGateway  = "the gateway waited no longer"
	causeDeadline = "the table failed until the deadline"
	causeDoubt    = "refused while an attempt was in doubt"
)

const (
	// shortestPatience is the least time after which anybody gives up asking the table: that of a read. It is measured
	// by the caller, since a process that had to wait for the machine may find its time over.
	shortestPatience = 3 * time.Second
	// gatewayPatience is how long API Gateway waits for a function.
	gatewayPatience = 30 * time.Second
	// endIsSeen is how long after an answer the end of the process that should have given it is seen at most.
	endIsSeen = time.Second
)

// checkCauses: whoever is told of a failure is told so for what was played: a process that ended, or a table that did
// not answer for longer than it is asked. Each end of a process explains one failure.
func (e *evidence) checkCauses() {
	failed := which(e.calls, e.failed)
	slices.SortFunc(failed, func(a, b *call) int { return cmp.Compare(a.Ended, b.Ended) })
	ends := slices.Clone(e.said.ends)
	for _, c := range failed {
		cause := e.causeOf(c, &ends)
		switch {
		case cause == "":
			e.report(c.subject(), "%s #%d failed, for nothing that was played: %d %s%s", c.Kind, c.N, c.Status, c.Error, e.said.answers[c.Request].fault)
		case c.cause == "":
			c.cause = cause
			e.causes[cause]++
		}
	}
	for _, complaint := range e.said.complaints {
		e.report(subject{}, "%s", complaint)
	}
	for _, fault := range e.said.runs {
		if !gaveUp(fault) {
			e.report(subject{}, "a run failed, for nothing that was played: %s", fault)
		}
	}
	if n := len(which(e.calls, (*call).failedRun)); n > len(e.said.runs) {
		e.report(subject{}, "%d runs failed, and the log has the reasons of %d", n, len(e.said.runs))
	}
}

// checkRefusals: nobody is refused what nothing stands in the way of. What may, each kind of call has its own.
func (e *evidence) checkRefusals() {
	for _, c := range e.calls {
		if asked, is := endpoints[c.Kind]; is && c.outcome == refused && told(c.Status) == refused && !slices.Contains(asked.refusals, game.Code(c.Code)) {
			e.report(c.subject(), "%s #%d is refused, for no reason that there is: %d %s", c.Kind, c.N, c.Status, c.Code)
		}
	}
}

// failed reports whether a call has failed: it was told so, or its function says so.
func (e *evidence) failed(c *call) bool {
	switch _, is := endpoints[c.Kind]; {
	case is:
		return told(c.Status) == unknown || e.said.answers[c.Request].fault != ""
	case c.failedRun(): // its reason is in the log
		return false
	}
	return c.Error != "" && (c.outcome == unknown || c.Code == "")
}

// failedRun reports whether the call is a run of the scheduled function that has failed by its own account.
func (c *call) failedRun() bool {
	return c.Kind == kindJudgeDue && strings.Contains(c.Error, "reported an error")
}

// causeOf returns what explains that a call failed, "" for nothing. The end of a process that explains it is taken from
// the ends.
func (e *evidence) causeOf(c *call, ends *[]end) string {
	asked, byPlayer := endpoints[c.Kind]
	function, fault, took := asked.function, e.said.answers[c.Request].fault, c.Ended-c.Began
	if !byPlayer {
		function, fault = "JudgeDue", c.Error
	}
	switch {
	case gaveUp(fault) && took >= shortestPatience:
		return causeDeadline
	case byPlayer && fault != "":
		return ""
	case !byPlayer && c.Kind != kindJudgeDue && c.Code != "":
		return causeDoubt
	case !byPlayer && c.Kind != kindJudgeDue:
		return ""
	}
	i := slices.IndexFunc(*ends, func(e end) bool { return e.function == function && e.at >= c.Began && e.at <= c.Ended+endIsSeen })
	switch {
	case i >= 0:
		cause := (*ends)[i].cause
		if cause != causeStart { // of which everybody is told who waits
			*ends = slices.Delete(*ends, i, i+1)
		}
		return cause
	case byPlayer && took >= gatewayPatience:
		return causeGateway
	}
	return ""
}

// exceptionOf finds what the engine has refused a request with.
var exceptionOf = regexp.MustCompile(`api error (\w+)`)

// played are the engine's exceptions that the faults play, all of which the store tries again after.
var played = []string{
	"InternalServerError", "ThrottlingException", "ProvisionedThroughputExceededException", "TransactionConflictException",
	"TransactionInProgressException", "TransactionCanceledException",
}

// gaveUp reports whether an error says that the table was asked until the time was over, and nothing else.
func gaveUp(text string) bool {
	for line := range strings.SplitSeq(text, "\n") { // errors that were joined
		if !strings.Contains(line, "context deadline exceeded") &&
			!(strings.Contains(line, "the table has failed for") && strings.Contains(line, "context canceled")) {
			return false
		}
		for _, found := range exceptionOf.FindAllStringSubmatch(line, -1) {
			if !slices.Contains(played, found[1]) {
				return false
			}
		}
	}
	return true
}
