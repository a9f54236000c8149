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
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

// heldItems are the items, and heldActions the actions, of the transaction that holding begins.
var (
	heldItems   = []string{"a/updated", "a/put", "a/deleted", "a/checked"}
	heldActions = []string{"+a/updated", "a/put=v", "-a/deleted", "!a/checked"}
)

// holding begins a transaction that holds the heldItems until the test calls finish, which returns its error.
func (f *fixture) holding(t *testing.T, token string) (finish func() error) {
	t.Helper()
	if f.Front != nil {
		require.NoError(t, f.do(t.Context(), token, heldActions...))
		commit := f.last()
		return commit.End
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

// TestConflicts checks each statement of the Developer Guide ("DynamoDB transactions: how it works") about conflicts.
func TestConflicts(t *testing.T) {
	onBothModes(t, func(t *testing.T, f *fixture) {
		ctx := t.Context()
		finish := f.holding(t, "")
		for _, name := range heldItems {
			checkCancelled(t, "an update of "+name, f.do(ctx, "", "+b/1", "+"+name), "None", "TransactionConflict")
			checkCancelled(t, "a check of "+name, f.do(ctx, "", "!"+name, "b/1=x"), "TransactionConflict", "None")
			checkCancelled(t, "a transaction that reads "+name, f.transactGet(ctx, "b/1", name), "None", "TransactionConflict")
			for _, write := range []func(context.Context, string) error{f.putItem, f.update, f.remove} {
				err, conflict := write(ctx, name), (*types.TransactionConflictException)(nil)
				assert.True(t, errors.As(err, &conflict) && aws.ToString(conflict.Message) != "", "a plain write of %s: %v", name, err)
			}
		}
		if f.Limits != nil {
			c := f.Counts("", "")
			assert.True(t, c.Conflicts == 24 && c.Written == 8*4+12, "a refused request costs what its items cost: %+v", c)
		}
		_, query := f.db.Query(ctx, f.queryInput("a"))
		_, left, batch := f.batchGet(ctx, append(heldItems, "b/2")...)
		err := errors.Join(query, batch)
		assert.True(t, err == nil && len(left) == 0, "reads: %v, unprocessed %v", err, left)
		err = errors.Join(f.do(ctx, "", "+a/another"), f.update(ctx, "b/1"), finish(), f.update(ctx, "a/updated"))
		assert.NoError(t, err, "other items of the partition, those of cancelled transactions, and all when it is over")
	})
}

// checkCancelled checks a cancelled transaction's reason for each item (API Reference, TransactionCanceledException).
func checkCancelled(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) || told(err) != strings.Join(want, " ") || !strings.Contains(cancelled.ErrorMessage(), "["+strings.Join(want, ", ")+"]") {
		t.Errorf("%s: %v, want %v", what, err, want)
		return
	}
	for _, r := range cancelled.CancellationReasons {
		assert.True(t, (aws.ToString(r.Code) == "None") == (r.Message == nil) && r.Item == nil, "%s: the reason %+v", what, r)
	}
}

// TestClientRequestToken checks requests with the token of a failed, a running and a succeeded transaction (API
// Reference, TransactWriteItems, ClientRequestToken).
func TestClientRequestToken(t *testing.T) {
	onBothModes(t, func(t *testing.T, f *fixture) {
		ctx, token := t.Context(), rand.Text() // unique, because an engine has one set of tokens for all tables
		for range 2 {
			checkCancelled(t, "it fails", f.do(ctx, token, append(heldActions, "?b/1")...), "None", "None", "None", "None", "ConditionalCheckFailed")
			if f.Limits != nil {
				f.clock.move(12 * time.Millisecond)
			}
		}
		finish := f.holding(t, token)
		err := f.do(ctx, token, heldActions...)
		assert.True(t, errors.As(err, new(*types.TransactionInProgressException)), "while it is under way: %v", err)
		if f.Front != nil {
			checkEqual(t, "commits", len(f.commits), 1) // the failed transaction has none
			require.NoError(t, f.last().Show(f.last().Hidden()...))
			err := f.do(ctx, token, heldActions...)
			assert.True(t, errors.As(err, new(*types.TransactionInProgressException)), "all shown: %v", err)
		}
		require.NoError(t, finish())
		other := f.holding(t, "")
		err = f.do(ctx, token, heldActions...)
		assert.NoError(t, err, "once it has succeeded, though another one has its items")
		if f.Front != nil {
			checkEqual(t, "commits: a repetition has none", len(f.commits), 2)
		}
		assert.NoError(t, other())
		err = f.do(ctx, token, "a/other=x")
		assert.True(t, errors.As(err, new(*types.IdempotentParameterMismatchException)),
			"the engine judges another transaction with that token: %v", err)
	})
}

// TestHoldsEnd checks that the items of a transaction become free again if its client gives up during it. With package
// visibility, the transaction is applied. With package capacity, the request is cancelled, but charged.
func TestHoldsEnd(t *testing.T) {
	onBothModes(t, func(t *testing.T, f *fixture) {
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
			require.NoError(t, f.last().End())
			checkEqual(t, "in the end it is", f.get(t, "a/1"), "a/1=new")
			return
		}
		assert.ErrorIs(t, err, context.Canceled)
		f.clock.move(12 * time.Millisecond)
		f.wire.next = roundTrip(func(r *http.Request) (*http.Response, error) { return nil, http.ErrServerClosed })
		assert.Error(t, f.do(t.Context(), "", "a/1=x"), "a transaction without an engine succeeded")
		f.wire.next = http.DefaultTransport
		f.clock.move(12 * time.Millisecond)
		assert.NoError(t, f.do(t.Context(), "", "a/1=x"))
		checkEqual(t, "what may have been applied counts as written", f.Counts("", "").Written, 6)
	})
}
