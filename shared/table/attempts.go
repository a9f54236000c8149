package table

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
	doubt         bool // an attempt without an answer may have been applied, or may still be
	conflicts     int  // attempts that failed because of another transaction
	mostConflicts int  // after how many conflicts to give up; 0: at the deadline
}

// call is the state of a call of the SDK, with all its attempts.
type call struct {
	unsigned int   // attempts whose signature the table has refused
	failure  error // of the last attempt that the caller did not end; nil if there is none
}

type (
	attemptsKey struct{}
	callKey     struct{}
)

// mostUnsigned is how often a call is repeated because the table has refused its signature. A request that was damaged
// on the way, or a clock that was just set, passes. Wrong credentials do not.
const mostUnsigned = 2

// watchAttempts notes how each attempt of a call ended: the SDK's retries call it for each attempt.
func watchAttempts(stack *middleware.Stack) error {
	return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("table.Attempts",
		func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleFinalize(ctx, in)
			c := ctx.Value(callKey{}).(*call)
			if isUnsigned(err) && c.unsigned < mostUnsigned {
				c.unsigned++
				err = repeatedWithinTheCall{err}
			}
			if ctx.Err() == nil {
				c.failure = err
			}
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

// count adds an attempt to write, and the failure of any attempt, to the tally (the statistics) of the request.
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

// note records how an attempt failed, and returns the error by which the SDK decides whether to repeat it. Usually the
// SDK does not repeat a passing error: Commit sends the transaction again with a new token. But if an earlier attempt
// is in doubt, it may still be applied, and DynamoDB must recognise the next attempt as the same transaction. So the
// next attempt needs the same token and the same bytes. Only a repetition within the SDK's call has them, because every
// call writes the items' attributes in another order.
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

// exhausted reports whether the transaction has had as many conflicts as it tolerates.
func (a *attempts) exhausted() bool { return a.mostConflicts > 0 && a.conflicts >= a.mostConflicts }

// inDoubt reports whether the failed attempt may have been applied, or may still be: no answer came, or the server
// failed, or an attempt with the same token is being applied. DynamoDB refuses a request with the status 400, even if
// the SDK does not know the code, such as AccessDeniedException.
func inDoubt(err error) bool {
	var answer smithy.APIError
	if !errors.As(err, &answer) || errors.As(err, new(*types.TransactionInProgressException)) {
		return true
	}
	var response *smithyhttp.ResponseError
	return !errors.As(err, &response) || response.HTTPStatusCode() != http.StatusBadRequest || answer.ErrorCode() == "UnknownError"
}

// isUnsigned reports whether the table refused an attempt for its signature.
func isUnsigned(err error) bool {
	answer, refused := errors.AsType[smithy.APIError](err)
	return refused && (answer.ErrorCode() == "InvalidSignatureException" || answer.ErrorCode() == "RequestTimeTooSkewed")
}

// isConflict reports whether an attempt failed because of another transaction, and for no permanent reason.
func isConflict(err error) bool {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return errors.As(err, new(*types.TransactionConflictException)) // of a plain write
	}
	return isPassing(err) && slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool {
		return aws.ToString(r.Code) == codeConflict
	})
}

// isPassing reports whether a transaction was cancelled only for passing reasons: other transactions, or throttling.
func isPassing(err error) bool {
	var cancelled *types.TransactionCanceledException
	return errors.As(err, &cancelled) && !slices.ContainsFunc(cancelled.CancellationReasons, func(r types.CancellationReason) bool { return !passes(r) })
}

// repeatedWithinTheCall makes the SDK's standard retryer send the same bytes again.
type repeatedWithinTheCall struct{ error }

func (repeatedWithinTheCall) RetryableError() bool { return true }

func (r repeatedWithinTheCall) Unwrap() error { return r.error }
