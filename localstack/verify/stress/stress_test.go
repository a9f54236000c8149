package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/dynamo"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) {
	ctx := context.Background()
	template, err := samtemplate.LoadRoot()
	if err == nil {
		err = stack.Prepare(ctx, template, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(storetest.Run(m))
}

// stressed plays a round on the real functions, and returns the violations and the counts. alter, if not nil, changes
// the transport to the engine.
func stressed(t *testing.T, calls, window int, alter func(http.RoundTripper) http.RoundTripper) (findings, *figures) {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	faults, noFaults := dynamo.Parse(standardFaults)
	require.NoError(t, errors.Join(err, noFaults))
	s := &search{settings: settings{seed: 1, window: window, faults: faults}, template: template, folder: t.TempDir(), figures: newFigures(), alter: alter}
	found, err := s.playRound(t.Context(), 1, calls)
	require.NoError(t, err)
	return found, s.figures
}

// TestStress checks that 400 calls to the real service lead to no violation, and that everything is counted.
func TestStress(t *testing.T) {
	found, f := stressed(t, 400, 200, nil)
	for _, v := range found.violations {
		t.Error(v)
	}
	for _, counted := range [][2]string{
		{"functions", "requests"}, {"enter-show", "201"}, {"get-me", "200"}, {"killed", "engines"}, {"all", "rounds"},
	} {
		assert.True(t, f.of(counted[0], counted[1]) != 0, "nothing is counted of %v", counted)
	}
	assert.True(t, f.of("all", "calls") >= 400 && f.of("all", "checks") == 2, "%+v", f.Counts)
}

// TestAGuardIsMissed makes all conditions on players' profiles true, so that two changes of a player's gold can
// overwrite each other. The checks must find a violation within 3,000 calls.
func TestAGuardIsMissed(t *testing.T) {
	item := func(pk, sk string) bool { return strings.HasPrefix(pk, "USER#") && sk == "PROFILE" }
	found, f := stressed(t, 3000, 150, func(next http.RoundTripper) http.RoundTripper {
		return storetest.Weakened{RoundTripper: next, Weaker: storetest.Always(item)}
	})
	if len(found.violations) == 0 {
		t.Fatalf("nothing was found in %d calls", f.of("all", "calls"))
	}
	t.Logf("found after %d calls: %s", f.of("all", "calls"), found.violations[0])
	assert.True(t, slices.ContainsFunc(found.violations, func(v string) bool { return strings.Contains(v, "\n") }),
		"no violation has a story: %+v", found)
	for _, name := range []string{"calls.jsonl", "functions.jsonl"} {
		text, err := os.ReadFile(filepath.Join(found.folder, name))
		assert.True(t, err == nil && len(text) != 0, "%s has %d bytes, %v", name, len(text), err)
	}
}

// TestAPlanFollowsFromItsSeed checks that equal seeds give equal plans, and that a plan has the rarest kinds of steps.
func TestAPlanFollowsFromItsSeed(t *testing.T) {
	drawn := func(seed uint64) (text string) {
		p := newPlan(seed, 1, 2000)
		for !p.over() {
			_, shows := p.wanted()
			for _, o := range append(shows, p.next()...) {
				text += fmt.Sprintf("%d %s %d %d %s\n", o.n, o.kind, o.animal, o.draw, o.name)
				if o.player != nil {
					text += string(o.player.id)
				}
				if o.show != nil {
					text += string(o.show.id)
				}
			}
		}
		return text
	}
	text := drawn(1)
	assert.True(t, text == drawn(1) && text != drawn(2), "a plan does not follow from its seed")
	for _, kind := range []logcheck.Kind{
		logcheck.Cancel, logcheck.JudgeShow, logcheck.SetShow, logcheck.AdjustGold, logcheck.ChangeAnimal, logcheck.CreateShow, logcheck.JudgeDue,
		logcheck.SetUser, logcheck.ResetPassword, logcheck.Me, killFunction, killEngine,
	} {
		assert.Contains(t, text, " "+string(kind)+" ", "the plan never has: %s", kind)
	}
}

// TestFunctionLog checks what functionLog keeps of the functions' and the gateway's lines. It keeps a failure even if
// the function answered with a status such as 401.
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
	want := map[string]string{"done": "", "refused": "", "failed": "the table is gone"}
	assert.True(t, maps.Equal(so.answers, want), "%q, want %q", so.answers, want)
	var causes []string
	for _, e := range so.ends {
		causes = append(causes, e.function+" "+e.cause)
	}
	if want := []string{"EnterShow " + causeKilled, "EnterShow " + causeTime, "EnterShow " + causeStart}; !slices.Equal(causes, want) {
		t.Errorf("%q, want %q", causes, want)
	}
	assert.True(t, len(so.runs) == 1 && len(so.complaints) == 3 && bytes.Count(so.lines, []byte("\n")) == 5, "%+v", so)
}

// TestCauses checks the causes of failures. The end of a function's process explains one failure at that time. The
// table explains a failure if the function's error blames it and the call took at least three seconds.
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
		return heard{answers: map[string]string{"r": fault}}
	}
	change := func(kind logcheck.Kind, err string, took time.Duration) []*logcheck.Record {
		return []*logcheck.Record{{Kind: kind, Outcome: logcheck.Refused, Began: began, Ended: began.Add(took), Answer: &logcheck.Answer{N: 1, Error: err}}}
	}
	for name, test := range map[string]struct {
		calls []*logcheck.Record
		log   heard
		cause string // "": a violation
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
		"a done call, and an end":       {[]*logcheck.Record{enter()}, heard{answers: map[string]string{"r": ""}, ends: at(began)}, causeKilled},
		"a done call, and no end":       {[]*logcheck.Record{enter()}, heard{answers: map[string]string{"r": ""}}, ""},
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
			change(logcheck.JudgeDue, "without an answer", 4*time.Second), heard{ends: []end{{"JudgeDue", causeTime, began}}}, causeTime,
		},
		"no end of a run": {change(logcheck.JudgeDue, "without an answer", 4*time.Second), heard{}, ""},
		"a run that failed by an exception": {
			change(logcheck.JudgeDue, "the function reported an error", 0), heard{runs: []string{gone + "\n" + refusal}}, "",
		},
		"a crash":                     {nil, heard{complaints: []string{"EnterShow: gateway: the process ended: exit status 2"}}, ""},
		"a run that does not say why": {change(logcheck.JudgeDue, "the function reported an error", 0), heard{}, ""},
	} {
		found, causes := explain(test.log, test.calls)
		assert.True(t, (test.cause != "" || len(found) == 1) && (test.cause == "" || len(found) == 0 && causes[test.cause] == len(test.calls)),
			"%s: want %q, got %v and %+v", name, test.cause, causes, found)
	}
	found, _ := explain(heard{runs: []string{gone}}, change(logcheck.JudgeDue, "the function reported an error", 0))
	assert.Empty(t, found, "a run that gave up: %+v", found)
}
