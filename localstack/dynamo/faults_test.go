package dynamo_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// met returns how the client's only attempt has ended: "broken", "cut", or as told returns it.
func met(err error) string {
	switch text := told(err); {
	case strings.Contains(text, "deserialization failed"):
		return "broken"
	case strings.Contains(text, "unexpected EOF"):
		return "cut"
	default:
		return text
	}
}

// TestEachFault plays each fault of writes alone, with a chance of 100%. It checks the responses to plain writes and
// transactions, and whether they were applied. A repeated transaction gets no conflict.
func TestEachFault(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]struct {
		plain, transaction string
		applied            bool
	}{
		"conflict":    {"TransactionConflictException", "TransactionConflict", false},
		"throttle":    {"ProvisionedThroughputExceededException", "ThrottlingException", false},
		"error":       {"InternalServerError", "InternalServerError", false},
		"error-after": {"InternalServerError", "InternalServerError", true},
		"lost":        {"cut", "cut", true},
		"broken":      {"broken", "broken", true},
		"late":        {"InternalServerError", "InternalServerError", true},
		"slow":        {"done", "done", true},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			f := withFaults(t, map[string]float64{fault: 1}, 1)
			checkEqual(t, "a put", met(f.putItem(t.Context(), "put/1")), want.plain)
			token := rand.Text()
			checkEqual(t, "a transaction", met(f.do(t.Context(), token, "+one/1", "+two/1")), want.transaction)
			checkEqual(t, "played", f.faults.Played()[fault], 2)
			require.NoError(t, f.faults.Switch(t.Context(), false))
			checkEqual(t, "items that are stored", len(f.scan(t)), map[bool]int{true: 3}[want.applied])
			if fault == "conflict" {
				require.NoError(t, f.faults.Switch(t.Context(), true))
				assert.NoError(t, f.do(t.Context(), token, "+one/1", "+two/1"), "the same transaction again")
			}
		})
	}
}
