package dynamo_test

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
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
// transactions, and whether they were applied.
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
			checkEqual(t, "a transaction", met(f.do(t.Context(), "", "+one/1", "+two/1")), want.transaction)
			checkEqual(t, "played", f.faults.Played()[fault], 2)
			require.NoError(t, f.faults.Switch(t.Context(), false))
			checkEqual(t, "items that are stored", len(f.scan(t)), map[bool]int{true: 3}[want.applied])
		})
	}
}

// TestOnceThroughFaults checks that transactions take effect exactly once, if their client repeats each with its token,
// and makes another one after a conflict, as the store does.
func TestOnceThroughFaults(t *testing.T) {
	t.Parallel()
	for what, chances := range map[string]map[string]float64{
		"all":   {"conflict": .1, "throttle": .1, "error": .05, "error-after": .05, "lost": .05, "broken": .05, "slow": .1},
		"late":  {"late": .4},
		"after": {"lost": .2, "broken": .2, "error-after": .2, "conflict": .3},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := withFaults(t, chances, 2)
			for range 25 {
				token := rand.Text()
				for err := f.do(t.Context(), token, "+a/1", "+b/1"); err != nil; err = f.do(t.Context(), token, "+a/1", "+b/1") {
					if strings.Contains(told(err), "TransactionConflict") {
						token = rand.Text() // no attempt was applied, and none is under way
					}
				}
			}
			require.NoError(t, f.faults.Switch(t.Context(), false))
			out, err := f.direct.Scan(t.Context(), &dynamodb.ScanInput{TableName: f.name})
			require.NoError(t, err)
			for _, item := range out.Items {
				assert.Equal(t, num("25"), item["n"], show(item))
			}
			checkEqual(t, "items", len(out.Items), 2)
		})
	}
}
