package storetest

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// Row is one item of a table. Its methods bypass the store and the wire, so that tests can make changes that no
// operation of the store makes. A test that writes a row must itself check the invariants (see KeepInvariants).
type Row struct {
	table *Table
	key   map[string]types.AttributeValue
}

// At names a row.
func (t *Table) At(pk, sk string) Row {
	return Row{t, map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: sk},
	}}
}

// Address returns the row with the record of an e-mail address.
func (t *Table) Address(email string) Row { return t.At("EMAIL#"+email[:3], email) }

// Gate returns the row of an open show's gate (counter of entries). If the show has several gates, it is any one of
// them. Gate searches the table, so that tests need not compute the packed key of a gate.
func (t *Table) Gate(tb testing.TB, show game.Show) Row {
	tb.Helper()
	for _, av := range t.Scan(tb) {
		if k, err := table.Unmarshal[table.Key](av); err == nil && records.IsGateOf(*k, show.ID) {
			return Row{t, k.Attributes()}
		}
	}
	tb.Fatalf("the show %s has no gate", show.ID)
	return Row{}
}

// Result returns the first row, by key, of a show's results whose sort key begins with the kind: SHEET, PAGE or CLAIM.
// Result searches the table, because the partition keys are random.
func (t *Table) Result(tb testing.TB, show game.Show, kind string) Row {
	tb.Helper()
	for _, row := range slices.Sorted(maps.Keys(t.Rows(tb))) {
		if pk, sk, _ := strings.Cut(row, " "); strings.HasPrefix(pk, "SHOW#"+string(show.ID)+"#R#") && strings.HasPrefix(sk, kind) {
			return t.At(pk, sk)
		}
	}
	tb.Fatalf("the show %s has no results of the kind %s", show.ID, kind)
	return Row{}
}

// Read returns the row's attributes, or nil if the row does not exist.
func (r Row) Read(tb testing.TB) map[string]types.AttributeValue {
	tb.Helper()
	out, err := direct.GetItem(tb.Context(), &dynamodb.GetItemInput{TableName: &r.table.Name, Key: r.key, ConsistentRead: aws.Bool(true)})
	require.NoError(tb, err)
	return out.Item
}

// Key returns the row's key in the form of Rows and Changed, "PK SK".
func (r Row) Key() string {
	return r.key["PK"].(*types.AttributeValueMemberS).Value + " " + r.key["SK"].(*types.AttributeValueMemberS).Value
}

// Edit changes the row with an update expression and its values. It creates the row if the row is missing.
func (r Row) Edit(tb testing.TB, expression string, values map[string]any) {
	tb.Helper()
	r.table.Edited()
	in := &dynamodb.UpdateItemInput{TableName: &r.table.Name, Key: r.key, UpdateExpression: &expression}
	if len(values) > 0 {
		av, err := attributevalue.MarshalMap(values)
		require.NoError(tb, err)
		in.ExpressionAttributeValues = av
	}
	_, err := direct.UpdateItem(tb.Context(), in)
	require.NoError(tb, err)
}

// Restore writes the attributes that Read has returned. If they are nil, it deletes the row.
func (r Row) Restore(tb testing.TB, attributes map[string]types.AttributeValue) {
	tb.Helper()
	if len(attributes) == 0 {
		r.Delete(tb)
		return
	}
	r.table.Edited()
	_, err := direct.PutItem(tb.Context(), &dynamodb.PutItemInput{TableName: &r.table.Name, Item: attributes})
	require.NoError(tb, err)
}

// Delete removes the row.
func (r Row) Delete(tb testing.TB) {
	tb.Helper()
	r.table.Edited()
	_, err := direct.DeleteItem(tb.Context(), &dynamodb.DeleteItemInput{TableName: &r.table.Name, Key: r.key})
	require.NoError(tb, err)
}

// Edited records that the test has written rows without the store (see KeepInvariants).
func (t *Table) Edited() { t.edited.Store(true) }

// Scan returns all rows of the table.
func (t *Table) Scan(tb testing.TB) []map[string]types.AttributeValue {
	tb.Helper()
	rows, err := engine.Rows(context.WithoutCancel(tb.Context()), direct, t.Name) // also after the end of the test
	require.NoError(tb, err)
	return rows
}
