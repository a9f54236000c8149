package main

import (
	"slices"
	"testing"
	"time"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/store"
)

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
	began, ended := 10*time.Second, 14*time.Second
	at := func(when time.Duration) []end { return []end{{"EnterShow", causeKilled, when}} }
	enter := func() *call {
		return &call{N: 1, Kind: kindEnter, User: ann, Request: "r", Status: 500, Began: began, Ended: ended}
	}
	with := func(change func(*call)) []*call {
		c := enter()
		change(c)
		return []*call{c}
	}
	faulty := func(fault string) testimony {
		return testimony{answers: map[string]answered{"r": {status: 500, fault: fault}}}
	}
	change := func(err string, took time.Duration) []*call {
		return []*call{{N: 1, Kind: kindBan, User: ann, Error: err, Began: began, Ended: began + took, outcome: refused}}
	}
	for name, test := range map[string]struct {
		calls []*call
		said  testimony
		cause string // "": it is a violation
	}{
		"nothing":                           {[]*call{enter()}, testimony{}, ""},
		"the end of its process":            {[]*call{enter()}, testimony{ends: at(11 * time.Second)}, causeKilled},
		"an end that is seen a little late": {[]*call{enter()}, testimony{ends: at(ended + endIsSeen)}, causeKilled},
		"an end before it began":            {[]*call{enter()}, testimony{ends: at(9 * time.Second)}, ""},
		"an end long after":                 {[]*call{enter()}, testimony{ends: at(16 * time.Second)}, ""},
		"the end of another function":       {[]*call{enter()}, testimony{ends: []end{{"GetShow", causeKilled, began}}}, ""},
		"one end for two":                   {[]*call{enter(), enter()}, testimony{ends: at(began)}, ""},
		"an end each":                       {[]*call{enter(), enter()}, testimony{ends: slices.Concat(at(began), at(ended))}, causeKilled},
		"a start that takes too long": {
			[]*call{enter(), enter()}, testimony{ends: []end{{"EnterShow", causeStart, began}}}, causeStart,
		},
		"a connection that broke":       {with(func(c *call) { c.Status, c.Error = 0, "EOF" }), testimony{}, ""},
		"a gateway that waited":         {with(func(c *call) { c.Status, c.Ended = 503, began+gatewayPatience }), testimony{}, causeGateway},
		"a gateway that did not":        {with(func(c *call) { c.Status = 503 }), testimony{}, ""},
		"a done call, and an end":       {[]*call{enter()}, testimony{answers: map[string]answered{"r": {status: 201}}, ends: at(began)}, causeKilled},
		"a done call, and no end":       {[]*call{enter()}, testimony{answers: map[string]answered{"r": {status: 201}}}, ""},
		"the deadline":                  {[]*call{enter()}, faulty(gone), causeDeadline},
		"a silent table":                {[]*call{enter()}, faulty(silent), causeDeadline},
		"throttling":                    {[]*call{enter()}, faulty(throttle), causeDeadline},
		"a deadline that was not yet":   {with(func(c *call) { c.Ended = began + time.Second }), faulty(gone), ""},
		"what the engine refused":       {[]*call{enter()}, faulty(refusal), ""},
		"another transaction's token":   {[]*call{enter()}, faulty(mismatch), ""},
		"a panic":                       {[]*call{enter()}, faulty("panic: context deadline exceeded\ngoroutine 1"), ""},
		"a panic, and an end":           {[]*call{enter()}, testimony{answers: faulty("panic: no").answers, ends: at(began)}, ""},
		"a failure answered as refusal": {with(func(c *call) { c.Kind, c.Status, c.Code = kindRefresh, 401, "INVALID_TOKEN" }), faulty(refusal), ""},
		"a failure answered as done":    {with(func(c *call) { c.Kind, c.Status = kindLogout, 200 }), faulty(gone), causeDeadline},

		"an operator's deadline":  {change(gone, 4*time.Second), testimony{}, causeDeadline},
		"an operator's haste":     {change(gone, time.Second), testimony{}, ""},
		"an operator's exception": {change(refusal, 4*time.Second), testimony{}, ""},
		"a change that is in doubt": {
			[]*call{{Kind: kindBan, User: ann, Error: "unclear", Code: store.ErrNotOpen.Error()}}, testimony{}, causeDoubt,
		},
		"the end of a run": {
			[]*call{{Kind: kindJudgeDue, Error: "ended its work without an answer", Ended: ended}}, testimony{ends: []end{{"JudgeDue", causeTime, began}}}, causeTime,
		},
		"no end of a run": {[]*call{{Kind: kindJudgeDue, Error: "ended its work without an answer", Ended: ended}}, testimony{}, ""},
		"a run that failed by an exception": {
			[]*call{{Kind: kindJudgeDue, Error: "the function reported an error"}}, testimony{runs: []string{gone + "\n" + refusal}}, "",
		},
		"a crash":                     {nil, testimony{complaints: []string{"EnterShow: gateway: the process ended: exit status 2"}}, ""},
		"a run that does not say why": {[]*call{{Kind: kindJudgeDue, Error: "the function reported an error"}}, testimony{}, ""},
	} {
		e := newEvidence(invariants.Facts{}, test.calls, test.said, 0)
		e.checkCauses()
		if test.cause == "" && len(e.violations) != 1 || test.cause != "" && (len(e.violations) > 0 || e.causes[test.cause] != len(test.calls)) {
			t.Errorf("%s: want %q, got %v and %+v", name, test.cause, e.causes, e.violations)
		}
		before := e.causes
		if e = newEvidence(invariants.Facts{}, test.calls, test.said, 0); len(before) > 0 {
			if e.checkCauses(); len(e.causes) > 0 {
				t.Errorf("%s: counted twice", name)
			}
		}
	}
	e := newEvidence(invariants.Facts{}, []*call{{Kind: kindJudgeDue, Error: "the function reported an error"}}, testimony{runs: []string{gone}}, 0)
	if e.checkCauses(); len(e.violations) > 0 {
		t.Errorf("a run that gave up: %+v", e.violations)
	}
}
