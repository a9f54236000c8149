package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
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

// met returns how the client's only attempt has ended: "refused", "broken", "cut", or as told returns it.
func met(err error) string {
	switch text := told(err); {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case strings.Contains(text, "unexpected EOF") || strings.Contains(text, "deserialization failed"):
		return "broken"
	case strings.Contains(text, "EOF") || errors.Is(err, syscall.ECONNRESET):
		return "cut"
	default:
		return text
	}
}

// TestEachFault plays each fault of writes alone, with a chance of 100%. It checks the responses to plain writes and
// transactions, and whether they were applied.
func TestEachFault(t *testing.T) {
	t.Parallel()
	for fault, want := range map[dynamo.Kind]struct {
		plain, transaction []string // the possible answers
		applied            bool
	}{
		dynamo.Conflict: {[]string{"TransactionConflictException"}, []string{"TransactionConflict None", "None TransactionConflict"}, false},
		dynamo.Throttle: {[]string{"ProvisionedThroughputExceededException", "ThrottlingException"},
			[]string{"ThrottlingError None", "None ThrottlingError", "ThrottlingException"}, false},
		dynamo.Error:      {[]string{"InternalServerError"}, []string{"InternalServerError"}, false},
		dynamo.ErrorAfter: {[]string{"InternalServerError"}, []string{"InternalServerError"}, true},
		dynamo.Lost:       {[]string{"cut"}, []string{"cut"}, true},
		dynamo.Broken:     {[]string{"broken"}, []string{"broken"}, true},
		dynamo.Late:       {[]string{"InternalServerError", "cut"}, []string{"InternalServerError", "cut"}, true},
		dynamo.Slow:       {[]string{"done"}, []string{"done"}, true},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			f := withChance(t, fmt.Sprintf("%s=100%%,slow-by=5ms,late-by=5ms,hold=1ms", fault))
			for i := range 6 {
				got := met(f.putItem(t.Context(), fmt.Sprint("put/", i)))
				assert.Contains(t, want.plain, got, "a put is told %q, want one of %q", got, want.plain)
				got = met(f.add(t.Context(), f.db, fmt.Sprint("one/", i), fmt.Sprint("two/", i)))
				assert.Contains(t, want.transaction, got, "a transaction is told %q, want one of %q", got, want.transaction)
			}
			got := f.server.Simulator.Status()
			assert.True(t, got.Faults[string(fault)] == 12 && got.Requests == 12 && got.On, "it has counted %+v", got)
			require.NoError(t, f.server.Simulator.Switch(t.Context(), false))
			checkEqual(t, "items that are stored", len(f.scan(t)), map[bool]int{true: 18}[want.applied])
		})
	}
}

// TestOnceThroughFaults checks that transactions take effect exactly once, if clients repeat them with the same token.
func TestOnceThroughFaults(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"all=6%,late=0,hold=3ms,slow-by=3ms,outage=5ms,seed=1", "late=40%,late-by=30ms,hold=3ms,seed=2", "lost=15%,broken=15%,error-after=15%,hold=5ms,seed=3"} {
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
			require.NoError(t, f.server.Simulator.Switch(t.Context(), false))
			checkList(t, "after 25 transactions", []string{f.number(t, "a/1"), f.number(t, "b/1")}, "25", "25")
		})
	}
}

// TestRefuse checks that the server refuses new connections during an outage, and then accepts them again.
func TestRefuse(t *testing.T) {
	t.Parallel()
	f := withChance(t, "refuse=100%,outage=1m")
	if _, err := f.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: f.name}); err != nil {
		t.Fatal(err) // a request without items meets no fault
	}
	checkEqual(t, "the request itself is told", met(f.putItem(t.Context(), "a/1")), "cut")
	checkEqual(t, "the next one is told", met(f.putItem(t.Context(), "a/1")), "refused")
	checkEqual(t, "stored", f.number(t, "a/1"), "")
	for _, outage := range []string{"2ms", "0s"} { // the second ends before the server notices its closed listener
		again := withChance(t, "refuse=50%,outage="+outage)
		for i := range 10 {
			require.NoError(t, again.add(t.Context(), patient(again.db), fmt.Sprint("a/", i)))
		}
		assert.True(t, again.server.Simulator.Status().Faults["refuse"] != 0, "nothing was refused")
	}
}

// TestItemByItemByChance checks that during a hold a reader sees a part of a transaction, and a writer is refused.
func TestItemByItemByChance(t *testing.T) {
	t.Parallel()
	f := withChance(t, "hold=20ms,seed=5")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		for {
			if err := f.add(ctx, f.db, "a/0", "a/1", "a/2"); err != nil && !strings.Contains(told(err), "TransactionConflict") {
				done <- err
				return
			}
		}
	}()
	inPart, refused := false, false
	for !inPart || !refused {
		out, err := f.db.Query(t.Context(), f.queryInput("a"))
		require.NoError(t, err)
		values := map[string]bool{}
		for _, i := range out.Items {
			// An update before the first transaction makes an item without n.
			if n, ok := i["n"].(*types.AttributeValueMemberN); ok {
				values[n.Value] = true
			}
		}
		inPart = inPart || len(values) > 1
		refused = refused || told(f.update(t.Context(), "a/1")) == "TransactionConflictException"
	}
	cancel()
	err := <-done
	assert.ErrorIs(t, err, context.Canceled)
	s := f.server.Simulator.Status()
	assert.True(t, s.Effects["held"] != 0 && s.Effects["met-conflict"] != 0, "it has counted %+v", s)
}

// TestWithoutTheEngine checks that a client gets a 502, which SDKs repeat, if the engine does not answer. It also
// checks that Close returns no error, even if the server has not noticed that its listener is closed.
func TestWithoutTheEngine(t *testing.T) {
	t.Parallel()
	for range 50 {
		server, err := dynamo.Start("http://127.0.0.1:9", dynamo.Options{})
		require.NoError(t, err)
		f := &fixture{name: aws.String("table"), db: client(t, server.Endpoint(), &http.Transport{})}
		err = f.putItem(t.Context(), "a/1")
		assert.True(t, met(err) == "InternalServerError" && strings.Contains(err.Error(), "the engine does not answer"),
			"it is told %v", err)
		require.NoError(t, server.Close(t.Context()))
	}
}
