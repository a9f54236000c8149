package store

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

const (
	// attemptTimeout is how long one attempt of an ordinary request may take: a healthy table answers within tens of milliseconds, and the SDK
	// has no limit of its own.
	attemptTimeout = time.Second
	// patientTimeout is that of requests which carry megabytes.
	patientTimeout = 5 * time.Second

	backoffBase = 10 * time.Millisecond
	backoffCap  = 100 * time.Millisecond
)

// ClientOptions makes a client fit for the store: attempts that end, connections for parallel reads, and retries of whatever may pass by itself,
// bounded by the context's deadline alone. The SDK's own backoff (two retries took 2.8 seconds) and its retry quota, which would fail requests
// during a short outage, are left out.
func ClientOptions(o *dynamodb.Options) {
	o.Retryer = retryer{retry.NewStandard()}
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

// retryer repeats a request, unchanged, after throttling, server errors and lost answers. A transaction keeps its ClientRequestToken through
// all of that, so that repeating it is safe however often it was applied.
type retryer struct{ standard *retry.Standard }

func (r retryer) IsErrorRetryable(err error) bool {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, new(*types.TransactionConflictException)): // a plain write met an item that a transaction holds
		return true
	case r.standard.IsErrorRetryable(err):
		return true
	case errors.Is(err, context.Canceled):
		return false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return true
	default: // an attempt that ran into its own limit; where the request's deadline has passed, the SDK stops by itself
		return errors.As(err, &timeout) && timeout.Timeout()
	}
}

func (retryer) MaxAttempts() int { return 0 } // until the deadline

func (retryer) RetryDelay(attempt int, _ error) (time.Duration, error) { return jitter(attempt), nil }

func (retryer) GetRetryToken(context.Context, error) (func(error) error, error) {
	return noRelease, nil
}

func (retryer) GetInitialToken() func(error) error { return noRelease }

func noRelease(error) error { return nil }

var _ aws.Retryer = retryer{}

// doubtful is a retryer that notes whether an attempt of its call may have been applied, or may yet be, without anybody having been told.
type doubtful struct {
	aws.Retryer
	doubt bool
}

func (d *doubtful) IsErrorRetryable(err error) bool {
	var answer smithy.APIError
	if !errors.As(err, &answer) || answer.ErrorFault() != smithy.FaultClient || errors.As(err, new(*types.TransactionInProgressException)) {
		d.doubt = true
	}
	return d.Retryer.IsErrorRetryable(err)
}

// jitter is the delay before attempt n+1: any time up to a bound that doubles from 10 to 100 ms ("full jitter").
func jitter(n int) time.Duration {
	bound := backoffCap
	if n < 4 {
		bound = min(bound, backoffBase<<max(n-1, 0))
	}
	return rand.N(bound) + time.Millisecond
}

// backoff waits before attempt n+1, or returns the context's error if that ends first.
func backoff(ctx context.Context, n int) error { return pause(ctx, jitter(n)) }

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
