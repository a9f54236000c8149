package store

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/ranch-game/ranch/shared/tally"
)

// attempts is the state of a transaction's attempts.
type attempts struct {
	doubt         bool // one may have been applied, or may still be, and the answer is lost
	conflicts     int  // how many met another transaction
	mostConflicts int  // how many conflicts it tolerates; 0: until the deadline
}

type attemptsKey struct{}

// watchAttempts notes how each attempt of a call ended, below the SDK's retries.
func watchAttempts(stack *middleware.Stack) error {
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("store.Attempts",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleFinalize(ctx, in)
			count(ctx, err)
			if throttles.IsErrorThrottle(err).Bool() {
				throttled(ctx)
			}
			if a, ok := ctx.Value(attemptsKey{}).(*attempts); ok && err != nil {
				err = a.note(err)
			}
			return out, metadata, err
		}), "Retry", middleware.After)
}

// count adds an attempt to the tally of its request.
func count(ctx context.Context, err error) {
	switch awsmiddleware.GetOperationName(ctx) {
	case "TransactWriteItems", "UpdateItem", "DeleteItem":
		tally.Add(ctx, tally.Attempts, 1)
	}
	switch {
	case err == nil:
	case isConflict(err):
		tally.Add(ctx, tally.Conflicts, 1)
	case isPassing(err), retryer.IsErrorRetryable(err):
		tally.Add(ctx, tally.Retries, 1)
	}
}

// note records how an attempt failed, and returns the error on which the SDK's retries depend. The SDK usually does not
// repeat a passing error: the transaction gets a new token. But an earlier attempt in doubt may still arrive, and
// DynamoDB must recognise the next one as the same transaction. So the next one needs its token and its bytes. Only a
// repetition within the call has them, because every call writes the items' attributes in another order.
func (a *attempts) note(err error) error {
	if isConflict(err) {
		a.conflicts++
	}
	if !isPassing(err) {
		a.doubt = a.doubt || inDoubt(err)
		return err
	}
	if a.doubt && !a.exhausted() {
		return repeatedWithinTheCall{err}
	}
	return err
}

// exhausted reports whether the transaction has met more conflicts than it tolerates.
func (a *attempts) exhausted() bool { return a.mostConflicts > 0 && a.conflicts >= a.mostConflicts }

// inDoubt reports whether the failed attempt may have been applied, or may still be: no answer came, or the server
// failed, or the same token is being applied. DynamoDB refuses a request by 400, also with a code that the SDK does not
// know, such as AccessDeniedException.
func inDoubt(err error) bool {
	var answer smithy.APIError
	if !errors.As(err, &answer) || errors.As(err, new(*types.TransactionInProgressException)) {
		return true
	}
	var response *smithyhttp.ResponseError
	return !errors.As(err, &response) || response.HTTPStatusCode() != http.StatusBadRequest || answer.ErrorCode() == "UnknownError"
}

// isConflict reports whether an attempt met another transaction, and no permanent obstacle.
func isConflict(err error) bool {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return errors.As(err, new(*types.TransactionConflictException)) // of a plain write
	}
	return isPassing(err) && slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool {
		return aws.ToString(r.Code) == codeConflict
	})
}

// isPassing reports whether a transaction was cancelled only for passing reasons: other transactions, or throttling of
// single items.
func isPassing(err error) bool {
	var cancelled *types.TransactionCanceledException
	return errors.As(err, &cancelled) && !slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool { return !passes(r) })
}

// repeatedWithinTheCall tells the SDK's standard retryer to send the same bytes again.
type repeatedWithinTheCall struct{ error }

func (repeatedWithinTheCall) RetryableError() bool { return true }

func (r repeatedWithinTheCall) Unwrap() error { return r.error }
