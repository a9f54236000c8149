package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// A process that died excuses the calls which it has not told of, and no others: whatever else is stored must be of a
// call, also in a round in which something dies all the time.
func TestCallsThatTheLogDoesNotHave(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := storetest.NewScene(t, game.InstantOf(now))
	s.AddFair(t)
	s.MustEnter(t, s.Ann, s.Show, 0)
	s.MustJudge(t, s.Ann, s.Show)
	s.MustClaim(t, s.Ann, s.Show)
	l, err := newFunctionLog(filepath.Join(t.TempDir(), "functions.jsonl"), now.Add(-time.Minute), newFigures())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.close() })
	l.welcomed(s.Ann.ID, now.Add(time.Minute))
	for _, c := range endpoints {
		l.add(c.function, "gateway: the process ended: signal: killed")
	}
	check := func(calls []*call) []logcheck.Violation {
		found, err := l.check(t.Context(), s.Rival, calls)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	var all []*call
	for _, kind := range []string{kindEnter, kindJudge, kindClaim} {
		c := &call{Kind: kind, User: s.Ann.ID, Show: s.Show.ID, Status: 500, Request: kind, Began: time.Minute, Ended: 2 * time.Minute}
		if kind == kindEnter {
			c.Animal = s.Ann.Animals[0].ID
		}
		all = append(all, c)
	}
	if found := check(all); len(found) > 0 {
		t.Error(found)
	}
	for i, want := range []string{"an entry of player", "was judged by", "reward of 100"} {
		var others []*call
		for j, c := range all {
			if j != i {
				others = append(others, c)
			}
		}
		found := check(others)
		var said []string
		for _, v := range found {
			said = append(said, v.Text)
		}
		if text := strings.Join(said, "\n"); !strings.Contains(text, want) || !strings.Contains(text, "is of no call") {
			t.Errorf("without the %s: want %q, got %q", all[i].Kind, want, text)
		}
	}

	// A show that cannot be read is a violation, and nothing that breaks off the round.
	s.At("SHOW#"+string(s.Show.ID)+"#0", "ENTRY#"+string(s.Ann.Animals[0].ID)).Delete(t)
	if found := check(all); !slices.ContainsFunc(found, func(v logcheck.Violation) bool { return strings.HasPrefix(v.Text, "cannot be read: show") }) {
		t.Errorf("a show without its entry: %v", found)
	}
}

// What the functions and the gateway say, as it is kept: failures that are answered as refusals among them.
func TestTestimony(t *testing.T) {
	t.Parallel()
	l, err := newFunctionLog(filepath.Join(t.TempDir(), "functions.jsonl"), time.Now(), newFigures())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.close() })
	for _, line := range []string{
		`{"msg":"request","request_id":"done","status":201}`,
		`{"msg":"request","request_id":"refused","status":404,"code":"NOT_FOUND","error":"NOT_FOUND: Show not open"}`,
		`{"msg":"request","request_id":"failed","status":401,"error":"the table is gone"}`,
		`{"msg":"request","request_id":"damaged","status":200,"DamagedShows":1}`,
		`{"msg":"run","judged":[]}`, `{"msg":"run","error":"the table is gone"}`,
		"gateway: the process ended: signal: killed", "1234 Task timed out after 8.00 seconds", "gateway: no request taken within 10s of the start",
		"gateway: the process no longer asks for requests", "gateway: the process ended: exit status 2",
		`gateway: the function failed at its start: exit status 1; its last line: "no"`, "template.yaml does not allow dynamodb:Scan",
		"gateway: the function failed at its start: fork/exec: resource temporarily unavailable",
	} {
		l.add("EnterShow", line)
	}
	said := l.testimony()
	for request, want := range map[string]answered{
		"done": {status: 201}, "refused": {status: 404, code: "NOT_FOUND"}, "failed": {status: 401, fault: "the table is gone"},
		"damaged": {status: 200, damaged: true},
	} {
		got := said.answers[request]
		if got.at = 0; got != want {
			t.Errorf("%s: %+v, want %+v", request, got, want)
		}
	}
	var causes []string
	for _, e := range said.ends {
		causes = append(causes, e.function+" "+e.cause)
	}
	if want := []string{"EnterShow " + causeKilled, "EnterShow " + causeTime, "EnterShow " + causeStart}; !slices.Equal(causes, want) {
		t.Errorf("%q, want %q", causes, want)
	}
	if len(said.answers) != 4 || len(said.runs) != 1 || len(said.complaints) != 3 {
		t.Errorf("%+v", said)
	}
	for want, c := range map[bool]*call{
		true:  {Request: "other", Status: 500, Code: "INTERNAL_ERROR"},
		false: {Request: "other", Status: 500},
	} {
		if said.lacks(c) != want {
			t.Errorf("%+v lacks a line: %v", c, !want)
		}
	}
}
