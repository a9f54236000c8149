package visibility_test

import (
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

// TestParse sends each operation and looks at what is known of it.
func TestParse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx, name := t.Context(), *f.name
	keys := func(names ...string) (all []visibility.Key) {
		for _, n := range names {
			all = append(all, f.key(n))
		}
		return all
	}
	one := func(pk, sk string) visibility.Range { return visibility.Range{Table: name, PK: pk, From: sk, To: sk} }
	query := func(condition string, values ...string) func() {
		return func() {
			v := attributes{":p": str("a")}
			for i, value := range values {
				v[[]string{":x", ":y"}[i]] = str(value)
			}
			_, _ = f.db.Query(ctx, &dynamodb.QueryInput{
				TableName: f.name, KeyConditionExpression: &condition, ExpressionAttributeValues: v, ExpressionAttributeNames: map[string]string{"#p": "PK", "#s": "SK"},
			})
		}
	}
	for _, c := range []struct {
		send func()
		want visibility.Request
	}{
		{func() { f.get(t, "a/1") }, visibility.Request{Operation: "GetItem", Reads: []visibility.Range{one("a", "1")}}},
		{func() { f.batchGet(t, "b/1", "a/2", "a/1") }, visibility.Request{Operation: "BatchGetItem", Reads: []visibility.Range{one("a", "1"), one("a", "2"), one("b", "1")}}},
		{query("PK = :p"), visibility.Request{Operation: "Query", Reads: []visibility.Range{{Table: name, PK: "a"}}}},
		{query("#p = :p AND #s BETWEEN :x AND :y", "1", "2"), visibility.Request{Operation: "Query", Reads: []visibility.Range{{name, "a", "1", "2"}}}},
		{query("begins_with(SK, :x) AND PK = :p", "1"), visibility.Request{Operation: "Query", Reads: []visibility.Range{{name, "a", "1", "1\U0010FFFF"}}}},
		{query("PK = :p AND SK >= :x", "1"), visibility.Request{Operation: "Query", Reads: []visibility.Range{{name, "a", "1", ""}}}},
		{query("PK = :p AND SK < :x", "1"), visibility.Request{Operation: "Query", Reads: []visibility.Range{{name, "a", "", "1"}}}},
		{query("PK = :p AND SK = :x", "1"), visibility.Request{Operation: "Query", Reads: []visibility.Range{one("a", "1")}}},
		{func() { f.scan(t, 0, 1) }, visibility.Request{Operation: "Scan", Reads: []visibility.Range{{Table: name}}}},
		{func() { _, _ = f.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: f.name, Item: item("a/1", "v")}) },
			visibility.Request{Operation: "PutItem", Writes: keys("a/1")}},
		{func() { _, _ = f.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: f.name, Key: keyOf("a/1")}) },
			visibility.Request{Operation: "UpdateItem", Writes: keys("a/1")}},
		{func() { _, _ = f.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: f.name, Key: keyOf("a/1")}) },
			visibility.Request{Operation: "DeleteItem", Writes: keys("a/1")}},
		{func() {
			_, _ = f.db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{name: {
				{PutRequest: &types.PutRequest{Item: item("b/1", "v")}}, {DeleteRequest: &types.DeleteRequest{Key: keyOf("a/1")}},
			}}})
		}, visibility.Request{Operation: "BatchWriteItem", Writes: keys("a/1", "b/1")}},
		{func() { _ = f.do(ctx, "token", "c/1=v", "?a/1", "-b/1", "?a/0") },
			visibility.Request{Operation: "TransactWriteItems", Token: "token", Writes: keys("b/1", "c/1"), Checks: keys("a/0", "a/1")}},
		{func() {
			_, _ = f.db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: f.name, Key: keyOf("a/1")}}}})
		}, visibility.Request{Operation: "TransactGetItems", Reads: []visibility.Range{one("a", "1")}}},
		{func() { _, _ = f.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: f.name}) }, visibility.Request{Operation: "DescribeTable"}},
		{func() {
			_, _ = f.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("absent"), Key: keyOf("a/1")})
		}, visibility.Request{Operation: "GetItem"}},
	} {
		c.send()
		got := f.requests[len(f.requests)-1]
		known := visibility.Request{Operation: got.Operation, Token: got.Token, Reads: got.Reads, Writes: got.Writes, Checks: got.Checks}
		if !reflect.DeepEqual(known, c.want) {
			t.Errorf("got %+v, want %+v", known, c.want)
		}
	}
}
