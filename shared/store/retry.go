package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/tally"
)

const (
	// attemptTimeout is how long one attempt of an ordinary request may take: a healthy table answers within tens of
	// milliseconds, and the SDK has no limit of its own.
	attemptTimeout = time.Second
	// patientTimeout is that of requests which carry megabytes.
	patientTimeout = 5 * time.Second

	backoffBase = 10 * time.Millisecond
	backoffCap  = 640 * time.Millisecond
)

// ClientOptions makes a client fit for the store: attempts that end, connections for parallel reads, and retries of
// whatever may pass by itself, bounded by the context's deadline alone.
func ClientOptions(o *dynamodb.Options) {
	o.Retryer, o.RetryMaxAttempts = retryer, 0 // an operator's environment may have set a limit of attempts
	o.APIOptions = append(o.APIOptions, watchAttempts)
	o.HTTPClient = &http.Client{
		Timeout: attemptTimeout,
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: attemptTimeout, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: attemptTimeout,
			MaxIdleConnsPerHost: 4 * parallelReads,
			IdleConnTimeout:     90 * time.Second,
		},
	}
}

// patient gives a request that carries megabytes the time for it.
func patient(o *dynamodb.Options) {
	if c, ok := o.HTTPClient.(*http.Client); ok {
		slow := *c
		slow.Timeout = patientTimeout
		o.HTTPClient = &slow
	}
}

// retryer repeats a request, unchanged, after throttling, server errors and lost answers. A transaction keeps its
// ClientRequestToken through all of that, so that repeating it is safe however often it was applied. It is the SDK's
// standard retryer without what would fail requests during a short outage: its delays (two took 2.8 seconds), its quota
// and its limit of attempts.
var retryer = retry.AddWithMaxAttempts(retry.NewStandard(func(o *retry.StandardOptions) {
	o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) { return atRandom.delay(attempt), nil })
	o.RateLimiter = ratelimit.None
	o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(passesByItself))
}), 0)

// passesByItself knows what the SDK's own rules leave out: a plain write that met an item which a transaction holds,
// and an answer that broke off.
func passesByItself(err error) aws.Ternary {
	if errors.As(err, new(*types.TransactionConflictException)) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

// decide runs try until it has decided: it reads, lets the rules decide and writes under the conditions of what it
// read. Where something came in between (errStale, errEntered, errConflict, errAtWork) it is to read again, after a
// delay; any other error, and none, is the answer. It is bounded by the context's deadline alone. The operation's name
// is for errors.
func (s *Store) decide(ctx context.Context, operation string, try func(ctx context.Context) error) error {
	ctx = Patiently(ctx)
	for attempt := 1; ; attempt++ {
		err := try(ctx)
		switch {
		case errors.Is(err, errStale):
			tally.Add(ctx, tally.Conflicts, 1)
		case errors.Is(err, errConflict): // counted where it was met
		case errors.Is(err, errEntered): // nobody else's doing: the same animal, entered before
		case errors.Is(err, errAtWork): // waited for
		case errors.Is(err, context.Canceled) && ctx.Err() == nil:
			return fmt.Errorf("%s: the table has failed for %v: %w", operation, readPatience, err)
		default:
			return err
		}
		if err := s.backoff(ctx, attempt); err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
	}
}

type (
	decidingKey struct{} // marks the context of an operation that decides, or that reads the whole table
	patienceKey struct{} // leads to the timer that ends a read of such an operation
)

// Patiently marks what reads on while the table throttles, as long as the context lasts: a read is then given up only
// when the table has done nothing but fail for some seconds.
func Patiently(ctx context.Context) context.Context {
	return context.WithValue(ctx, decidingKey{}, true)
}

// withPatience bounds a read by readPatience; in an operation that is marked, only the time in which the table does
// nothing but fail: while it throttles, it is worth waiting for.
func withPatience(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Value(decidingKey{}) == nil {
		return context.WithTimeout(ctx, readPatience)
	}
	ctx, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(readPatience, cancel)
	return context.WithValue(ctx, patienceKey{}, timer), func() {
		timer.Stop()
		cancel()
	}
}

// answered prolongs the patience of a read that the table has answered, be it that it throttles.
func answered(ctx context.Context, err error) {
	if timer, ok := ctx.Value(patienceKey{}).(*time.Timer); ok && (err == nil || throttles.IsErrorThrottle(err).Bool()) {
		timer.Reset(readPatience)
	}
}

var throttles = retry.IsErrorThrottles(retry.DefaultThrottles)

// Chance draws a duration from 0 up to, and without, a bound.
type Chance func(bound time.Duration) time.Duration

var atRandom Chance = rand.N[time.Duration]

// delay is the delay before attempt n+1: any time up to a bound that doubles from 10 to 640 ms ("full jitter").
func (c Chance) delay(n int) time.Duration {
	bound := backoffCap
	if n < 7 {
		bound = backoffBase << max(n-1, 0)
	}
	return c(bound) + time.Millisecond
}

// settling is more than enough for a transaction that has been applied to become visible as a whole.
const settling = 300 * time.Millisecond

// backoff waits before attempt n+1, or returns the context's error if that ends first.
func (s *Store) backoff(ctx context.Context, n int) error { return pause(ctx, s.chance.delay(n)) }

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
