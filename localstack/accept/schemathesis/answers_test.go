package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/accept/contract"
)

// TestAnswers checks that a run passes if every outcome of the contract has occurred. A run that misses an outcome, or
// has a failure, must not pass.
func TestAnswers(t *testing.T) {
	t.Parallel()
	promised, err := contract.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	a := newAnswers()
	for _, o := range promised.Operations() {
		for _, outcome := range o.Outcomes() {
			line := fmt.Sprintf(`{"level":"INFO","status":400,"code":%q}`, outcome)
			if strings.Trim(outcome, "0123456789") == "" {
				line = `{"level":"INFO","status":` + outcome + `}`
			}
			a.read(strings.ToUpper(o.ID[:1])+o.ID[1:], line)
		}
	}
	a.read("GetShow", `{"level":"INFO","message":"started"}`)
	a.read("GetShow", `{"level":"INFO","status":200}`)
	if err := a.check(promised); err != nil {
		t.Errorf("all answers, and still: %v", err)
	}
	var out strings.Builder
	a.print(&out)
	if want := "  GetShow      200 2, NOT_FOUND 1, UNAUTHORIZED 1\n"; !strings.Contains(out.String(), want) {
		t.Errorf("%s has no %q", out.String(), want)
	}
	delete(a.counts["EnterShow"], "INVALID")
	a.read("Login", `{"level":"ERROR","status":500,"error":"gone"}`)
	a.read("Refresh", "panic: no record")
	err = a.check(promised)
	for _, want := range []string{"EnterShow answer INVALID", `Login: {"level":"ERROR"`, "Refresh: panic"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %q", err, want)
		}
	}
}
