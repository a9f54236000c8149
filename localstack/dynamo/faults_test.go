package dynamo_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
)

// patient returns a client whose SDK makes up to 200 attempts. All attempts of a transaction have the same token.
func patient(db *dynamodb.Client) *dynamodb.Client {
	return dynamodb.New(db.Options(), func(o *dynamodb.Options) {
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff, o.RateLimiter = 200, time.Millisecond, ratelimit.None
			o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(func(err error) aws.Ternary { return aws.BoolTernary(met(err) == "broken") }))
		})
	})
}

// add adds 1 to each of the items in one transaction.
func (f *fixture) add(ctx context.Context, db *dynamodb.Client, names ...string) error {
	in := &dynamodb.TransactWriteItemsInput{}
	for _, name := range names {
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Update: &types.Update{
			TableName: f.name, Key: keyOf(name), UpdateExpression: aws.String("ADD n :one"), ExpressionAttributeValues: attributes{":one": num("1")},
		}})
	}
	_, err := db.TransactWriteItems(ctx, in)
	return err
}

// number returns the number in an item, without the simulator.
func (f *fixture) number(t *testing.T, name string) string {
	t.Helper()
	out, err := f.direct.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: f.name, Key: keyOf(name), ConsistentRead: aws.Bool(true)})
	require.NoError(t, err)
	n, _ := out.Item["n"].(*types.AttributeValueMemberN)
	if n == nil {
		return ""
	}
	return n.Value
}

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
			checkEqual(t, "a transaction", met(f.add(t.Context(), f.db, "one/1", "two/1")), want.transaction)
			checkEqual(t, "played", f.faults.Played()[fault], 2)
			require.NoError(t, f.faults.Switch(t.Context(), false))
			checkEqual(t, "items that are stored", len(f.scan(t)), map[bool]int{true: 3}[want.applied])
		})
	}
}

// TestOnceThroughFaults checks that transactions take effect exactly once, if clients repeat them with the same token.
func TestOnceThroughFaults(t *testing.T) {
	t.Parallel()
	for what, chances := range map[string]map[string]float64{
		"all":   {"conflict": .1, "throttle": .1, "error": .05, "error-after": .05, "lost": .05, "broken": .05, "slow": .1},
		"late":  {"late": .4},
		"after": {"lost": .15, "broken": .15, "error-after": .15},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := withFaults(t, chances, 2)
			db := patient(f.db)
			for i := range 25 {
				err := f.add(t.Context(), db, "a/1", "b/1")
				for strings.Contains(told(err), "TransactionConflict") || strings.Contains(told(err), "ThrottlingError") {
					err = f.add(t.Context(), db, "a/1", "b/1") // no attempt was applied, and none is under way
				}
				require.NoError(t, err, "transaction %d", i)
			}
			require.NoError(t, f.faults.Switch(t.Context(), false))
			checkList(t, "after 25 transactions", []string{f.number(t, "a/1"), f.number(t, "b/1")}, "25", "25")
		})
	}
}
