package visibility_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func checkCancelled(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Errorf("%s: %v", what, err)
		return
	}
	var codes []string
	for _, r := range cancelled.CancellationReasons {
		codes = append(codes, aws.ToString(r.Code))
	}
	checkEqual(t, what, codes, want)
}

// What a commit hides or checks conflicts with every write and with transactions that read, and with nothing else.
func TestConflicts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/1=old", "a/2=old", "b/1=old")
	c := f.commit(t, "a/1=new", "-a/2", "?b/1")
	f.reached()
	plain := func(name string) map[string]error {
		ctx, key := t.Context(), keyOf(name)
		_, put := f.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: f.name, Item: item(name, "x")})
		_, update := f.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: f.name, Key: key})
		_, remove := f.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: f.name, Key: key})
		return map[string]error{"put": put, "update": update, "delete": remove}
	}
	for _, name := range []string{"a/1", "a/2", "b/1"} {
		for what, err := range plain(name) {
			if !errors.As(err, new(*types.TransactionConflictException)) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
		checkCancelled(t, name, f.do(t.Context(), "", "z/1=x", name+"=x", "?z/2"), "None", "TransactionConflict", "None")
		checkCancelled(t, "a check of "+name, f.do(t.Context(), "", "?"+name), "TransactionConflict")
		_, err := f.db.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
			{Get: &types.Get{TableName: f.name, Key: keyOf("z/1")}}, {Get: &types.Get{TableName: f.name, Key: keyOf(name)}},
		}})
		checkCancelled(t, "reading "+name, err, "None", "TransactionConflict")
	}
	for _, operation := range f.reached() {
		if operation != "TransactGetItems" {
			t.Errorf("the engine was asked for %s", operation)
		}
	}
	c.Show(f.key("a/1"))
	for what, err := range plain("a/1") {
		if err != nil {
			t.Errorf("%s of a shown item: %v", what, err)
		}
	}
	checkEqual(t, "it is gone", f.query(t, "a", 0), []string{"a/2=old"})
	checkCancelled(t, "while others are hidden", f.do(t.Context(), "", "a/2=x", "a/1=x", "?b/1"), "TransactionConflict", "None", "TransactionConflict")
	c.Show(c.Hidden()...)
	checkCancelled(t, "a check ends with its commit", f.do(t.Context(), "", "a/2=x", "?b/1"), "None", "TransactionConflict")
	c.End()
	f.commit(t, "a/2=x", "?b/1").End()
	checkEqual(t, "in the end", f.query(t, "a", 0), []string{"a/2=x"})
}

// A batch writes what is free.
func TestBatchWrite(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "b/1=old")
	c := f.commit(t, "a/1=new", "?b/1")
	batch := func(names ...string) []string {
		t.Helper()
		requests := []types.WriteRequest{}
		for _, name := range names {
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item(name, "batch")}})
		}
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf("b/1")}})
		out, err := f.db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{*f.name: requests}})
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, r := range out.UnprocessedItems[*f.name] {
			if r.PutRequest != nil {
				left = append(left, show(r.PutRequest.Item))
			} else {
				left = append(left, "-"+show(r.DeleteRequest.Key))
			}
		}
		return left
	}
	f.reached()
	checkEqual(t, "all are held", batch("a/1"), []string{"a/1=batch", "-b/1="})
	checkEqual(t, "the engine", f.reached(), nil)
	checkEqual(t, "some are held", batch("a/2", "a/1"), []string{"a/1=batch", "-b/1="})
	c.Show(f.key("a/1"))
	checkEqual(t, "one is shown", batch("a/1", "a/3"), []string{"-b/1="})
	c.End()
	checkEqual(t, "none is held", batch("a/4"), nil)
	checkEqual(t, "in the end", f.scan(t, 0, 1), []string{"a/1=batch", "a/2=batch", "a/3=batch", "a/4=batch"})
}

// A token stands for its transaction: while it is under way, once it has succeeded, and not after a failure.
func TestTokens(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := rand.Text()
	checkCancelled(t, "it fails", f.do(t.Context(), token, "a/1=new", "?a/2"), "None", "ConditionalCheckFailed")
	f.put(t, "a/2=old")
	if err := f.do(t.Context(), token, "a/1=new", "?a/2"); err != nil {
		t.Fatal(err)
	}
	if len(f.commits) != 1 {
		t.Fatalf("%d commits, want 1: what fails has none", len(f.commits))
	}
	first := f.last()
	err := f.do(t.Context(), token, "a/1=new", "?a/2")
	if !errors.As(err, new(*types.TransactionInProgressException)) {
		t.Errorf("under way: %v", err)
	}
	first.Show(first.Hidden()...)
	if err := f.do(t.Context(), token, "a/1=new", "?a/2"); !errors.As(err, new(*types.TransactionInProgressException)) {
		t.Errorf("all shown: %v", err)
	}
	first.End()
	second := f.commit(t, "a/1=newer")
	if err := f.do(t.Context(), token, "a/1=new", "?a/2"); err != nil {
		t.Errorf("it has succeeded, though another one holds its item: %v", err)
	}
	if f.last() != second {
		t.Error("the repetition has opened a commit")
	}
	second.End()
	if got := f.get(t, "a/1"); got != "a/1=newer" {
		t.Errorf("in the end it is %s", got)
	}
	if err := f.do(t.Context(), token, "a/1=other"); !errors.As(err, new(*types.IdempotentParameterMismatchException)) {
		t.Errorf("the engine judges another transaction with that token: %v", err)
	}
}

// TestUndo plays a history again and again on the same items, with the same tokens.
func TestUndo(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var many []string
	for i := range 60 {
		many = append(many, fmt.Sprintf("m/%d=new", i))
	}
	f.put(t, "a/1=old", "a/2=old", "b/1=old", "m/7=old")
	before := f.scan(t, 0, 1)
	journal, token := f.Journal(), rand.Text()
	for range 3 {
		f.commit(t, "a/1=new", "-a/2", "a/3=new", "?b/1").End()
		if err := f.do(t.Context(), token, many...); err != nil {
			t.Fatal(err)
		}
		if got := len(f.last().Hidden()); got != 60 {
			t.Fatalf("%d items are hidden, want 60", got)
		}
		for _, name := range []string{"a/1", "c/1"} {
			if _, err := f.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: item(name, "plain")}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.db.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
			*f.name: {{DeleteRequest: &types.DeleteRequest{Key: keyOf("b/1")}}},
		}}); err != nil {
			t.Fatal(err)
		}
		if got := len(f.scan(t, 0, 1)); got != 4 { // a/1, a/3, c/1 and the old m/7
			t.Fatalf("%d items are seen, want 4", got)
		}
		f.last().End()
		if got := len(f.scan(t, 0, 1)); got != 63 {
			t.Fatalf("%d items are seen in the end, want 63", got)
		}
		f.commit(t, "m/7=newer", "d/1=new") // is not ended
		if err := journal.Undo(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "undone", f.scan(t, 0, 1), before)
		if hidden := f.last().Hidden(); len(hidden) > 0 {
			t.Errorf("%v are still hidden", hidden)
		}
	}
	f.reached()
	if err := journal.Undo(t.Context()); err != nil {
		t.Error(err)
	}
	checkEqual(t, "nothing to undo", f.reached(), nil)
}

// A transaction waits for a plain write that the engine has not answered: that is part of what it hides.
func TestAfterAPlainWrite(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/1=old")
	reached, release := make(chan struct{}), make(chan struct{})
	f.reaches = func(operation string) {
		if operation == "PutItem" {
			close(reached)
			<-release
		}
	}
	plain, transaction := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := f.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: item("a/1", "plain")})
		plain <- err
	}()
	<-reached
	go func() { transaction <- f.do(t.Context(), "", "a/1=new") }()
	for { // until the transaction has its item
		_, err := f.db.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: f.name, Key: keyOf("a/1"), ConditionExpression: aws.String("attribute_exists(nothing)"),
		})
		if errors.As(err, new(*types.TransactionConflictException)) {
			break
		}
		if !errors.As(err, new(*types.ConditionalCheckFailedException)) {
			t.Fatal(err)
		}
	}
	close(release)
	if err := <-plain; err != nil {
		t.Error(err)
	}
	if err := <-transaction; err != nil {
		t.Fatal(err)
	}
	if got := f.get(t, "a/1"); got != "a/1=plain" {
		t.Errorf("hidden, it is %s", got)
	}
	f.last().End()
	if got := f.get(t, "a/1"); got != "a/1=new" {
		t.Errorf("in the end it is %s", got)
	}
}

// However many transactions of the same items there are at once, one follows the other, and what each hides is one
// state.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put(t, "a/1=0", "a/2=0")
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 15 {
				v := fmt.Sprintf("%d.%d", n, i)
				_ = f.do(t.Context(), "", "a/1="+v, "a/2="+v) // most conflict
				f.mu.Lock()
				open := f.commits
				f.commits = nil
				f.mu.Unlock()
				for _, c := range open {
					before := f.pair(t)
					if before[0] != before[1] {
						t.Errorf("a hidden transaction shows %q", before)
					}
					c.End()
				}
			}
		})
	}
	all.Wait()
	if got := f.pair(t); got[0] != got[1] || got[0] == "0" {
		t.Errorf("in the end there is %q", got)
	}
}

// pair returns the values of a/1 and a/2.
func (f *fixture) pair(t *testing.T) (values [2]string) {
	out, err := f.db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		*f.name: {Keys: []map[string]types.AttributeValue{keyOf("a/1"), keyOf("a/2")}, ConsistentRead: aws.Bool(true)},
	}})
	if err != nil {
		t.Error(err)
		return values
	}
	for _, i := range out.Responses[*f.name] {
		values[i["SK"].(*types.AttributeValueMemberS).Value[0]-'1'] = i["v"].(*types.AttributeValueMemberS).Value
	}
	return values
}

// What has reached the engine is applied, and held, though its client is gone.
func TestClientIsGone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.get(t, "a/1") // the table is known
	ctx, cancel := context.WithCancel(t.Context())
	f.reaches = func(operation string) {
		if operation == "TransactWriteItems" {
			cancel()
		}
	}
	_ = f.do(ctx, "", "a/1=new")
	if len(f.commits) != 1 {
		t.Fatalf("%d commits, want 1", len(f.commits))
	}
	if got := f.get(t, "a/1"); got != "" {
		t.Errorf("it shows %s", got)
	}
	f.last().End()
	if got := f.get(t, "a/1"); got != "a/1=new" {
		t.Errorf("in the end it is %q", got)
	}
}
