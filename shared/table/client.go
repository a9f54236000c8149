package table

import (
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// attemptTimeout is how long an attempt may be silent: before the first byte of the answer, and between bytes. A
// healthy table answers within tens of milliseconds, and the SDK has no limit of its own.
const attemptTimeout = time.Second

// ClientOptions prepares a client for a table: attempts with time limits (see Line), connections for parallel reads,
// and retries of every passing error, limited only by the context's deadline.
func ClientOptions(o *dynamodb.Options) {
	o.Retryer, o.RetryMaxAttempts = retryer, 0 // 0 replaces a limit in an operator's environment
	o.APIOptions = append(o.APIOptions, watchCall, watchAttempts)
	o.HTTPClient = newLine()
}

// retryer repeats a request, unchanged, after throttling, server errors and lost answers. A transaction keeps its
// ClientRequestToken, so that repeating it is safe however often it was applied. retryer is the SDK's standard retryer
// without the parts that would fail requests during a short outage: its delays (two took 2.8 seconds), its quota and
// its limit of attempts.
var retryer = retry.AddWithMaxAttempts(retry.NewStandard(func(o *retry.StandardOptions) {
	o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) { return atRandom.delay(attempt), nil })
	o.RateLimiter = ratelimit.None
	o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(passesByItself))
}), 0)

// passesByItself adds two passing errors to those of the SDK: a plain write of an item that a transaction holds, and an
// answer that broke off or is not JSON.
func passesByItself(err error) aws.Ternary {
	if errors.As(err, new(*types.TransactionConflictException)) || errors.As(err, new(*smithy.DeserializationError)) {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

var throttles = retry.IsErrorThrottles(retry.DefaultThrottles)
