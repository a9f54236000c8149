package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
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
	// shortestPatience is the least time after which a function gives up asking the table: that of a read. It is
	// measured by the caller, since a process that had to wait for the machine may find its time over.
	shortestPatience = 3 * time.Second
	// gatewayPatience is how long API Gateway waits for a function.
	gatewayPatience = 30 * time.Second
	// endIsSeen is how long after an answer the end of the process that should have given it is seen at most.
	endIsSeen = time.Second
)

// causes explains failures by the faults that were played: a process that ended, or a table that did not answer for
// longer than it is asked. Each end of a process explains one failure.
type causes struct {
	log       heard
	ends      []end // that explain no failure yet
	explained map[*logcheck.Record]bool
	counts    map[string]int // of failures that were not explained before
}

func newCauses(log heard, explained map[*logcheck.Record]bool) *causes {
	return &causes{log: log, ends: slices.Clone(log.ends), explained: explained, counts: map[string]int{}}
}

// check returns the failures that nothing explains.
func (s *causes) check(calls []*logcheck.Record) (found []logcheck.Violation) {
	report := func(format string, args ...any) {
		found = append(found, logcheck.Violation{Text: fmt.Sprintf(format, args...)})
	}
	var failed []*logcheck.Record
	runs := 0
	for _, c := range calls {
		if failedRun(c) {
			runs++
		} else if s.failed(c) {
			failed = append(failed, c)
		}
	}
	slices.SortStableFunc(failed, func(a, b *logcheck.Record) int { return cmp.Compare(a.Ended, b.Ended) })
	for _, c := range failed {
		switch cause := s.causeOf(c); {
		case cause == "":
			report("%v failed, for nothing that was played: %d %s%s", c, c.Answer.Status, c.Answer.Error, s.log.answers[c.Request].fault)
			found[len(found)-1].Calls = []logcheck.Record{*c}
		case !s.explained[c]:
			s.explained[c] = true
			s.counts[cause]++
		}
	}
	for _, complaint := range s.log.complaints {
		report("%s", complaint)
	}
	for _, fault := range s.log.runs {
		if !gaveUp(fault) {
			report("a run failed, for nothing that was played: %s", fault)
		}
	}
	if runs > len(s.log.runs) {
		report("%d runs failed, and the log has the reasons of %d", runs, len(s.log.runs))
	}
	return found
}

// failed reports whether a call has failed: its caller was answered so, or its function says so.
func (s *causes) failed(c *logcheck.Record) bool {
	if functions[c.Kind] != "" && c.Kind != logcheck.JudgeDue {
		return outcomeOf(c.Answer.Status) == logcheck.Unknown || s.log.answers[c.Request].fault != ""
	}
	return c.Answer.Error != "" && (c.Outcome == logcheck.Unknown || c.Refusal == "")
}

// failedRun reports whether the call is a run of the scheduled function that has failed by its own account: the log has
// its reason.
func failedRun(c *logcheck.Record) bool {
	return c.Kind == logcheck.JudgeDue && strings.Contains(c.Answer.Error, "reported an error")
}

// causeOf returns what explains that a call failed, "" for nothing. It takes the end of a process that explains it.
func (s *causes) causeOf(c *logcheck.Record) string {
	function, fault, took := functions[c.Kind], s.log.answers[c.Request].fault, time.Duration(c.Ended-c.Began)*time.Millisecond
	byPlayer := function != "" && c.Kind != logcheck.JudgeDue
	if !byPlayer {
		fault = c.Answer.Error
	}
	switch {
	case gaveUp(fault) && took >= shortestPatience:
		return causeDeadline
	case byPlayer && fault != "":
		return ""
	case function == "" && c.Refusal != "":
		return causeDoubt
	case function == "":
		return ""
	}
	i := slices.IndexFunc(s.ends, func(e end) bool { return e.function == function && e.at >= c.Began && e.at <= c.Ended.Add(endIsSeen) })
	switch {
	case i >= 0:
		cause := s.ends[i].cause
		if cause != causeStart { // which all callers that wait are answered
			s.ends = slices.Delete(s.ends, i, i+1)
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
