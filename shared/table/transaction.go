package table

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TransactionItems is DynamoDB's limit of the items of a transaction.
const TransactionItems = 100

// Transaction is a TransactWriteItems under construction: at most 100 items and 4 MB, and no item twice. An item costs
// twice the WCU of a plain write. Each condition has an error, which Commit returns if the condition fails.
//
// Every write that must happen once is a transaction, even a write of one item. Its token makes a repetition safe after
// a lost answer. The SDK's repetition of a plain update could apply it twice. The repetition of a conditional put could
// fail because of the first attempt.
type Transaction struct {
	table   *Table
	items   []types.TransactWriteItem
	failure []error // what a failed condition of items[i] means
	err     error   // of items that could not be marshalled

	// MostConflicts is how many conflicts Commit tolerates before it returns ErrHeld; 0 means until the deadline.
	MostConflicts int

	doubt bool
}

// Begin returns an empty transaction.
func (t *Table) Begin() *Transaction { return &Transaction{table: t} }

// Len returns the number of items.
func (t *Transaction) Len() int { return len(t.items) }

// InDoubt reports whether Commit has failed, but the transaction may have been applied, or may still be.
func (t *Transaction) InDoubt() bool { return t.doubt }

// Put adds a write of a whole item.
func (t *Transaction) Put(item any, c Condition, failure error) {
	av, err := Marshal(item)
	if err != nil {
		t.err = errors.Join(t.err, err)
		return
	}
	t.add(types.TransactWriteItem{Put: &types.Put{
		TableName: &t.table.name, Item: av, ConditionExpression: optional(c.text), ExpressionAttributeValues: c.values,
	}}, failure)
}

// Create adds a write of an item that must not exist yet.
func (t *Transaction) Create(item any, failure error) { t.Put(item, Absent, failure) }

// Replace adds a write of an item, whatever is there.
func (t *Transaction) Replace(item any) { t.Put(item, Condition{}, nil) }

// Update adds a change of an item.
func (t *Transaction) Update(k Key, change Change, c Condition, failure error) {
	t.add(types.TransactWriteItem{Update: &types.Update{
		TableName: &t.table.name, Key: k.Attributes(), UpdateExpression: aws.String(change.expression()),
		ConditionExpression: optional(c.text), ExpressionAttributeValues: merged(change.values, c.values),
	}}, failure)
}

// Check adds a condition on an item that the transaction does not write.
func (t *Transaction) Check(k Key, c Condition, failure error) {
	t.add(types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &t.table.name, Key: k.Attributes(), ConditionExpression: &c.text, ExpressionAttributeValues: c.values,
	}}, failure)
}

// Delete adds the deletion of an item under a condition.
func (t *Transaction) Delete(k Key, c Condition, failure error) {
	t.add(types.TransactWriteItem{Delete: &types.Delete{
		TableName: &t.table.name, Key: k.Attributes(), ConditionExpression: optional(c.text), ExpressionAttributeValues: c.values,
	}}, failure)
}

// Remove adds the deletion of an item, if it exists.
func (t *Transaction) Remove(k Key) { t.Delete(k, Condition{}, nil) }

func (t *Transaction) add(item types.TransactWriteItem, failure error) {
	t.items = append(t.items, item)
	t.failure = append(t.failure, failure)
}

// Commit applies all of the transaction or nothing. It returns nil if it was applied, even if an earlier answer was
// lost. It returns the joined errors of all failed conditions, ErrHeld after t.MostConflicts conflicts, and any
// other error for a fault. If an attempt was lost before the error, even before a refusal, the transaction may have
// been applied, or may still be (InDoubt). Callers that try again recognise their own writes by an id.
func (t *Transaction) Commit(ctx context.Context) (err error) {
	if t.err != nil {
		return t.err
	}
	// watchAttempts records how each attempt ends. While an earlier attempt is in doubt, it makes the SDK repeat the
	// next one within its call. So if the SDK's call returns a conflict, no attempt is in doubt, and the next call may
	// have a new token.
	a := &attempts{mostConflicts: t.MostConflicts}
	ctx = context.WithValue(ctx, attemptsKey{}, a)
	defer func() { t.doubt = err != nil && a.doubt }()
	for attempt := 1; ; attempt++ {
		token := rand.Text() // after a cancellation a new one: DynamoDB does not document whether the old is usable
		_, err := t.table.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: t.items, ClientRequestToken: &token})
		var cancelled *types.TransactionCanceledException
		if !errors.As(err, &cancelled) {
			if err != nil {
				return fmt.Errorf("transaction: %w", err)
			}
			return nil
		}
		refused, fault := t.outcome(cancelled)
		switch {
		case fault != nil:
			return fault
		case refused != nil:
			return refused
		case a.exhausted():
			return ErrHeld
		case a.doubt:
			return fmt.Errorf("transaction in doubt: %w", err)
		}
		if err := t.table.Backoff(ctx, attempt); err != nil {
			return fmt.Errorf("transaction in conflict: %w", err)
		}
	}
}

// outcome returns the errors of failed conditions and faults among the reasons of a cancellation. Both are nil if all
// reasons are passing. It uses their codes, never their texts.
func (t *Transaction) outcome(cancelled *types.TransactionCanceledException) (refused, fault error) {
	for i, reason := range cancelled.CancellationReasons {
		switch code := aws.ToString(reason.Code); {
		case passes(reason):
		case code == "ConditionalCheckFailed":
			if i < len(t.failure) {
				refused = errors.Join(refused, t.failure[i])
			}
		default:
			fault = errors.Join(fault, fmt.Errorf("transaction cancelled: item %d: %s", i, code))
		}
	}
	return refused, fault
}

// codeConflict is the reason for an item that another transaction holds.
const codeConflict = "TransactionConflict"

// passes reports whether an item was no reason to cancel, or a passing reason: another transaction, or throttling.
func passes(reason types.CancellationReason) bool {
	switch aws.ToString(reason.Code) {
	case "None", codeConflict, "ThrottlingError", "ProvisionedThroughputExceeded":
		return true
	}
	return false
}
