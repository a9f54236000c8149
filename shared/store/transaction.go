package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// transactionItems is DynamoDB's limit of the items of a transaction.
const transactionItems = 100

// transaction is a TransactWriteItems under construction: at most 100 items and 4 MB, and no item twice. An item costs
// twice the WCU of a plain write. If the condition of item i fails, commit returns failure[i].
//
// Every write that must happen once is a transaction, even a write of one item. Its token makes a repetition safe after
// a lost answer. The SDK's repetition of a plain update could apply it twice. The repetition of a conditional put could
// fail because of the first attempt.
type transaction struct {
	table   string
	items   []types.TransactWriteItem
	failure []error // what a failed condition of items[i] means
	err     error   // of items that could not be marshalled

	// mostConflicts is how many conflicts commit tolerates before it returns errConflict; 0 means until the deadline.
	mostConflicts int

	doubt bool // commit has failed, but the transaction may have been applied, or may still be
}

var (
	// errStale means that a record has changed between the read and the write. decide then tries again.
	errStale = errors.New("changed since it was read")
	// errConflict means that other transactions kept the items busy, or throttling did (see getSettled).
	errConflict = errors.New("transaction conflict")
)

func (s *Store) begin() *transaction { return &transaction{table: s.table} }

// absent is the condition that the item does not exist yet.
const absent = "attribute_not_exists(PK)"

// asRead returns the condition that a number of the item is as read, and adds its value to values. 0 means that the
// item does not have the number.
func asRead[N ~int64](values attributes, name string, value N) string {
	if value == 0 {
		return "attribute_not_exists(" + name + ")"
	}
	values[":"+name+"Seen"] = number(value)
	return name + " = :" + name + "Seen"
}

// put adds a write of a whole item, under a condition if that is not empty.
func (t *transaction) put(item any, condition string, values attributes, failure error) {
	av, err := marshal(item)
	if err != nil {
		t.err = errors.Join(t.err, err)
		return
	}
	t.add(types.TransactWriteItem{Put: &types.Put{
		TableName: &t.table, Item: av, ConditionExpression: optional(condition), ExpressionAttributeValues: anyOf(values),
	}}, failure)
}

// create adds a write of an item that must not exist yet.
func (t *transaction) create(item any, failure error) { t.put(item, absent, nil, failure) }

func (t *transaction) update(k key, expression, condition string, values attributes, failure error) {
	t.add(types.TransactWriteItem{Update: &types.Update{
		TableName: &t.table, Key: k.attributes(), UpdateExpression: &expression,
		ConditionExpression: optional(condition), ExpressionAttributeValues: anyOf(values),
	}}, failure)
}

func (t *transaction) check(k key, condition string, values attributes, failure error) {
	t.add(types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &t.table, Key: k.attributes(), ConditionExpression: &condition, ExpressionAttributeValues: anyOf(values),
	}}, failure)
}

// delete adds the deletion of an item under a condition.
func (t *transaction) delete(k key, condition string, values attributes, failure error) {
	t.add(types.TransactWriteItem{Delete: &types.Delete{
		TableName: &t.table, Key: k.attributes(), ConditionExpression: &condition, ExpressionAttributeValues: anyOf(values),
	}}, failure)
}

// remove adds the deletion of an item, if it exists.
func (t *transaction) remove(k key) {
	t.add(types.TransactWriteItem{Delete: &types.Delete{TableName: &t.table, Key: k.attributes()}}, nil)
}

func (t *transaction) add(item types.TransactWriteItem, failure error) {
	t.items = append(t.items, item)
	t.failure = append(t.failure, failure)
}

// commit applies all of the transaction or nothing. It returns nil if it was applied, even if an earlier answer was
// lost. It returns the joined errors of all failed conditions, errConflict after t.mostConflicts conflicts, and any
// other error for a fault. If an attempt was lost before the error, even before a refusal, the transaction may have
// been applied, or may still be. Then t.doubt is true. Callers that try again recognise their own writes by an id.
func (s *Store) commit(ctx context.Context, t *transaction) (err error) {
	if t.err != nil {
		return t.err
	}
	// watchAttempts records how each attempt ends. While an earlier attempt is in doubt, it makes the SDK repeat the
	// next one within its call. So if the SDK's call returns a conflict, no attempt is in doubt, and the next call may
	// have a new token.
	a := &attempts{mostConflicts: t.mostConflicts}
	ctx = context.WithValue(ctx, attemptsKey{}, a)
	defer func() { t.doubt = err != nil && a.doubt }()
	for attempt := 1; ; attempt++ {
		token := rand.Text() // after a cancellation a new one: DynamoDB does not document whether the old is usable
		_, err := s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: t.items, ClientRequestToken: &token})
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
			return errConflict
		case a.doubt:
			return fmt.Errorf("transaction in doubt: %w", err)
		}
		if err := s.backoff(ctx, attempt); err != nil {
			return fmt.Errorf("transaction in conflict: %w", err)
		}
	}
}

// outcome returns the errors of failed conditions and faults among the reasons of a cancellation. Both are nil if all
// reasons are passing. It uses their codes, never their texts.
func (t *transaction) outcome(cancelled *types.TransactionCanceledException) (refused, fault error) {
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

// anyOf returns the values of an expression, or nil instead of an empty map, which DynamoDB refuses.
func anyOf(values attributes) attributes {
	if len(values) == 0 {
		return nil
	}
	return values
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func str(s string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: s} }
func boolean(b bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: b} }

func number[N ~int | ~int32 | ~int64](n N) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(int64(n), 10)}
}
