package table

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// ErrRefused means that the condition of a plain write failed, maybe because of an earlier attempt of the write.
var ErrRefused = errors.New("the condition of the write failed")

// Put, Update and Delete write one item without a transaction, at half its cost. If an answer is lost, the SDK repeats
// the write, which may then be applied twice, or be refused because of its first attempt. So they are for writes that
// may happen twice.

// Put writes a whole item. It returns ErrRefused if the condition fails.
func (t *Table) Put(ctx context.Context, item any, c Condition) error {
	ctx, cancel := t.withPatience(ctx)
	defer cancel()
	av, err := Marshal(item)
	if err != nil {
		return err
	}
	_, err = t.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &t.name, Item: av, ConditionExpression: optional(c.text), ExpressionAttributeValues: c.values,
	})
	return plain("put", err)
}

// Update updates an item, or creates one if the condition allows it. It returns ErrRefused if the condition fails.
func (t *Table) Update(ctx context.Context, k Key, change Change, c Condition) error {
	ctx, cancel := t.withPatience(ctx)
	defer cancel()
	_, err := t.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: k.Attributes(), UpdateExpression: aws.String(change.expression()),
		ConditionExpression: optional(c.text), ExpressionAttributeValues: merged(change.values, c.values),
	})
	return plain("update "+k.kind(), err)
}

// Delete deletes an item if it meets the condition. there is false if the item did not exist or did not meet the
// condition, also if an earlier attempt of the call deleted it.
func (t *Table) Delete(ctx context.Context, k Key, c Condition) (there bool, err error) {
	ctx, cancel := t.withPatience(ctx)
	defer cancel()
	out, err := t.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &t.name, Key: k.Attributes(), ConditionExpression: optional(c.text), ExpressionAttributeValues: c.values,
		ReturnValues: types.ReturnValueAllOld,
	})
	if err = plain("delete "+k.kind(), err); err != nil {
		if errors.Is(err, ErrRefused) {
			err = nil
		}
		return false, err
	}
	return len(out.Attributes) > 0, nil
}

func plain(what string, err error) error {
	if errors.As(err, new(*types.ConditionalCheckFailedException)) {
		return ErrRefused
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
