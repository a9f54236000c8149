package storetest

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
)

// ErrHeld is the error that a call of the store returns if Hold has kept its transaction back.
var ErrHeld = errors.New("storetest: the transaction is held back")

// Held is a transaction that Hold has kept from the engine. DynamoDB applies a transaction item by item, so readers may
// see a part of it. Engines apply it at once. With a Held, a test applies the items in any order, and reads between.
type Held struct{ Items []types.TransactWriteItem }

// Hold keeps the next transaction from the engine. The call that wanted it fails with ErrHeld.
func (w *Wire) Hold() *Held {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = &Held{}
	return w.held
}

func (w *Wire) hold(parameters any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	in, ok := parameters.(*dynamodb.TransactWriteItemsInput)
	if !ok || w.held == nil {
		return nil
	}
	w.held.Items, w.held = in.TransactItems, nil
	return ErrHeld
}

// Take removes and returns the items for whose keys accept returns true.
func (h *Held) Take(accept func(pk, sk string) bool) []types.TransactWriteItem {
	var taken, left []types.TransactWriteItem
	for _, item := range h.Items {
		if accept(keyOf(item)) {
			taken = append(taken, item)
		} else {
			left = append(left, item)
		}
	}
	h.Items = left
	return taken
}

func keyOf(item types.TransactWriteItem) (pk, sk string) {
	names, _ := attributesOf(item)
	return names["PK"].(*types.AttributeValueMemberS).Value, names["SK"].(*types.AttributeValueMemberS).Value
}

// attributesOf returns the attributes that identify an item of a transaction, and the values of its expressions.
func attributesOf(item types.TransactWriteItem) (names, values map[string]types.AttributeValue) {
	switch {
	case item.Put != nil:
		return item.Put.Item, item.Put.ExpressionAttributeValues
	case item.Update != nil:
		return item.Update.Key, item.Update.ExpressionAttributeValues
	case item.Delete != nil:
		return item.Delete.Key, item.Delete.ExpressionAttributeValues
	}
	return item.ConditionCheck.Key, item.ConditionCheck.ExpressionAttributeValues
}

// Apply writes items of a held transaction to the table, past the wire.
func (t *Table) Apply(tb testing.TB, items []types.TransactWriteItem) {
	tb.Helper()
	require.True(tb, len(items) != 0, "no items to apply")
	t.Edited()
	_, err := direct.TransactWriteItems(tb.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: items})
	require.NoError(tb, err)
}
