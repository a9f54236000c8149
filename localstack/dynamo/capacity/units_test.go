package capacity_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

// TestUnits goes through what the Developer Guide says of consumption, line by line: "DynamoDB read and write
// operations", and "DynamoDB transactions: how it works", capacity management.
func TestUnits(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{})
	f.put(t, sized("a", "3.5", kilobytes(3.5)), sized("a", "8", kilobytes(8)), sized("a", "10", kilobytes(10)),
		sized("b", "1.5", kilobytes(1.5)), sized("c", "6.5", kilobytes(6.5)), keyOf("small", "1"), keyOf("small", "2"))
	for i := range 10 {
		f.put(t, sized("ten", fmt.Sprint(i), kilobytes(4.08)))
	}
	get := func(sk string, consistent bool) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := f.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: f.name, Key: keyOf("a", sk), ConsistentRead: &consistent})
			return err
		}
	}
	query := func(pk string, change func(*dynamodb.QueryInput)) func(context.Context) error {
		return func(ctx context.Context) error {
			in := &dynamodb.QueryInput{
				TableName: f.name, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :p"),
				ExpressionAttributeValues: attributes{":p": str(pk)},
			}
			change(in)
			_, err := f.db.Query(ctx, in)
			return err
		}
	}
	asIs := func(*dynamodb.QueryInput) {}
	batch := func(keys ...string) func(context.Context) error {
		return func(ctx context.Context) error { _, err := f.batchGet(ctx, keys...); return err }
	}
	transactGet := func(keys ...string) func(context.Context) error {
		return func(ctx context.Context) error {
			in := &dynamodb.TransactGetItemsInput{}
			for _, k := range split(keys) {
				in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: f.name, Key: k}})
			}
			_, err := f.db.TransactGetItems(ctx, in)
			return err
		}
	}
	for _, line := range []struct {
		what string
		do   func(context.Context) error
		want float64
	}{
		{"a strongly consistent read of 3.5 KB, rounded to 4", get("3.5", true), 1},
		{"an eventually consistent one", get("3.5", false), 0.5},
		{"8 KB", get("8", true), 2},
		{"8 KB, eventually", get("8", false), 1},
		{"10 KB, rounded to 12", get("10", true), 3},
		{"an item that is not there", get("none", true), 1},
		{"an item that is not there, eventually", get("none", false), 0.5},
		{"a batch of 1.5 and 6.5 KB is 12", batch("b/1.5", "c/6.5"), 3},
		{"a batch in one partition", batch("a/3.5", "a/8"), 3},
		{"every key of a batch is one at least", batch("small/1", "small/2", "none/1", "none/2"), 4},
		{"a query: ten items of together 40.8 KB, rounded to 44", query("ten", asIs), 11},
		{"a query that projects", query("ten", func(q *dynamodb.QueryInput) { q.ProjectionExpression = aws.String("SK") }), 11},
		{"a query that filters", query("ten", func(q *dynamodb.QueryInput) { q.FilterExpression = aws.String("attribute_not_exists(v)") }), 11},
		{"a query that counts", query("ten", func(q *dynamodb.QueryInput) { q.Select = types.SelectCount }), 11},
		{"a query, eventually", query("ten", func(q *dynamodb.QueryInput) { q.ConsistentRead = nil }), 5.5},
		{"a query that finds nothing", query("none", asIs), 1},
		{"a transaction reads twice", transactGet("small/1"), 2},
		{"8 KB in a transaction", transactGet("a/8"), 4},
		{"a transaction of several", transactGet("a/8", "small/1", "none/1"), 8},
	} {
		f.checkUnits(t, line.what, line.do, "", line.want, 0)
	}
}

// checkUnits compares what is metered for one operation, which fails with the given error if that is not "".
func (f *fixture) checkUnits(t *testing.T, what string, do func(context.Context) error, failure string, read, written float64) {
	t.Helper()
	f.Reset()
	if err := do(t.Context()); (err == nil) != (failure == "") || err != nil && !strings.Contains(err.Error(), failure) {
		t.Errorf("%s: %v", what, err)
	}
	if total := f.Snapshot().Total(); total.Read != read || total.Written != written || total.Requests != 1 {
		t.Errorf("%s: %+v, want %v read and %v written", what, total, read, written)
	}
}

func TestUnitsOfWrites(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{})
	for _, sk := range []string{"replace", "update", "delete", "condition", "checked", "transacted"} {
		f.put(t, sized("a", sk, 3000))
	}
	put := func(item attributes, condition string) func(context.Context) error {
		return func(ctx context.Context) error {
			in := &dynamodb.PutItemInput{TableName: f.name, Item: item}
			if condition != "" {
				in.ConditionExpression = &condition
				in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
			}
			_, err := f.db.PutItem(ctx, in)
			return err
		}
	}
	update := func(pk, sk, condition string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := f.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: f.name, Key: keyOf(pk, sk), UpdateExpression: aws.String("SET x = :x"),
				ExpressionAttributeValues: attributes{":x": str("x")}, ConditionExpression: &condition,
			})
			return err
		}
	}
	remove := func(sk string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := f.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: f.name, Key: keyOf("a", sk)})
			return err
		}
	}
	batch := func(ctx context.Context) error {
		_, err := f.db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*f.name: {
			{PutRequest: &types.PutRequest{Item: sized("b", "1", 500)}}, {PutRequest: &types.PutRequest{Item: sized("c", "1", kilobytes(3.5))}},
		}}})
		return err
	}
	transact := func(items ...types.TransactWriteItem) func(context.Context) error {
		return func(ctx context.Context) error { return f.transact(ctx, "", items...) }
	}
	three := transact(f.putting(sized("t", "1", 500)), f.putting(sized("t", "2", 500)), f.putting(sized("u", "3", 500)))
	failing := f.checking("a", "checked", absent)
	shown := f.checking("a", "checked", absent)
	shown.ConditionCheck.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	for _, line := range []struct {
		what    string
		do      func(context.Context) error
		failure string
		want    float64
	}{
		{"500 bytes, rounded to 1 KB", put(sized("a", "new", 500), ""), "", 1},
		{"1.6 KB, rounded to 2", put(sized("a", "new2", kilobytes(1.6)), ""), "", 2},
		{"a put in the place of a larger item", put(sized("a", "replace", 500), ""), "", 3},
		{"an update counts the whole item", update("a", "update", present), "", 3},
		{"a delete counts the item", remove("delete"), "", 3},
		{"a delete of nothing", remove("none"), "", 1},
		{"a batch of 500 bytes and 3.5 KB is 5", batch, "", 5},
		{"a condition that fails, without an item", update("a", "none", present), "ConditionalCheckFailed", 1},
		{"one that fails for an item", put(sized("a", "condition", 500), absent), "ConditionalCheckFailed", 3},
		{"one that fails for a larger item than there is", put(sized("a", "new", 5000), absent), "ConditionalCheckFailed", 5},
		{"a transaction of three items of 500 bytes", three, "", 6},
		{"a condition check", transact(f.checking("none", "none", absent)), "", 2},
		{"an update of a larger item", transact(f.updating("a", "transacted")), "", 6},
		{"a delete of a larger item", transact(f.deleting("a", "transacted")), "", 6},
		{"a transaction that is cancelled", transact(f.putting(sized("t", "4", 1500)), failing), "TransactionCanceled", 6},
		{"one whose answer shows the item in the way", transact(f.putting(sized("t", "5", 1500)), shown), "TransactionCanceled", 10},
	} {
		f.checkUnits(t, line.what, line.do, line.failure, 0, line.want)
	}
}

// A request that is wrong costs nothing.
func TestUnitsOfErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionRead: 1, PartitionWrite: 1, Hold: 1})
	f.checkUnits(t, "a read", func(ctx context.Context) error {
		_, err := f.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: f.name, Key: keyOf("a", "1"), ProjectionExpression: aws.String("(")})
		return err
	}, "ValidationException", 0, 0)
	f.checkUnits(t, "a write", func(ctx context.Context) error {
		_, err := f.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: f.name, Item: keyOf("a", "1"), ConditionExpression: aws.String("(")})
		return err
	}, "ValidationException", 0, 0)
	f.checkUnits(t, "a transaction", func(ctx context.Context) error {
		return f.transact(ctx, "", f.updating("a", "1"), f.updating("a", "1"))
	}, "ValidationException", 0, 0)
	f.checkUnits(t, "afterwards, there is room for a read", func(ctx context.Context) error { return f.get(ctx, "a", "1") }, "", 1, 0)
	f.checkUnits(t, "and for a write", func(ctx context.Context) error { return f.transact(ctx, "", f.updating("a", "1")) }, "", 0, 2)
}
