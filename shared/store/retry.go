package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

const (
	// attemptTimeout is how long one attempt of an ordinary request may be silent: before the first byte of the answer,
	// and between bytes. A healthy table answers within tens of milliseconds, and the SDK has no limit of its own.
	attemptTimeout = time.Second

	backoffBase = 10 * time.Millisecond
	backoffCap  = 640 * time.Millisecond
)

// ClientOptions prepares a client for the store: attempts with time limits (see Line), connections for parallel reads,
// and retries of every passing error, limited only by the context's deadline.
func ClientOptions(o *dynamodb.Options) {
	o.Retryer, o.RetryMaxAttempts = retryer, 0 // an operator's environment may limit the attempts
	o.APIOptions = append(o.APIOptions, watchAttempts, nameFailing)
	o.HTTPClient = newLine()
}

// retryer repeats a request, unchanged, after throttling, server errors and lost answers. A transaction keeps its
// ClientRequestToken, so that repeating it is safe however often it was applied. It is the SDK's standard retryer
// without the parts that would fail requests during a short outage: its delays (two took 2.8 seconds), its quota and
// its limit of attempts.
var retryer = retry.AddWithMaxAttempts(retry.NewStandard(func(o *retry.StandardOptions) {
	o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) { return atRandom.delay(attempt), nil })
	o.RateLimiter = ratelimit.None
	o.Retryables = append(o.Retryables, retry.IsErrorRetryableFunc(passesByItself))
}), 0)

// passesByItself knows two passing errors that the SDK's own rules lack: a plain write of an item that a transaction
// holds, and an answer that broke off.
func passesByItself(err error) aws.Ternary {
	if errors.As(err, new(*types.TransactionConflictException)) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return aws.TrueTernary
	}
	return aws.UnknownTernary
}

// decide runs try until it has decided. try reads, lets the rules decide, and writes under conditions on what it read.
// If something came in between (errStale, errEntered, errClaimed, errConflict, errAtWork), decide waits and runs it
// again. Any other error, or none, is the answer. Only the context's deadline limits it, except that decide returns a
// DamagedShow that try has reported for damagedFor, unchanged. The operation's name is for errors.
func (s *Store) decide(ctx context.Context, operation string, try func(ctx context.Context) error) error {
	ctx = Patiently(ctx)
	var damage DamagedShow
	var since time.Time
	for attempt := 1; ; attempt++ {
		err := try(ctx)
		if found, ok := errors.AsType[DamagedShow](err); !ok || found != damage {
			damage, since = found, time.Now()
		} else if time.Since(since) > damagedFor {
			return fmt.Errorf("%s: %w", operation, damage)
		}
		switch {
		case errors.Is(err, errStale):
			tally.Add(ctx, tally.Conflicts, 1)
		case errors.Is(err, errConflict): // already counted
		case errors.Is(err, errEntered), errors.Is(err, errClaimed): // done before, by the same player
		case errors.Is(err, errAtWork): // waited for
		default:
			return err
		}
		if err := s.backoff(ctx, attempt); err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
	}
}

// DamagedShow is the error for records of a show that stay missing or contradict each other. The table is damaged, or a
// write takes longer than ever to become visible. RepairShow repairs most of these shows.
type DamagedShow struct {
	Show game.ID
	What string // names the records, or their numbers
}

func (d DamagedShow) Error() string { return d.What }

// miscounted returns the error for a show that has another number of entries than it counts.
func miscounted(show game.ID, counted, entries int64) DamagedShow {
	return DamagedShow{show, fmt.Sprintf("the show counts %d entries, and %d are there", counted, entries)}
}

// damagedFor is how long a show's records may contradict each other. An entry that is being applied takes far less to
// become visible.
const damagedFor = 4 * time.Second

type (
	decidingKey struct{} // marks the context of an operation that decides, or that scans the table
	patienceKey struct{} // the patience of a read
)

// Patiently marks a context whose reads go on while the table answers, until its deadline, even if the table throttles
// or the line is slow. A read then fails only if the table has done nothing but fail for readPatience. It is for calls
// that need not answer within seconds: operations that decide, operators, audits.
func Patiently(ctx context.Context) context.Context {
	return context.WithValue(ctx, decidingKey{}, true)
}

// errFailing ends a read if the table does not answer.
var errFailing = fmt.Errorf("the table has failed for %v: %w", readPatience, context.DeadlineExceeded)

// patience is how long a read goes on.
type patience struct {
	end     context.CancelCauseFunc
	deep    bool        // answers of the table prolong it (see Patiently)
	failing *time.Timer // ends the read with errFailing
	busy    *time.Timer // ends it with game.ErrBusy; nil until the table has throttled it, and always if deep
}

// withPatience limits a read to readPatience, and to busyPatience from its first throttling on. In an operation that
// Patiently marks, it limits only the time in which the table does nothing but fail.
func withPatience(ctx context.Context) (context.Context, context.CancelFunc) {
	p := &patience{deep: ctx.Value(decidingKey{}) != nil}
	ctx, p.end = context.WithCancelCause(ctx)
	p.failing = time.AfterFunc(readPatience, func() { p.end(errFailing) })
	return context.WithValue(ctx, patienceKey{}, p), func() {
		p.failing.Stop()
		if p.busy != nil {
			p.busy.Stop()
		}
		p.end(nil)
	}
}

// throttled notes that the table throttles a read. A patient read goes on, since the table answers. Another one has
// little time left: it competes with many reads, and each repetition makes the queue longer.
func throttled(ctx context.Context) {
	p, ok := ctx.Value(patienceKey{}).(*patience)
	switch {
	case !ok:
	case p.deep:
		p.failing.Reset(readPatience)
	case p.busy == nil:
		p.busy = time.AfterFunc(busyPatience, func() { p.end(game.ErrBusy) })
	}
}

// prolongPatience notes that bytes of an answer have arrived.
func prolongPatience(ctx context.Context) {
	if p, ok := ctx.Value(patienceKey{}).(*patience); ok && p.deep {
		p.failing.Reset(readPatience)
	}
}

// nameFailing returns why a read was ended: the SDK only says that it was cancelled.
func nameFailing(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("store.Failing",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleInitialize(ctx, in)
			if cause := context.Cause(ctx); err != nil && (cause == errFailing || cause == game.ErrBusy) {
				err = fmt.Errorf("%w: %w", cause, err)
			}
			return out, metadata, err
		}), middleware.Before)
}

var throttles = retry.IsErrorThrottles(retry.DefaultThrottles)

// Chance returns a random duration from 0 up to, but without, a bound.
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

// settled looks until a look is complete, at most so many times. It pauses in between, so that a transaction becomes
// visible as a whole. It reports whether the last look was complete.
func settled(ctx context.Context, looks int, look func() (complete bool, err error)) (bool, error) {
	for n := 1; ; n++ {
		complete, err := look()
		if err != nil || complete || n == looks {
			return complete, err
		}
		if err := pause(ctx, settling); err != nil {
			return false, err
		}
	}
}

// settling is more than an applied transaction needs to become visible as a whole.
const settling = 300 * time.Millisecond

// backoff waits before attempt n+1, or returns the context's error if that ends first.
func (s *Store) backoff(ctx context.Context, n int) error { return pause(ctx, s.chance.delay(n)) }

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
