package capacity_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

// held are the items of a transaction that is under way.
func (f *fixture) held() []types.TransactWriteItem {
	return []types.TransactWriteItem{
		f.updating("a", "updated"), f.putting(keyOf("a", "put")), f.deleting("a", "deleted"), f.checking("a", "checked", absent),
	}
}

// underWay begins the transaction of the held items, which is with the engine until finish is called.
func (f *fixture) underWay(t *testing.T, token string) (finish func() error) {
	t.Helper()
	stopped, done := f.wire.stopNext("TransactWriteItems"), make(chan error, 1)
	go func() {
		done <- f.transact(context.WithoutCancel(t.Context()), token, f.held()...)
	}()
	select {
	case <-stopped.reached:
	case err := <-done:
		t.Fatal(err)
	}
	return func() error {
		close(stopped.on)
		return <-done
	}
}

var heldItems = []string{"updated", "put", "deleted", "checked"}

// TestConflicts goes through what the Developer Guide says of them: "DynamoDB transactions: how it works", conflict
// handling.
func TestConflicts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{Hold: 12 * time.Millisecond})
	finish := f.underWay(t, "")
	for _, sk := range heldItems {
		err := f.transact(t.Context(), "", f.updating("b", "1"), f.updating("a", sk))
		checkCancelled(t, "a transaction that updates "+sk, err, "None", "TransactionConflict")
		err = f.transact(t.Context(), "", f.checking("a", sk, absent), f.putting(keyOf("b", "1")))
		checkCancelled(t, "one that checks "+sk, err, "TransactionConflict", "None")
	}
	if c := f.Snapshot().Total(); c.Conflicts != 8 || c.Written != 8*4 {
		t.Errorf("a cancelled transaction costs what its items cost: %+v", c)
	}
	if err := f.transact(t.Context(), "", f.updating("a", "another"), f.updating("b", "1")); err != nil {
		t.Errorf("other items of the partition, and those of a cancelled transaction: %v", err)
	}
	f.checkPlainWritesConflict(t)
	f.checkReadsDoNot(t)
	if err := finish(); err != nil {
		t.Error(err)
	}
	if err := f.transact(t.Context(), "", f.updating("a", "updated")); err != nil {
		t.Errorf("once the client has its answer: %v", err)
	}
}

func (f *fixture) checkPlainWritesConflict(t *testing.T) {
	t.Helper()
	for _, sk := range heldItems {
		_, put := f.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: keyOf("a", sk)})
		_, update := f.db.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: f.name, Key: keyOf("a", sk)})
		_, remove := f.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: f.name, Key: keyOf("a", sk)})
		for _, err := range []error{put, update, remove} {
			if conflict := (*types.TransactionConflictException)(nil); !errors.As(err, &conflict) || aws.ToString(conflict.Message) == "" {
				t.Errorf("a plain write of %s: %v", sk, err)
			}
		}
	}
	batch, err := f.db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*f.name: {
		{DeleteRequest: &types.DeleteRequest{Key: keyOf("a", "put")}}, {PutRequest: &types.PutRequest{Item: keyOf("b", "2")}},
	}}})
	if err != nil || len(batch.UnprocessedItems[*f.name]) != 1 || batch.UnprocessedItems[*f.name][0].DeleteRequest == nil {
		t.Errorf("a batch leaves a held item unprocessed: %v %v", batch.UnprocessedItems, err)
	}
	batch, err = f.db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*f.name: {
		{DeleteRequest: &types.DeleteRequest{Key: keyOf("a", "put")}},
	}}})
	if err != nil || len(batch.UnprocessedItems[*f.name]) != 1 {
		t.Errorf("a batch of held items alone: %v %v", batch.UnprocessedItems, err)
	}
}

func (f *fixture) checkReadsDoNot(t *testing.T) {
	t.Helper()
	_, query := f.query(t.Context(), "a")
	_, scan := f.db.Scan(t.Context(), &dynamodb.ScanInput{TableName: f.name})
	batch, err := f.batchGet(t.Context(), "a/updated", "a/put", "a/checked")
	if err := errors.Join(f.get(t.Context(), "a", "updated"), query, scan, err); err != nil || len(batch.UnprocessedKeys) > 0 {
		t.Errorf("reads: %v, unprocessed %v", err, batch.UnprocessedKeys)
	}
	_, err = f.db.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: f.name, Key: keyOf("b", "1")}}, {Get: &types.Get{TableName: f.name, Key: keyOf("a", "checked")}},
	}})
	checkCancelled(t, "but those in a transaction", err, "None", "TransactionConflict")
}

func TestNoHoldNoConflicts(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{})
	finish := f.underWay(t, rand.Text())
	if err := f.transact(t.Context(), "", f.updating("a", "updated")); err != nil {
		t.Error(err)
	}
	if err := finish(); err != nil {
		t.Error(err)
	}
}

// A conflict and throttling can be told of one transaction.
func TestConflictBesideThrottling(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{Hold: time.Millisecond, PartitionWrite: 9})
	finish := f.underWay(t, "")
	for range 5 {
		if err := f.transact(t.Context(), "", f.updating("hot", "1")); err != nil {
			t.Fatal(err)
		}
	}
	f.clock.move(-time.Hour) // nothing is refilled
	err := f.transact(t.Context(), "", f.updating("hot", "2"), f.updating("b", "1"), f.updating("a", "put"))
	checkCancelled(t, "both", err, "ThrottlingError", "None", "TransactionConflict")
	if err := finish(); err != nil {
		t.Error(err)
	}
}

// The token says which transaction it is (API Reference, TransactWriteItems, ClientRequestToken).
func TestClientRequestToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{Hold: 12 * time.Millisecond})
	token := rand.Text() // one engine has one set of them for all tables
	finish := f.underWay(t, token)
	same := func() error {
		return f.transact(t.Context(), token, f.held()...)
	}
	if err := same(); !errors.As(err, new(*types.TransactionInProgressException)) {
		t.Errorf("while it is under way: %v", err)
	}
	if c := f.Snapshot().Total(); c.InProgress != 1 || c.Conflicts != 0 || c.Written != 0 {
		t.Errorf("metered: %+v", c)
	}
	if err := finish(); err != nil {
		t.Fatal(err)
	}
	other := f.wire.stopNext("TransactWriteItems")
	done := make(chan error, 1)
	go func() { done <- f.transact(context.WithoutCancel(t.Context()), "", f.updating("a", "updated")) }()
	<-other.reached
	f.Reset()
	if err := same(); err != nil {
		t.Errorf("once it has succeeded, though another has its item: %v", err)
	}
	if c := f.Snapshot().Total(); c.Written != 0 || c.Read != 8 {
		t.Errorf("it is read, not written: %+v", c)
	}
	close(other.on)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := f.transact(t.Context(), token, f.updating("a", "other")); !errors.As(err, new(*types.IdempotentParameterMismatchException)) {
		t.Errorf("the engine judges another transaction with that token: %v", err)
	}
}

// Neither a repetition that comes too early nor one that comes late takes write capacity.
func TestRepetitionsTakeNoWriteUnits(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{Hold: 1, PartitionWrite: 10})
	token := rand.Text()
	finish := f.underWay(t, token) // 8 of 10 units
	for range 5 {
		if err := f.transact(t.Context(), token, f.updating("a", "updated")); !errors.As(err, new(*types.TransactionInProgressException)) {
			t.Error(err)
		}
	}
	if err := finish(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := f.transact(t.Context(), token, f.held()...); err != nil {
			t.Error(err)
		}
	}
	if err := f.transact(t.Context(), "", f.updating("a", "1")); err != nil {
		t.Errorf("the last two units: %v", err)
	}
}

// A transaction that ends without success lets go of its items, too.
func TestHoldsEnd(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{Hold: 12 * time.Millisecond})
	again := func(what string) {
		t.Helper()
		f.clock.move(12 * time.Millisecond)
		if err := f.transact(t.Context(), "", f.updating("a", "1")); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		f.clock.move(time.Hour)
	}
	token := rand.Text()
	for range 2 {
		f.Reset()
		err := f.transact(t.Context(), token, f.updating("a", "1"), f.checking("b", "1", present))
		checkCancelledByCondition(t, err)
		if c := f.Snapshot().Total(); c.Written != 4 || c.Read != 0 {
			t.Errorf("a token that has not succeeded stands for nothing: %+v", c)
		}
		f.clock.move(12 * time.Millisecond)
	}
	again("after a condition that failed")

	ctx, cancel := context.WithCancel(t.Context())
	stopped, done := f.wire.stopNext("TransactWriteItems"), make(chan error, 1)
	go func() { done <- f.transact(ctx, rand.Text(), f.updating("a", "1")) }()
	<-stopped.reached
	cancel()
	close(stopped.on)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	again("after a client that went away")
}

func checkCancelledByCondition(t *testing.T, err error) {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) || !slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool {
		return aws.ToString(r.Code) == "ConditionalCheckFailed"
	}) {
		t.Errorf("%v is no failed condition", err)
	}
}
