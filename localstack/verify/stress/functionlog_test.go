package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/ranch-game/ranch/infra/logcheck"
)

// What the functions and the gateway log, as it is kept: failures that are answered as refusals among them.
func TestFunctionLog(t *testing.T) {
	t.Parallel()
	l, err := newFunctionLog(filepath.Join(t.TempDir(), "functions.jsonl"), newFigures())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.close() })
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
	if len(so.answers) != 3 || len(so.runs) != 1 || len(so.complaints) != 3 {
		t.Errorf("%+v", so)
	}
}
