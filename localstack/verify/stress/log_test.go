package main

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// What the functions and the gateway log, as it is kept: failures that are answered as refusals among them.
func TestFunctionLog(t *testing.T) {
	t.Parallel()
	l := newFunctionLog(newFigures())
	for _, line := range []string{
		`{"msg":"request","request_id":"done","status":201}`,
		`{"msg":"request","request_id":"refused","status":404,"code":"NOT_FOUND","error":"NOT_FOUND: Show not open"}`,
		`{"msg":"request","request_id":"failed","status":401,"error":"the table is gone"}`,
		`{"msg":"run","judged":[]}`, `{"msg":"run","error":"the table is gone"}`,
		"gateway: the process ended: signal: killed", "1234 Task timed out after 8.00 seconds", "gateway: no request taken within 10s of the start",
		"gateway: the process no longer asks for requests", "gateway: the process ended: exit status 2",
		`gateway: the function failed at its start: exit status 1; its last line: "no"`, "template.yaml does not allow dynamodb:Scan",
		"gateway: the function failed at its start: fork/exec: resource temporarily unavailable",
	} {
		l.add("EnterShow", line)
	}
	so := l.heard()
	for request, want := range map[string]answer{
		"done": {outcome: logcheck.Done}, "refused": {outcome: logcheck.Refused}, "failed": {logcheck.Unknown, "the table is gone"},
	} {
		if got := so.answers[request]; got != want {
			t.Errorf("%s: %+v, want %+v", request, got, want)
		}
	}
	var causes []string
	for _, e := range so.ends {
		causes = append(causes, e.function+" "+e.cause)
	}
	if want := []string{"EnterShow " + causeKilled, "EnterShow " + causeTime, "EnterShow " + causeStart}; !slices.Equal(causes, want) {
		t.Errorf("%q, want %q", causes, want)
	}
	if len(so.answers) != 3 || len(so.runs) != 1 || len(so.complaints) != 3 || bytes.Count(so.lines, []byte("\n")) != 5 {
		t.Errorf("%+v", so)
	}
}

// What explains a failure, and what does not: ends of the function's processes at the time, each of them one failure;
// and the table, by the function's own account, when it was asked long enough.
func TestCauses(t *testing.T) {
	t.Parallel()
	const (
		gone     = "transaction: operation error DynamoDB: TransactWriteItems, https response error StatusCode: 0, RequestID: , canceled, context deadline exceeded"
		silent   = "entering: the table has failed for 3s: batch get: operation error DynamoDB: BatchGetItem, context canceled"
		refusal  = "transaction: operation error DynamoDB: TransactWriteItems, https response error StatusCode: 400, api error ValidationException: no"
		mismatch = "transaction: operation error DynamoDB: TransactWriteItems, api error IdempotentParameterMismatchException: other, context deadline exceeded"
		throttle = "transaction: operation error DynamoDB: TransactWriteItems, api error ThrottlingException: slow, request canceled, context deadline exceeded"
	)
	began, ended := game.Instant(10_000), game.Instant(14_000)
	at := func(when game.Instant) []end { return []end{{"EnterShow", causeKilled, when}} }
	enter := func() *logcheck.Record {
		return &logcheck.Record{
			Kind: logcheck.Enter, Outcome: logcheck.Unknown, Request: "r", Began: began, Ended: ended, Answer: &logcheck.Answer{N: 1, Status: 500},
		}
	}
	with := func(change func(*logcheck.Record)) []*logcheck.Record {
		c := enter()
		change(c)
		return []*logcheck.Record{c}
	}
	faulty := func(fault string) heard {
		return heard{answers: map[string]answer{"r": {logcheck.Unknown, fault}}}
	}
	change := func(kind logcheck.Kind, err string, took time.Duration) []*logcheck.Record {
		return []*logcheck.Record{{Kind: kind, Outcome: logcheck.Refused, Began: began, Ended: began.Add(took), Answer: &logcheck.Answer{N: 1, Error: err}}}
	}
	for name, test := range map[string]struct {
		calls []*logcheck.Record
		log   heard
		cause string // "": it is a violation
	}{
		"nothing":                           {[]*logcheck.Record{enter()}, heard{}, ""},
		"the end of its process":            {[]*logcheck.Record{enter()}, heard{ends: at(11_000)}, causeKilled},
		"an end that is seen a little late": {[]*logcheck.Record{enter()}, heard{ends: at(ended.Add(endIsSeen))}, causeKilled},
		"an end before it began":            {[]*logcheck.Record{enter()}, heard{ends: at(9_000)}, ""},
		"an end long after":                 {[]*logcheck.Record{enter()}, heard{ends: at(16_000)}, ""},
		"the end of another function":       {[]*logcheck.Record{enter()}, heard{ends: []end{{"GetShow", causeKilled, began}}}, ""},
		"one end for two":                   {[]*logcheck.Record{enter(), enter()}, heard{ends: at(began)}, ""},
		"an end each":                       {[]*logcheck.Record{enter(), enter()}, heard{ends: slices.Concat(at(began), at(ended))}, causeKilled},
		"a start that takes too long": {
			[]*logcheck.Record{enter(), enter()}, heard{ends: []end{{"EnterShow", causeStart, began}}}, causeStart,
		},
		"a connection that broke":       {with(func(c *logcheck.Record) { c.Answer.Status, c.Answer.Error = 0, "EOF" }), heard{}, ""},
		"a gateway that waited":         {with(func(c *logcheck.Record) { c.Answer.Status, c.Ended = 503, began.Add(gatewayPatience) }), heard{}, causeGateway},
		"a gateway that did not":        {with(func(c *logcheck.Record) { c.Answer.Status = 503 }), heard{}, ""},
		"a done call, and an end":       {[]*logcheck.Record{enter()}, heard{answers: map[string]answer{"r": {outcome: logcheck.Done}}, ends: at(began)}, causeKilled},
		"a done call, and no end":       {[]*logcheck.Record{enter()}, heard{answers: map[string]answer{"r": {outcome: logcheck.Done}}}, ""},
		"the deadline":                  {[]*logcheck.Record{enter()}, faulty(gone), causeDeadline},
		"a silent table":                {[]*logcheck.Record{enter()}, faulty(silent), causeDeadline},
		"throttling":                    {[]*logcheck.Record{enter()}, faulty(throttle), causeDeadline},
		"a deadline that was not yet":   {with(func(c *logcheck.Record) { c.Ended = began.Add(time.Second) }), faulty(gone), ""},
		"what the engine refused":       {[]*logcheck.Record{enter()}, faulty(refusal), ""},
		"another transaction's token":   {[]*logcheck.Record{enter()}, faulty(mismatch), ""},
		"a panic":                       {[]*logcheck.Record{enter()}, faulty("panic: context deadline exceeded\ngoroutine 1"), ""},
		"a panic, and an end":           {[]*logcheck.Record{enter()}, heard{answers: faulty("panic: no").answers, ends: at(began)}, ""},
		"a failure answered as refusal": {with(func(c *logcheck.Record) { c.Kind, c.Answer.Status, c.Refusal = logcheck.Refresh, 401, "INVALID_TOKEN" }), faulty(refusal), ""},
		"a failure answered as done":    {with(func(c *logcheck.Record) { c.Kind, c.Answer.Status = logcheck.Logout, 200 }), faulty(gone), causeDeadline},

		"an operator's deadline":  {change(logcheck.Ban, gone, 4*time.Second), heard{}, causeDeadline},
		"an operator's haste":     {change(logcheck.Ban, gone, time.Second), heard{}, ""},
		"an operator's exception": {change(logcheck.Ban, refusal, 4*time.Second), heard{}, ""},
		"a change that is in doubt": {
			[]*logcheck.Record{{
				Kind: logcheck.Ban, Outcome: logcheck.Unknown, Refusal: store.ErrNotOpen.Error(), Answer: &logcheck.Answer{Error: "unclear"},
			}}, heard{}, causeDoubt,
		},
		"the end of a run": {
			change(logcheck.JudgeDue, "ended its work without an answer", 4*time.Second), heard{ends: []end{{"JudgeDue", causeTime, began}}}, causeTime,
		},
		"no end of a run": {change(logcheck.JudgeDue, "ended its work without an answer", 4*time.Second), heard{}, ""},
		"a run that failed by an exception": {
			change(logcheck.JudgeDue, "the function reported an error", 0), heard{runs: []string{gone + "\n" + refusal}}, "",
		},
		"a crash":                     {nil, heard{complaints: []string{"EnterShow: gateway: the process ended: exit status 2"}}, ""},
		"a run that does not say why": {change(logcheck.JudgeDue, "the function reported an error", 0), heard{}, ""},
	} {
		found, causes := explain(test.log, test.calls)
		if test.cause == "" && len(found) != 1 || test.cause != "" && (len(found) > 0 || causes[test.cause] != len(test.calls)) {
			t.Errorf("%s: want %q, got %v and %+v", name, test.cause, causes, found)
		}
	}
	found, _ := explain(heard{runs: []string{gone}}, change(logcheck.JudgeDue, "the function reported an error", 0))
	if len(found) > 0 {
		t.Errorf("a run that gave up: %+v", found)
	}
}
