package dynamo_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

// heldItems are the items of the transaction that holding begins, and actions on them.
var (
	heldItems   = []string{"a/updated", "a/put", "a/deleted", "a/checked"}
	heldActions = []string{"+a/updated", "a/put=v", "-a/deleted", "!a/checked"}
)

// holding begins a transaction of the heldItems. It stays open until the test calls finish, which returns the
// transaction's error.
func (f *fixture) holding(t *testing.T, token string) (finish func() error) {
	t.Helper()
	if f.Front != nil {
		if err := f.do(t.Context(), token, heldActions...); err != nil {
			t.Fatal(err)
		}
		commit := f.last()
		return func() error { commit.End(); return nil }
	}
	reached, on := f.wire.stopNext("TransactWriteItems")
	done := make(chan error, 1)
	go func() { done <- f.do(context.WithoutCancel(t.Context()), token, heldActions...) }()
	select {
	case <-reached:
	case err := <-done:
		t.Fatal(err)
	}
	return func() error { close(on); return <-done }
}

// onBothModes runs a test of held items twice: with package capacity, and with package visibility.
func onBothModes(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Parallel()
	t.Run("capacity", func(t *testing.T) {
		t.Parallel()
		test(t, withCapacity(t, capacity.Options{Hold: 12 * time.Millisecond}))
	})
	t.Run("visibility", func(t *testing.T) {
		t.Parallel()
		test(t, withVisibility(t))
	})
}

// TestConflicts checks each statement of the Developer Guide about conflicts: "DynamoDB transactions: how it works",
// conflict handling.
func TestConflicts(t *testing.T) {
	onBothModes(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		finish := f.holding(t, "")
		for _, name := range heldItems {
			checkCancelled(t, "an update of "+name, f.do(ctx, "", "+b/1", "+"+name), "None", "TransactionConflict")
			checkCancelled(t, "a check of "+name, f.do(ctx, "", "!"+name, "b/1=x"), "TransactionConflict", "None")
			checkCancelled(t, "a transaction that reads "+name, f.transactGet(ctx, "b/1", name), "None", "TransactionConflict")
			for _, write := range []func(context.Context, string) error{f.putItem, f.update, f.remove} {
				if err, conflict := write(ctx, name), (*types.TransactionConflictException)(nil); !errors.As(err, &conflict) || aws.ToString(conflict.Message) == "" {
					t.Errorf("a plain write of %s: %v", name, err)
				}
			}
		}
		if f.Limits != nil {
			if c := f.Snapshot().Total(); c.Conflicts != 24 || c.Written != 8*4+12 {
				t.Errorf("a refused request costs what its items cost: %+v", c)
			}
		}
		_, query := f.db.Query(ctx, f.queryInput("a"))
		_, left, batch := f.batchGet(ctx, append(heldItems, "b/2")...)
		if err := errors.Join(query, batch); err != nil || len(left) > 0 {
			t.Errorf("reads: %v, unprocessed %v", err, left)
		}
		if err := errors.Join(f.do(ctx, "", "+a/another"), f.update(ctx, "b/1"), finish(), f.update(ctx, "a/updated")); err != nil {
			t.Errorf("other items of the partition, those of cancelled transactions, and all when it is over: %v", err)
		}
	})
}

// checkCancelled compares the reason for each item in the error of a cancelled transaction with want (API Reference,
// TransactionCanceledException).
func checkCancelled(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) || told(err) != strings.Join(want, " ") || !strings.Contains(cancelled.ErrorMessage(), "["+strings.Join(want, ", ")+"]") {
		t.Errorf("%s: %v, want %v", what, err, want)
		return
	}
	for _, r := range cancelled.CancellationReasons {
		if (aws.ToString(r.Code) == "None") != (r.Message == nil) || r.Item != nil {
			t.Errorf("%s: the reason %+v", what, r)
		}
	}
}

// The token identifies the transaction (API Reference, TransactWriteItems, ClientRequestToken).
func TestClientRequestToken(t *testing.T) {
	onBothModes(t, func(t *testing.T, f *fixture) {
		ctx, token := t.Context(), rand.Text() // an engine has one set of tokens for all tables
		for range 2 {
			checkCancelled(t, "it fails", f.do(ctx, token, append(heldActions, "?b/1")...), "None", "None", "None", "None", "ConditionalCheckFailed")
			if f.Limits != nil {
				f.clock.move(12 * time.Millisecond)
			}
		}
		finish := f.holding(t, token)
		if err := f.do(ctx, token, heldActions...); !errors.As(err, new(*types.TransactionInProgressException)) {
			t.Errorf("while it is under way: %v", err)
		}
		if f.Front != nil {
			checkEqual(t, "commits", len(f.commits), 1) // a failed transaction has none
			f.last().Show(f.last().Hidden()...)
			if err := f.do(ctx, token, heldActions...); !errors.As(err, new(*types.TransactionInProgressException)) {
				t.Errorf("all shown: %v", err)
			}
		}
		if err := finish(); err != nil {
			t.Fatal(err)
		}
		other := f.holding(t, "")
		if err := f.do(ctx, token, heldActions...); err != nil {
			t.Errorf("once it has succeeded, though another one has its items: %v", err)
		}
		if f.Front != nil {
			checkEqual(t, "commits: a repetition has none", len(f.commits), 2)
		}
		if err := other(); err != nil {
			t.Error(err)
		}
		if err := f.do(ctx, token, "a/other=x"); !errors.As(err, new(*types.IdempotentParameterMismatchException)) {
			t.Errorf("the engine judges another transaction with that token: %v", err)
		}
	})
}

// TestHoldsEnd checks that the items of a transaction are free again if its client goes away. Package visibility
// finishes such a transaction, and package capacity gives it up.
func TestHoldsEnd(t *testing.T) {
	onBothModes(t, func(t *testing.T, f *fixture) {
		f.get(t, "a/1") // so that the table is known
		ctx, cancel := context.WithCancel(t.Context())
		reached, on := f.wire.stopNext("TransactWriteItems")
		done := make(chan error, 1)
		go func() { done <- f.do(ctx, rand.Text(), "a/1=new") }()
		<-reached
		cancel()
		close(on)
		err := <-done
		if f.Front != nil {
			checkEqual(t, "commits", len(f.commits), 1)
			checkEqual(t, "hidden, it is", f.get(t, "a/1"), "")
			f.last().End()
			checkEqual(t, "in the end it is", f.get(t, "a/1"), "a/1=new")
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		f.clock.move(12 * time.Millisecond)
		f.wire.next = roundTrip(func(r *http.Request) (*http.Response, error) { return nil, http.ErrServerClosed })
		if err := f.do(t.Context(), "", "a/1=x"); err == nil {
			t.Error("a transaction without an engine succeeded")
		}
		f.wire.next = http.DefaultTransport
		f.clock.move(12 * time.Millisecond)
		if err := f.do(t.Context(), "", "a/1=x"); err != nil {
			t.Error(err)
		}
		checkEqual(t, "what may have been applied counts as written", f.Snapshot().Total().Written, 6)
	})
}
