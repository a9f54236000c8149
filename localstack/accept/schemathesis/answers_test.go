package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/contract"
)

// TestAnswers checks that a run passes unless an outcome of the contract is missing, or the log has a failure.
func TestAnswers(t *testing.T) {
	t.Parallel()
	promised, err := contract.LoadRoot()
	require.NoError(t, err)
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
	err = a.check(promised)
	assert.NoError(t, err, "all answers, and still")
	var out strings.Builder
	a.print(&out)
	want := "  GetShow      200 2, NOT_FOUND 1, UNAUTHORIZED 1\n"
	assert.Contains(t, out.String(), want)
	delete(a.counts["EnterShow"], "INVALID")
	a.read("Login", `{"level":"ERROR","status":500,"error":"gone"}`)
	a.read("Refresh", "panic: no record")
	err = a.check(promised)
	for _, want := range []string{"EnterShow got the answer INVALID", `Login: {"level":"ERROR"`, "Refresh: panic"} {
		assert.True(t, err != nil && strings.Contains(err.Error(), want), "%v, and not %q", err, want)
	}
}
