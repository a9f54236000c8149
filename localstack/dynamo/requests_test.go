package dynamo_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

type attributes = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// keyOf returns the key of "pk/sk".
func keyOf(name string) attributes {
	pk, sk, _ := strings.Cut(name, "/")
	return attributes{"PK": str(pk), "SK": str(sk)}
}

// item returns the item "pk/sk" with the value v.
func item(name, v string) attributes {
	i := keyOf(name)
	i["v"] = str(v)
	return i
}

// sized returns an item of the given size in bytes, as DynamoDB counts it. bytes must be at least the size of the key.
func sized(name string, bytes int) attributes {
	return item(name, strings.Repeat("x", bytes-len(name)-len("PKSKv")+1))
}

// kilobytes converts KB to bytes, rounded down.
func kilobytes(n float64) int { return int(n * 1024) }

// key returns the Key of "pk/sk".
func key(name string) protocol.Key {
	pk, sk, _ := strings.Cut(name, "/")
	return protocol.Key{PK: pk, SK: sk}
}

// show returns an item as "pk/sk=v", or as "pk/sk" if it has no v.
func show(i attributes) string {
	text := func(before, name string) string {
		if v, is := i[name].(*types.AttributeValueMemberS); is {
			return before + v.Value
		}
		return ""
	}
	return text("", "PK") + text("/", "SK") + text("=", "v")
}

func shows(items []attributes) (all []string) {
	for _, i := range items {
		all = append(all, show(i))
	}
	return all
}

// put writes items, each given as "pk/sk=v", without the simulator.
func (f *fixture) put(t *testing.T, items ...string) {
	t.Helper()
	for _, i := range items {
		name, v, _ := strings.Cut(i, "=")
		f.putItems(t, item(name, v))
	}
}

func (f *fixture) putItems(t *testing.T, items ...attributes) {
	t.Helper()
	for _, i := range items {
		_, err := f.direct.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: i})
		require.NoError(t, err)
	}
}

// do executes a transaction with one action for each text: "pk/sk=v" puts an item, "+pk/sk" adds 1 to its n, "-pk/sk"
// deletes it, "?pk/sk" requires that it exists, and "!pk/sk" requires that it does not.
func (f *fixture) do(ctx context.Context, token string, actions ...string) error {
	in := &dynamodb.TransactWriteItemsInput{}
	if token != "" {
		in.ClientRequestToken = &token
	}
	for _, a := range actions {
		in.TransactItems = append(in.TransactItems, f.action(a))
	}
	_, err := f.db.TransactWriteItems(ctx, in)
	return err
}

func (f *fixture) action(a string) types.TransactWriteItem {
	switch a[0] {
	case '-':
		return types.TransactWriteItem{Delete: &types.Delete{TableName: f.name, Key: keyOf(a[1:])}}
	case '+':
		return types.TransactWriteItem{Update: &types.Update{
			TableName: f.name, Key: keyOf(a[1:]), UpdateExpression: aws.String("ADD n :one"),
			ExpressionAttributeValues: attributes{":one": num("1")},
		}}
	case '?', '!':
		condition := map[byte]string{'?': "attribute_exists(PK)", '!': "attribute_not_exists(PK)"}[a[0]]
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: f.name, Key: keyOf(a[1:]), ConditionExpression: &condition}}
	}
	name, v, _ := strings.Cut(a, "=")
	return types.TransactWriteItem{Put: &types.Put{TableName: f.name, Item: item(name, v)}}
}

// commit executes a transaction that must succeed, and returns its Commit.
func (f *fixture) commit(t *testing.T, actions ...string) *visibility.Commit {
	t.Helper()
	require.NoError(t, f.do(t.Context(), "", actions...))
	return f.last()
}

// putItem, update and remove write one item through the simulator.
func (f *fixture) putItem(ctx context.Context, name string) error {
	_, err := f.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: f.name, Item: item(name, "x")})
	return err
}

func (f *fixture) update(ctx context.Context, name string) error {
	_, err := f.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: f.name, Key: keyOf(name)})
	return err
}

func (f *fixture) remove(ctx context.Context, name string) error {
	_, err := f.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: f.name, Key: keyOf(name)})
	return err
}

// operations returns a call of each operation, about the item or the partition a.
func (f *fixture) operations(ctx context.Context) map[string]func() error {
	return map[string]func() error{
		"GetItem":      func() error { _, err := f.read(ctx, f.db, "a/1"); return err },
		"Query":        func() error { _, err := f.db.Query(ctx, f.queryInput("a")); return err },
		"BatchGetItem": func() error { _, _, err := f.batchGet(ctx, "a/1"); return err },
		"Scan": func() error {
			_, err := f.db.Scan(ctx, &dynamodb.ScanInput{TableName: f.name})
			return err
		},
		"PutItem":            func() error { return f.putItem(ctx, "a/1") },
		"UpdateItem":         func() error { return f.update(ctx, "a/1") },
		"DeleteItem":         func() error { return f.remove(ctx, "a/1") },
		"TransactWriteItems": func() error { return f.do(ctx, "", "+a/1") },
	}
}

// read returns an item as show does, or "" if the item does not exist.
func (f *fixture) read(ctx context.Context, db *dynamodb.Client, name string) (string, error) {
	out, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: f.name, Key: keyOf(name), ConsistentRead: aws.Bool(true)})
	if err != nil || out.Item == nil {
		return "", err
	}
	return show(out.Item), nil
}

// get returns an item as read does, through the simulator.
func (f *fixture) get(t *testing.T, name string) string {
	t.Helper()
	got, err := f.read(t.Context(), f.db, name)
	require.NoError(t, err)
	return got
}

// batchGet reads items in one batch. It returns the found items, sorted, and the unprocessed keys.
func (f *fixture) batchGet(ctx context.Context, names ...string) (found, left []string, err error) {
	asked := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, name := range names {
		asked.Keys = append(asked.Keys, keyOf(name))
	}
	out, err := f.db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*f.name: asked}})
	if err != nil {
		return nil, nil, err
	}
	return slices.Sorted(slices.Values(shows(out.Responses[*f.name]))), shows(out.UnprocessedKeys[*f.name].Keys), nil
}

func (f *fixture) transactGet(ctx context.Context, names ...string) error {
	in := &dynamodb.TransactGetItemsInput{}
	for _, name := range names {
		in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: f.name, Key: keyOf(name)}})
	}
	_, err := f.db.TransactGetItems(ctx, in)
	return err
}

func (f *fixture) queryInput(pk string) *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		TableName: f.name, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :p"), ExpressionAttributeValues: attributes{":p": str(pk)},
	}
}

// query returns all items of a partition, or of the range that change sets, in pages of limit items (0: no limit).
func (f *fixture) query(t *testing.T, pk string, limit int32, change ...func(*dynamodb.QueryInput)) (all []string) {
	t.Helper()
	in := f.queryInput(pk)
	if limit > 0 {
		in.Limit = &limit
	}
	for _, c := range change {
		c(in)
	}
	for pages := dynamodb.NewQueryPaginator(f.db, in); pages.HasMorePages(); {
		out, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		all = append(all, shows(out.Items)...)
	}
	return all
}

// between restricts a query to the items from one sort key to another.
func between(from, to string) func(*dynamodb.QueryInput) {
	return func(in *dynamodb.QueryInput) {
		in.KeyConditionExpression = aws.String("PK = :p AND SK BETWEEN :from AND :to")
		in.ExpressionAttributeValues[":from"], in.ExpressionAttributeValues[":to"] = str(from), str(to)
	}
}

// scan returns all items of the table, sorted, without the simulator.
func (f *fixture) scan(t *testing.T) (all []string) {
	t.Helper()
	out, err := f.direct.Scan(t.Context(), &dynamodb.ScanInput{TableName: f.name, ConsistentRead: aws.Bool(true)})
	require.NoError(t, err)
	return slices.Sorted(slices.Values(shows(out.Items)))
}

// told returns how the client's only attempt has ended: "done", an exception's code, or a cancellation's reasons.
func told(err error) string {
	var cancelled *types.TransactionCanceledException
	var api smithy.APIError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &cancelled):
		var codes []string
		for _, r := range cancelled.CancellationReasons {
			codes = append(codes, aws.ToString(r.Code))
		}
		return strings.Join(codes, " ")
	case errors.As(err, &api) && api.ErrorCode() != "":
		return api.ErrorCode()
	}
	return err.Error()
}

func checkEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	assert.True(t, got == want, "%s: got %v, want %v", what, got, want)
}

func checkList[T comparable](t *testing.T, what string, got []T, want ...T) {
	t.Helper()
	assert.True(t, slices.Equal(got, want), "%s: got %v, want %v", what, got, want)
}
