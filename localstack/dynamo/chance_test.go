package dynamo_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo"
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
	case strings.Contains(text, "unexpected EOF") || strings.Contains(text, "deserialization failed"):
		return "broken"
	case strings.Contains(text, "EOF"):
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
			f := withChance(t, fault+"=100%,slow-by=5ms,late-by=5ms,hold=1ms")
			checkEqual(t, "a put", met(f.putItem(t.Context(), "put/1")), want.plain)
			checkEqual(t, "a transaction", met(f.add(t.Context(), f.db, "one/1", "two/1")), want.transaction)
			checkEqual(t, "played", f.server.Played()[fault], 2)
			require.NoError(t, f.server.Switch(t.Context(), false))
			checkEqual(t, "items that are stored", len(f.scan(t)), map[bool]int{true: 3}[want.applied])
		})
	}
}

// TestOnceThroughFaults checks that transactions take effect exactly once, if clients repeat them with the same token.
func TestOnceThroughFaults(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"all=6%,late=0,hold=3ms,slow-by=3ms,seed=1", "late=40%,late-by=30ms,hold=3ms,seed=2",
		"lost=15%,broken=15%,error-after=15%,hold=5ms,seed=3",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			f := withChance(t, line)
			db := patient(f.db)
			for i := range 25 {
				err := f.add(t.Context(), db, "a/1", "b/1")
				for strings.Contains(told(err), "TransactionConflict") || strings.Contains(told(err), "ThrottlingError") {
					err = f.add(t.Context(), db, "a/1", "b/1") // no attempt was applied, and none is under way
				}
				require.NoError(t, err, "transaction %d", i)
			}
			require.NoError(t, f.server.Switch(t.Context(), false))
			checkList(t, "after 25 transactions", []string{f.number(t, "a/1"), f.number(t, "b/1")}, "25", "25")
		})
	}
}

// TestHold checks that a transaction holds its items for the time hold, through the server.
func TestHold(t *testing.T) {
	t.Parallel()
	f := withChance(t, "hold=1m")
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.add(ctx, f.db, "a/1", "a/2") }()
	for told(f.update(t.Context(), "a/2")) != "TransactionConflictException" {
	}
	giveUp()
	assert.ErrorIs(t, <-done, context.Canceled)
}

// TestWithoutTheEngine checks that a client gets a 500, which SDKs repeat, if the engine does not answer.
func TestWithoutTheEngine(t *testing.T) {
	t.Parallel()
	server, err := dynamo.Start("http://127.0.0.1:9", dynamo.Options{})
	require.NoError(t, err)
	f := &fixture{name: aws.String("table"), db: client(t, server.Endpoint(), &http.Transport{})}
	err = f.putItem(t.Context(), "a/1")
	assert.True(t, met(err) == "InternalServerError" && strings.Contains(err.Error(), "the engine does not answer"), err)
	require.NoError(t, server.Close(t.Context()))
}

// TestParse checks the settings of one line. The sum of all chances has a bound.
func TestParse(t *testing.T) {
	t.Parallel()
	o, err := dynamo.Parse("all=1%,late=0.02, slow=0,hold=20ms,late-by=2s,seed=7")
	require.NoError(t, err)
	assert.True(t, o.Chance["lost"] == 0.01 && o.Chance["late"] == 0.02 && o.Chance["slow"] == 0 && o.Seed == 7 &&
		o.Hold == 20*time.Millisecond && o.LateBy == 2*time.Second && o.SlowBy == time.Second/2, "%+v", o)
	for line, want := range map[string]string{
		"late": "allowed are all=CHANCE (0.5% or 0.005), broken=CHANCE, ", "late=101%": "a chance must be from 0 to 100%",
		"late=NaN": "a chance must be", "none=1%": "unknown setting", "hold=2m": "a duration must be from 0 to 1m0s",
		"late=1%;lost=1%": "invalid", "late=60%,lost=50%": "more than 100%",
	} {
		_, err := dynamo.Parse(line)
		assert.ErrorContains(t, err, want, line)
	}
}
