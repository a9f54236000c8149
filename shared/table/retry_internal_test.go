package table

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/assert"
)

// After a conflict, each call waits for a random time below a bound that doubles from 10 to 640 ms ("full jitter").
func TestDelaysAreJittered(t *testing.T) {
	t.Parallel()
	for attempt, bound := range map[int]time.Duration{
		0: 10 * time.Millisecond, 1: 10 * time.Millisecond, 2: 20 * time.Millisecond, 3: 40 * time.Millisecond, 4: 80 * time.Millisecond,
		5: 160 * time.Millisecond, 7: 640 * time.Millisecond, 1_000_000: 640 * time.Millisecond,
	} {
		least, most := time.Hour, time.Duration(0)
		for range 1_000 {
			delay := atRandom.delay(attempt)
			least, most = min(least, delay), max(most, delay)
		}
		assert.True(t, least > 0 && most <= bound+time.Millisecond && least <= bound/4 && most >= bound*3/4,
			"attempt %d: delays from %v to %v, want them all over the time up to %v", attempt, least, most, bound)
	}
}

// Passing errors are repeated, by the SDK's rules or by ours. Other errors are not: that would only take longer. The
// errors are those of single attempts.
func TestWhatIsRepeated(t *testing.T) {
	t.Parallel()
	unsent := func(err error) error {
		return &smithyhttp.RequestSendError{Err: &url.Error{Op: "Post", URL: "http://127.0.0.1", Err: err}}
	}
	unread := func(err error) error { return &smithy.DeserializationError{Err: err} }
	reading := func(errno syscall.Errno) error {
		return unread(&net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", errno)})
	}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"a refused connection":               {unsent(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), true},
		"a connection that ended unanswered": {unsent(io.EOF), true},
		"an attempt that took too long":      {unsent(context.DeadlineExceeded), true},
		"half an answer":                     {unread(io.ErrUnexpectedEOF), true},
		"no answer at all":                   {unread(io.EOF), true},
		"an answer that stalls":              {unread(os.ErrDeadlineExceeded), true},
		"a reset within an answer":           {reading(syscall.ECONNRESET), true},
		"a connection that timed out":        {reading(syscall.ETIMEDOUT), true},
		"throttling":                         {&types.ProvisionedThroughputExceededException{}, true},
		"a token that is being applied":      {&types.TransactionInProgressException{}, true},
		"a plain write in a conflict":        {&types.TransactionConflictException{}, true},
		"a failed condition":                 {&types.ConditionalCheckFailedException{}, false},
		"no such table":                      {&types.ResourceNotFoundException{}, false},
		"an answer that is no JSON":          {unread(errors.New("invalid character")), true},
		"a caller who has gone":              {&smithy.CanceledError{Err: context.Canceled}, false},
		"a caller whose time is over":        {&smithy.CanceledError{Err: context.DeadlineExceeded}, false},
	} {
		got := retryer.IsErrorRetryable(c.err)
		assert.Equal(t, c.want, got, "%s is repeated: %v", name, got)
	}
}

// Only a 400 with a readable code, except TransactionInProgressException, shows that an attempt will never be applied.
func TestWhatIsInDoubt(t *testing.T) {
	t.Parallel()
	answer := func(status int, code string) error {
		return &smithyhttp.ResponseError{Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}}, Err: &smithy.GenericAPIError{Code: code}}
	}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"no answer":                     {&smithyhttp.RequestSendError{Err: io.EOF}, true},
		"an answer without its status":  {&smithy.GenericAPIError{Code: "ValidationException"}, true},
		"a token that is being applied": {&types.TransactionInProgressException{}, true},
		"a server that failed":          {answer(500, "InternalServerError"), true},
		"a 400 that cannot be read":     {answer(400, "UnknownError"), true},
		"a request that is wrong":       {answer(400, "ValidationException"), false},
		"a code that the SDK lacks":     {answer(400, "AccessDeniedException"), false},
	} {
		got := inDoubt(c.err)
		assert.Equal(t, c.want, got, "%s is in doubt: %v", name, got)
	}
}

// broken is an item that cannot be written.
type broken struct{ err error }

func (b broken) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) { return nil, b.err }

// A transaction with a broken item is not sent without that item.
func TestABrokenItem(t *testing.T) {
	t.Parallel()
	want := errors.New("no such item")
	transaction := New(nil, "table", nil).Begin() // a request would panic
	transaction.Create(map[string]string{"PK": "a"}, nil)
	transaction.Create(broken{want}, nil)
	err := transaction.Commit(t.Context())
	assert.ErrorIs(t, err, want)
}

// A cancellation with more reasons than the transaction has items is not a refusal.
func TestMoreReasonsThanItems(t *testing.T) {
	t.Parallel()
	failed := types.CancellationReason{Code: aws.String("ConditionalCheckFailed")}
	transaction := &Transaction{failure: []error{ErrStale}}
	refused, fault := transaction.outcome(&types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{failed, failed}})
	assert.True(t, refused != nil && refused.Error() == ErrStale.Error() && fault == nil, "got %v, %v", refused, fault)
}
