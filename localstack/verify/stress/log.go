package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/game"
)

// functions has the functions that answer players' calls, by their names in template.yaml.
var functions = map[logcheck.Kind]string{
	logcheck.Register: "Register", logcheck.Login: "Login", logcheck.Refresh: "Refresh", logcheck.Logout: "Logout",
	logcheck.Animals: "ListAnimals", logcheck.List: "ListShows", logcheck.Detail: "GetShow", logcheck.Enter: "EnterShow",
	logcheck.Judge: "JudgeShow", logcheck.Claim: "ClaimReward", logcheck.Season: "GetSeason",
	logcheck.Me: "GetMe",
}

// functionLog collects the log lines of the functions and the gateway.
type functionLog struct {
	figures *figures
	mu      sync.Mutex
	so      heard
}

// heard is what the functions' and the gateway's lines contain.
type heard struct {
	lines      []byte            // the functions' lines, which are JSON
	answers    map[string]string // by request id: the function's failure, or "" if the function answered
	ends       []end             // the ends of processes, in order
	runs       []string          // the errors of failed runs of the scheduled function
	complaints []string          // lines about crashes and missing permissions
}

// end is the end of a function's process, perhaps during a request.
type end struct {
	function string
	cause    string // causeKilled, causeTime, or causeStart
	at       game.Instant
}

// logLine has the members of a function's line that functionLog uses.
type logLine struct {
	Msg       string `json:"msg"`
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Error     string `json:"error"`
	RequestID string `json:"request_id"`

	Attempts, Conflicts, Retries, Leases int
}

func newFunctionLog(f *figures) *functionLog {
	return &functionLog{figures: f, so: heard{answers: map[string]string{}}}
}

// crashed matches lines about a process that ended by itself, and about a missing permission. No fault explains them.
var crashed = regexp.MustCompile(`^gateway: the process ended|^gateway: the function failed at its start: (exit status|signal)|^template.yaml does not allow`)

// add adds a line of the functions' log. Lines that are not JSON come from the gateway or from a crashed function.
func (l *functionLog) add(function, text string) {
	var line logLine
	isRecord := json.Unmarshal([]byte(text), &line) == nil
	ended := func(cause string) { l.so.ends = append(l.so.ends, end{function, cause, game.InstantOf(time.Now())}) }
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case isRecord && line.Msg == "request":
		for what, n := range map[string]int{
			"requests": 1, "attempts of writes": line.Attempts, "conflicts": line.Conflicts, "retries": line.Retries, "leases": line.Leases,
		} {
			l.figures.add("functions", what, n)
		}
		fault := line.Error
		if line.Code != "" { // a refusal
			fault = ""
		}
		l.so.answers[line.RequestID] = fault
	case isRecord && line.Msg == "run" && line.Error != "":
		l.so.runs = append(l.so.runs, line.Error)
	case isRecord:
	case strings.HasPrefix(text, "gateway: the process ended: signal: killed"):
		ended(causeKilled)
	case strings.Contains(text, "Task timed out"):
		ended(causeTime)
	case strings.HasPrefix(text, "gateway: no request taken"):
		ended(causeStart)
	case crashed.MatchString(text):
		l.so.complaints = append(l.so.complaints, function+": "+text)
	}
	if isRecord {
		l.so.lines = append(append(l.so.lines, text...), '\n')
	}
}

// heard returns a copy of the log so far.
func (l *functionLog) heard() heard {
	l.mu.Lock()
	defer l.mu.Unlock()
	return heard{slices.Clip(l.so.lines), maps.Clone(l.so.answers), slices.Clone(l.so.ends), slices.Clone(l.so.runs), slices.Clone(l.so.complaints)}
}

// complete waits for at most a minute until the log has a line for each answered call and each failed run, and returns
// the log. A function writes its line before it answers, but the line can arrive after the answer.
func (l *functionLog) complete(calls []*logcheck.Record) heard {
	for patience := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		so, unlogged, runs := l.heard(), false, 0
		for _, c := range calls {
			_, logged := so.answers[c.Request]
			unlogged = unlogged || c.Answered() && !logged
			if failedRun(c) {
				runs++
			}
		}
		if !unlogged && runs <= len(so.runs) || time.Now().After(patience) {
			return so
		}
	}
}

// The causes of failures.
const (
	causeKilled   = "the process was killed"
	causeTime     = "the function's time was over"
	causeStart    = "no process started in time"
	causeGateway  = "the gateway waited no longer"
	causeDeadline = "the table failed until the deadline"
	causeDoubt    = "refused while an attempt was in doubt"
)

const (
	// shortestPatience is the shortest time after which a function gives up on the table: the patience of a read.
	shortestPatience = 3 * time.Second
	// gatewayPatience is the time for which API Gateway waits for a function.
	gatewayPatience = 30 * time.Second
	// endIsSeen is the longest time between an answer and the gateway's line about the end of the process.
	endIsSeen = time.Second
)

// explain finds the cause of each failed call, such as the end of a process, or a table that did not answer within a
// time limit. It returns the failures without a cause and the log's complaints as violations, and the number of
// failures by cause. The end of a process explains only one failure.
func explain(log heard, calls []*logcheck.Record) (found []logcheck.Violation, causes map[string]int) {
	report := func(format string, args ...any) {
		found = append(found, logcheck.Violation{Text: fmt.Sprintf(format, args...)})
	}
	var failures []*logcheck.Record
	runs := 0
	for _, c := range calls {
		if failedRun(c) {
			runs++
		} else if log.failed(c) {
			failures = append(failures, c)
		}
	}
	slices.SortStableFunc(failures, func(a, b *logcheck.Record) int { return cmp.Compare(a.Ended, b.Ended) })
	causes = map[string]int{}
	log.ends = slices.Clone(log.ends) // causeOf removes ends
	for _, c := range failures {
		if cause := log.causeOf(c); cause != "" {
			causes[cause]++
			continue
		}
		report("%v failed without a fault that was played: %d %s", c, c.Answer.Status, log.answers[c.Request])
		found[len(found)-1].Calls = []logcheck.Record{*c}
	}
	for _, complaint := range log.complaints {
		report("%s", complaint)
	}
	for _, fault := range log.runs {
		if !gaveUp(fault) {
			report("a run failed without a fault that was played: %s", fault)
		}
	}
	if runs > len(log.runs) {
		report("%d runs failed, and the log has the reasons of %d", runs, len(log.runs))
	}
	return found, causes
}

// failed reports whether a call has failed, by its answer or by its function's log.
func (h *heard) failed(c *logcheck.Record) bool {
	if functions[c.Kind] != "" {
		return outcomeOf(c.Answer.Status) == logcheck.Unknown || h.answers[c.Request] != ""
	}
	return c.Answer.Error != "" && (c.Outcome == logcheck.Unknown || c.Refusal == "")
}

// failedRun reports whether the call is a run of the scheduled function JudgeDue that has reported an error.
func failedRun(c *logcheck.Record) bool {
	return c.Kind == logcheck.JudgeDue && strings.Contains(c.Answer.Error, "reported an error")
}

// causeOf returns the cause of a call's failure, or "" if it finds none. If the end of a process is the cause, causeOf
// removes that end. A failed start stays, because it explains the failures of all waiting callers.
func (h *heard) causeOf(c *logcheck.Record) string {
	function, fault, took := functions[c.Kind], h.answers[c.Request], time.Duration(c.Ended-c.Began)*time.Millisecond
	byPlayer := function != ""
	if !byPlayer {
		fault = c.Answer.Error
	}
	if c.Kind == logcheck.JudgeDue {
		function = "JudgeDue"
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
	i := slices.IndexFunc(h.ends, func(e end) bool { return e.function == function && e.at >= c.Began && e.at <= c.Ended.Add(endIsSeen) })
	switch {
	case i >= 0:
		cause := h.ends[i].cause
		if cause != causeStart { // see above
			h.ends = slices.Delete(h.ends, i, i+1)
		}
		return cause
	case byPlayer && took >= gatewayPatience:
		return causeGateway
	}
	return ""
}

// exceptionOf matches the name of the exception with which the engine refused a request.
var exceptionOf = regexp.MustCompile(`api error (\w+)`)

// played has the exceptions that our faults cause, and after which the store repeats its request.
var played = []string{
	"InternalServerError", "ThrottlingException", "ProvisionedThroughputExceededException", "TransactionConflictException",
	"TransactionInProgressException", "TransactionCanceledException",
}

// gaveUp reports whether an error means only that the time was over before the table answered without a fault.
func gaveUp(text string) bool {
	for line := range strings.SplitSeq(text, "\n") { // joined errors
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
