package dynamo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
)

// checkThrottled checks that an error has the documented type, which the SDK retries.
func checkThrottled(t *testing.T, what string, err error) {
	t.Helper()
	checkEqual(t, what, told(err), "ProvisionedThroughputExceededException")
	assert.True(t, bool(retry.NewStandard().IsErrorRetryable(err)), "%s: the SDK does not retry it", what)
}

// TestThrottled checks that a partition serves its units, refuses further requests without asking the engine, and
// serves again a second later. Reads do not affect the capacity for writes. A Scan is not throttled.
func TestThrottled(t *testing.T) {
	t.Parallel()
	f := withCapacity(t, capacity.Options{PartitionRead: 2, PartitionWrite: 1})
	all := f.operations(t.Context())
	for operation, do := range all {
		other := all["PutItem"]
		switch operation {
		case "PutItem", "UpdateItem", "DeleteItem":
			other = all["GetItem"]
		case "Scan", "TransactWriteItems": // TestThrottledTransactions
			continue
		}
		f.clock.move(time.Hour)
		for err := error(nil); err == nil; err = do() {
		}
		f.wire.reached()
		checkThrottled(t, operation, do())
		checkList(t, operation+": the engine", f.wire.reached())
		for range 5 {
			assert.NoError(t, all["Scan"]())
		}
		assert.NoError(t, other(), "%s: the other direction", operation)
		f.get(t, "b/1")
		f.clock.move(time.Second)
		assert.NoError(t, do(), "%s a second later", operation)
	}
}

// TestAPageIsChargedWhatItTakes checks that the last unit of a partition admits a whole page, whose cost is known only
// after it was read. Other reads are then refused until the partition has paid its debt.
func TestAPageIsChargedWhatItTakes(t *testing.T) {
	t.Parallel()
	f := withCapacity(t, capacity.Options{PartitionRead: 10})
	for i := range 4 {
		f.putItems(t, sized(fmt.Sprint("a/", i), kilobytes(100)))
	}
	for range 9 {
		f.get(t, "a/none")
	}
	checkEqual(t, "items of the page", len(f.query(t, "a", 0)), 4)
	f.clock.move(9*time.Second + 850*time.Millisecond) // 98.5 of the 99 units of debt
	_, err := f.read(t.Context(), f.db, "a/none")
	checkThrottled(t, "before the debt is paid", err)
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
	checkEqual(t, "metered", f.Counts("", "BatchGetItem"), capacity.Counts{Requests: 1, Read: 8})
	_, _, err = f.batchGet(t.Context(), left...)
	checkThrottled(t, "none can be read", err)
	f.clock.move(time.Second)
	found, left, err = f.batchGet(t.Context(), left...)
	assert.True(t, err == nil && len(found) == 4 && len(left) == 0, "later: found %v, left %v, %v", found, left, err)
}

func TestThrottledTransactions(t *testing.T) {
	t.Parallel()
	f := withCapacity(t, capacity.Options{PartitionWrite: 4, PartitionRead: 2})
	ctx := t.Context()
	for range 2 {
		require.NoError(t, f.do(ctx, "", "+hot/1"))
	}
	f.Reset()
	checkCancelled(t, "a hot partition", f.do(ctx, "", "a/1=x", "!hot/2", "+b/1", "-hot/1"), "None", "ThrottlingError", "None", "ThrottlingError")
	checkEqual(t, "it costs nothing", f.Counts("", ""), capacity.Counts{Requests: 1, Throttled: 1})
	checkList(t, "nothing was applied", f.scan(t), "hot/1")
	require.NoError(t, f.transactGet(ctx, "hot/1", "b/1"))
	checkCancelled(t, "a reading transaction", f.transactGet(ctx, "hot/1", "b/1"), "ThrottlingError", "ThrottlingError")
}

// TestUnits checks statements of the Developer Guide about consumed units: "DynamoDB read and write operations", and
// "DynamoDB transactions: how it works", capacity management.
func TestUnits(t *testing.T) {
	t.Parallel()
	f := withCapacity(t, capacity.Options{PartitionRead: 1e6, PartitionWrite: 1e6, Hold: 1})
	f.putItems(t, sized("a/10", kilobytes(10)), sized("b/1.5", kilobytes(1.5)), sized("c/6.5", kilobytes(6.5)),
		keyOf("small/1"), sized("w/put", 3000), sized("w/update", 3000), sized("w/delete", 3000))
	for i := range 10 {
		f.putItems(t, sized(fmt.Sprint("ten/", i), kilobytes(4.08)))
	}
	ctx := t.Context()
	get := func(name string, consistent bool) error {
		in := &dynamodb.GetItemInput{TableName: f.name, Key: keyOf(name), ConsistentRead: &consistent}
		_, err := f.db.GetItem(ctx, in)
		return err
	}
	query := func(pk string, consistent bool) error {
		in := f.queryInput(pk)
		in.ConsistentRead = &consistent
		_, err := f.db.Query(ctx, in)
		return err
	}
	batch := func(names ...string) error { _, _, err := f.batchGet(ctx, names...); return err }
	putIf := func(condition string) error {
		in := &dynamodb.PutItemInput{TableName: f.name, Item: keyOf("w/none"), ConditionExpression: &condition}
		_, err := f.db.PutItem(ctx, in)
		return err
	}
	for _, line := range []struct {
		what          string
		do            func() error
		read, written float64
		failure       string
	}{
		{"10 KB, rounded to 12", func() error { return get("a/10", true) }, 3, 0, "done"},
		{"10 KB, eventually", func() error { return get("a/10", false) }, 1.5, 0, "done"},
		{"no item", func() error { return get("a/none", true) }, 1, 0, "done"},
		{"no item, eventually", func() error { return get("a/none", false) }, 0.5, 0, "done"},
		{"a batch of 1.5 and 6.5 KB", func() error { return batch("b/1.5", "c/6.5") }, 3, 0, "done"},
		{"every key of a batch", func() error { return batch("small/1", "none/1", "none/2") }, 3, 0, "done"},
		{"40.8 KB, rounded to 44", func() error { return query("ten", true) }, 11, 0, "done"},
		{"40.8 KB, eventually", func() error { return query("ten", false) }, 5.5, 0, "done"},
		{"an empty page", func() error { return query("none", true) }, 1, 0, "done"},
		{"a transaction reads twice", func() error { return f.transactGet(ctx, "a/10", "none/1") }, 8, 0, "done"},
		{"a put", func() error { return f.putItem(ctx, "w/new") }, 0, 1, "done"},
		{"a put in the place of 3 KB", func() error { return f.putItem(ctx, "w/put") }, 0, 3, "done"},
		{"an update of 3 KB", func() error { return f.update(ctx, "w/update") }, 0, 3, "done"},
		{"a delete of 3 KB", func() error { return f.remove(ctx, "w/delete") }, 0, 3, "done"},
		{"a delete of nothing", func() error { return f.remove(ctx, "w/none") }, 0, 1, "done"},
		{"no condition holds", func() error { return putIf("PK = SK") }, 0, 1, "ConditionalCheckFailedException"},
		{"a transaction writes twice", func() error { return f.do(ctx, "", "t/1=x", "t/2=x", "u/3=x") }, 0, 6, "done"},
		{"a condition check", func() error { return f.do(ctx, "", "!none/none") }, 0, 2, "done"},
		{"3 KB in a transaction", func() error { return f.do(ctx, "", "+w/update") }, 0, 6, "done"},
		{"a cancelled one", func() error { return f.do(ctx, "", "t/4=x", "!w/put") }, 0, 4, "None ConditionalCheckFailed"},
		{"a wrong read", func() error { return get("", true) }, 0, 0, "ValidationException"},
		{"a wrong write", func() error { return putIf("(") }, 0, 0, "ValidationException"},
		{"a wrong transaction", func() error { return f.do(ctx, "", "+w/1", "+w/1") }, 0, 0, "ValidationException"},
	} {
		f.Reset()
		f.clock.move(time.Second) // earlier holds have ended
		checkEqual(t, line.what, told(line.do()), line.failure)
		c := f.Counts("", "")
		assert.True(t, c.Read == line.read && c.Written == line.written && c.Requests == 1,
			"%s: %+v, want %v read and %v written", line.what, c, line.read, line.written)
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
				f.putItems(t, sized(fmt.Sprint("a/", 2+i), kilobytes(340)))
			}
			for range 20 {
				began := f.clock.Now()
				f.wire.Next(c.operation, faults.Before(func() { f.clock.move(c.engine * time.Millisecond) }))
				err := f.operations(t.Context())[c.operation]()
				took := f.clock.Now().Sub(began)
				inTime := took >= c.atLeast*time.Millisecond && took < (c.below+1)*time.Millisecond
				assert.True(t, err == nil && inTime, "%v, %v", took, err)
				f.clock.move(time.Second) // holds have ended
			}
		})
	}
}
