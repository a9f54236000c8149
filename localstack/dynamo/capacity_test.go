package dynamo_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
)

// checkThrottled checks that an error has the documented type, which the SDK retries.
func checkThrottled(t *testing.T, what string, err error, byTable bool) {
	t.Helper()
	want := "ProvisionedThroughputExceededException"
	if byTable {
		want = "ThrottlingException"
	}
	checkEqual(t, what, told(err), want)
	assert.True(t, bool(retry.NewStandard().IsErrorRetryable(err)), "%s: the SDK does not retry it", what)
}

// TestThrottled checks that a partition, or the table, serves its units, refuses further requests without asking the
// engine, and serves again a second later. Reads do not affect the capacity for writes.
func TestThrottled(t *testing.T) {
	t.Parallel()
	for name, byTable := range map[string]bool{"partition": false, "table": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := capacity.Options{PartitionRead: 2, PartitionWrite: 1}
			if byTable {
				o = capacity.Options{TableRead: 2, TableWrite: 2}
			}
			f := withCapacity(t, o)
			one := func(do func(context.Context, string) error) func(context.Context) error {
				return func(ctx context.Context) error { return do(ctx, "a/1") }
			}
			for operation, do := range map[string]func(context.Context) error{
				"GetItem":      one(func(ctx context.Context, name string) error { _, err := f.read(ctx, f.db, name); return err }),
				"Query":        func(ctx context.Context) error { _, err := f.db.Query(ctx, f.queryInput("a")); return err },
				"BatchGetItem": one(func(ctx context.Context, name string) error { _, _, err := f.batchGet(ctx, name); return err }),
				"Scan": func(ctx context.Context) error {
					_, err := f.db.Scan(ctx, &dynamodb.ScanInput{TableName: f.name})
					return err
				},
				"PutItem":    one(f.putItem),
				"UpdateItem": one(f.update),
				"DeleteItem": one(f.remove),
			} {
				if operation == "Scan" && !byTable {
					continue // no particular partition
				}
				other := one(f.putItem)
				if strings.Contains("PutItem UpdateItem DeleteItem", operation) {
					other = func(context.Context) error { return f.transactGet(t.Context(), "a/1") }
				}
				f.clock.move(time.Hour)
				for err := error(nil); err == nil; err = do(t.Context()) {
				}
				f.wire.reached()
				checkThrottled(t, operation, do(t.Context()), byTable)
				checkList(t, operation+": the engine", f.wire.reached())
				err := other(t.Context())
				assert.NoError(t, err, "%s: the other direction", operation)
				if !byTable {
					f.get(t, "b/1")
				}
				f.clock.move(time.Second)
				err = do(t.Context())
				assert.NoError(t, err, "%s a second later", operation)
			}
		})
	}
}

// TestAPageIsChargedWhatItTakes checks that the last unit of a partition admits a whole page, whose cost is known only
// after it was read. Other reads are then refused until the partition has paid its debt.
func TestAPageIsChargedWhatItTakes(t *testing.T) {
	t.Parallel()
	f := withCapacity(t, capacity.Options{PartitionRead: 100, Scale: 10})
	for i := range 4 {
		f.putItems(t, sized(fmt.Sprint("a/", i), kilobytes(100)))
	}
	for range 9 {
		f.get(t, "a/none")
	}
	checkEqual(t, "items of the page", len(f.query(t, "a", 0)), 4)
	f.clock.move(9*time.Second + 850*time.Millisecond) // 98.5 of the 99 units of debt
	_, err := f.read(t.Context(), f.db, "a/none")
	checkThrottled(t, "before the debt is paid", err, false)
	f.clock.move(100 * time.Millisecond)
	f.get(t, "a/none")
}

// TestUnprocessedKeys checks that BatchGetItem returns throttled keys as unprocessed, and fails only if all keys are
// throttled (API Reference, BatchGetItem).
func TestUnprocessedKeys(t *testing.T) {
	t.Parallel()
	f := withCapacity(t, capacity.Options{PartitionRead: 5})
	var all []string
	for _, pk := range []string{"a", "b", "c"} {
		for i := range 4 {
			all = append(all, fmt.Sprint(pk, "/", i))
		}
	}
	f.put(t, all...)
	for range 5 {
		f.get(t, "a/none")
	}
	f.Reset()
	found, left, err := f.batchGet(t.Context(), all...)
	checkList(t, "found: "+told(err), found, "b/0=", "b/1=", "b/2=", "b/3=", "c/0=", "c/1=", "c/2=", "c/3=")
	checkList(t, "left", left, "a/0", "a/1", "a/2", "a/3")
	checkEqual(t, "metered", f.Counts("", "BatchGetItem"), capacity.Counts{Requests: 1, Unprocessed: 4, Read: 8})
	_, _, err = f.batchGet(t.Context(), left...)
	checkThrottled(t, "none can be read", err, false)
	f.clock.move(time.Second)
	found, left, err = f.batchGet(t.Context(), left...)
	assert.True(t, err == nil && len(found) == 4 && len(left) == 0, "a second later: found %v, left %v, %v", found, left, err)
}

func TestThrottledTransactions(t *testing.T) {
	t.Parallel()
	f := withCapacity(t, capacity.Options{PartitionWrite: 4, TableWrite: 10, PartitionRead: 2})
	ctx := t.Context()
	for range 2 {
		require.NoError(t, f.do(ctx, "", "+hot/1"))
	}
	f.Reset()
	checkCancelled(t, "a hot partition", f.do(ctx, "", "a/1=x", "!hot/2", "+b/1", "-hot/1"), "None", "ThrottlingError", "None", "ThrottlingError")
	checkEqual(t, "it costs nothing", f.Counts("", ""), capacity.Counts{Requests: 1, Throttled: 1})
	checkList(t, "nothing was applied", f.scan(t), "hot/1")
	for i := range 3 {
		require.NoError(t, f.do(ctx, "", fmt.Sprint("+", i, "/1")))
	}
	checkCancelled(t, "the table", f.do(ctx, "", "a/1=x", "+b/1"), "ThrottlingError", "ThrottlingError")
	require.NoError(t, f.transactGet(ctx, "hot/1", "b/1"))
	checkCancelled(t, "a reading transaction", f.transactGet(ctx, "hot/1", "b/1"), "ThrottlingError", "ThrottlingError")
}

// TestUnits checks statements of the Developer Guide about consumed units: "DynamoDB read and write operations",
// and "DynamoDB transactions: how it works", capacity management.
func TestUnits(t *testing.T) {
	t.Parallel()
	f := withCapacity(t, capacity.Options{PartitionRead: 1e6, PartitionWrite: 1e6, Hold: 1})
	f.putItems(t, sized("a/3.5", kilobytes(3.5)), sized("a/8", kilobytes(8)), sized("a/10", kilobytes(10)),
		sized("b/1.5", kilobytes(1.5)), sized("c/6.5", kilobytes(6.5)), keyOf("small/1"), keyOf("small/2"))
	for i := range 10 {
		f.putItems(t, sized(fmt.Sprint("ten/", i), kilobytes(4.08)))
	}
	for _, sk := range []string{"replace", "update", "delete", "checked", "transacted"} {
		f.putItems(t, sized("w/"+sk, 3000))
	}
	type call = func(context.Context) error
	get := func(name string, consistent bool) call {
		return func(ctx context.Context) error {
			_, err := f.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: f.name, Key: keyOf(name), ConsistentRead: &consistent})
			return err
		}
	}
	query := func(pk string, change func(*dynamodb.QueryInput)) call {
		in := f.queryInput(pk)
		change(in)
		return func(ctx context.Context) error { _, err := f.db.Query(ctx, in); return err }
	}
	asIs := func(*dynamodb.QueryInput) {}
	batch := func(names ...string) call {
		return func(ctx context.Context) error { _, _, err := f.batchGet(ctx, names...); return err }
	}
	transactGet := func(names ...string) call {
		return func(ctx context.Context) error { return f.transactGet(ctx, names...) }
	}
	put := func(i attributes, condition string) call {
		in := &dynamodb.PutItemInput{TableName: f.name, Item: i}
		if condition != "" {
			in.ConditionExpression = &condition
		}
		return func(ctx context.Context) error { _, err := f.db.PutItem(ctx, in); return err }
	}
	update := func(name, condition string) call {
		in := &dynamodb.UpdateItemInput{
			TableName: f.name, Key: keyOf(name), UpdateExpression: aws.String("SET x = :x"),
			ExpressionAttributeValues: attributes{":x": str("x")}, ConditionExpression: &condition,
		}
		return func(ctx context.Context) error { _, err := f.db.UpdateItem(ctx, in); return err }
	}
	remove := func(name string) call {
		return func(ctx context.Context) error { return f.remove(ctx, name) }
	}
	transact := func(items ...types.TransactWriteItem) call {
		return func(ctx context.Context) error {
			return f.transact(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
		}
	}
	const present = "attribute_exists(PK)"
	for _, line := range []struct {
		what          string
		do            call
		failure       string
		read, written float64
	}{
		{"a strongly consistent read of 3.5 KB, rounded to 4", get("a/3.5", true), "", 1, 0},
		{"an eventually consistent one", get("a/3.5", false), "", 0.5, 0},
		{"8 KB", get("a/8", true), "", 2, 0},
		{"8 KB, eventually", get("a/8", false), "", 1, 0},
		{"10 KB, rounded to 12", get("a/10", true), "", 3, 0},
		{"an item that is not there", get("a/none", true), "", 1, 0},
		{"an item that is not there, eventually", get("a/none", false), "", 0.5, 0},
		{"a batch of 1.5 and 6.5 KB is 12", batch("b/1.5", "c/6.5"), "", 3, 0},
		{"a batch in one partition", batch("a/3.5", "a/8"), "", 3, 0},
		{"every key of a batch is one at least", batch("small/1", "small/2", "none/1", "none/2"), "", 4, 0},
		{"a query: ten items of together 40.8 KB, rounded to 44", query("ten", asIs), "", 11, 0},
		{"a query that projects", query("ten", func(q *dynamodb.QueryInput) { q.ProjectionExpression = aws.String("SK") }), "", 11, 0},
		{"a query that filters", query("ten", func(q *dynamodb.QueryInput) { q.FilterExpression = aws.String("attribute_not_exists(v)") }), "", 11, 0},
		{"a query that counts", query("ten", func(q *dynamodb.QueryInput) { q.Select = types.SelectCount }), "", 11, 0},
		{"a query, eventually", query("ten", func(q *dynamodb.QueryInput) { q.ConsistentRead = nil }), "", 5.5, 0},
		{"a query that finds nothing", query("none", asIs), "", 1, 0},
		{"a transaction reads twice", transactGet("small/1"), "", 2, 0},
		{"8 KB in a transaction", transactGet("a/8"), "", 4, 0},
		{"a transaction of several", transactGet("a/8", "small/1", "none/1"), "", 8, 0},
		{"500 bytes, rounded to 1 KB", put(sized("w/new", 500), ""), "", 0, 1},
		{"1.6 KB, rounded to 2", put(sized("w/new2", kilobytes(1.6)), ""), "", 0, 2},
		{"a put in the place of a larger item", put(sized("w/replace", 500), ""), "", 0, 3},
		{"an update counts the whole item", update("w/update", present), "", 0, 3},
		{"a delete counts the item", remove("w/delete"), "", 0, 3},
		{"a delete of nothing", remove("w/none"), "", 0, 1},
		{"a condition that fails, without an item", update("w/none", present), "ConditionalCheckFailed", 0, 1},
		{"a transaction of three items of 500 bytes", transact(f.putting(sized("t/1", 500)), f.putting(sized("t/2", 500)), f.putting(sized("u/3", 500))), "", 0, 6},
		{"a condition check", transact(f.action("!none/none")), "", 0, 2},
		{"an update of a larger item", transact(f.action("+w/transacted")), "", 0, 6},
		{"a delete of a larger item", transact(f.action("-w/transacted")), "", 0, 6},
		{"a transaction that is cancelled", transact(f.putting(sized("t/4", 1500)), f.action("!w/checked")), "TransactionCanceled", 0, 4},
		{"a read that is wrong", query("ten", func(q *dynamodb.QueryInput) { q.ProjectionExpression = aws.String("(") }), "ValidationException", 0, 0},
		{"a write that is wrong", put(keyOf("w/1"), "("), "ValidationException", 0, 0},
		{"a transaction that is wrong", transact(f.action("+w/1"), f.action("+w/1")), "ValidationException", 0, 0},
	} {
		f.Reset()
		f.clock.move(time.Second) // earlier holds have ended
		err := line.do(t.Context())
		assert.True(t, (err == nil) == (line.failure == "") && (err == nil || strings.Contains(err.Error(), line.failure)),
			"%s: %v", line.what, err)
		total := f.Counts("", "")
		assert.True(t, total.Read == line.read && total.Written == line.written && total.Requests == 1,
			"%s: %+v, want %v read and %v written", line.what, total, line.read, line.written)
	}
}

// TestAnswersTakeTheirTime checks how long answers take. The clock moves only while an answer waits.
func TestAnswersTakeTheirTime(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		operation      string
		hold, engine   time.Duration
		atLeast, below time.Duration
	}{
		"a read":                          {"GetItem", 0, 2, 3, 5},
		"a page":                          {"Query", 0, 2, 55, 100},
		"a plain write":                   {"PutItem", 0, 2, 4, 6},
		"a transaction":                   {"TransactWriteItems", 8, 2, 10, 15},
		"a transaction that holds longer": {"TransactWriteItems", 20, 2, 20, 20},
		"a slow engine":                   {"GetItem", 0, 50, 50, 50},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			f := withCapacity(t, capacity.Options{Hold: c.hold * time.Millisecond, Latency: true})
			for i := range 3 {
				f.putItems(t, sized(fmt.Sprint("a/", i), kilobytes(340)))
			}
			for range 20 {
				began := f.clock.Now()
				f.wire.Next(c.operation, faults.Before(func() { f.clock.move(c.engine * time.Millisecond) }))
				err := map[string]func() error{
					"GetItem":            func() error { _, err := f.read(t.Context(), f.db, "b/1"); return err },
					"Query":              func() error { _, err := f.db.Query(t.Context(), f.queryInput("a")); return err },
					"PutItem":            func() error { return f.putItem(t.Context(), "b/1") },
					"TransactWriteItems": func() error { return f.do(t.Context(), "", "+b/1") },
				}[c.operation]()
				took := f.clock.Now().Sub(began)
				assert.True(t, err == nil && took >= c.atLeast*time.Millisecond && took <= c.below*time.Millisecond, "%v, %v", took, err)
				f.clock.move(time.Second) // holds have ended
			}
		})
	}
}
