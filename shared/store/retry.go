package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

const (
	// attemptTimeout is how long an attempt may be silent: before the first byte of the answer, and between bytes. A
	// healthy table answers within tens of milliseconds, and the SDK has no limit of its own.
	attemptTimeout = time.Second

	backoffBase = 10 * time.Millisecond
	backoffCap  = 640 * time.Millisecond
)

// ClientOptions prepares a client for the store: attempts with time limits (see Line), connections for parallel reads,
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

// decide runs try until it has decided. try reads, applies the rules, and writes under conditions on what it has read.
// If try returns errStale, errEntered, errClaimed, errConflict or errAtWork, decide waits and runs try again. It
// returns any other error, or nil, as it is. It gives up at the context's deadline, and if try has returned the same
// DamagedShow for damagedFor. The reads of try are patient. The operation's name is for errors.
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
		case errors.Is(err, errEntered), errors.Is(err, errClaimed): // an earlier call or attempt has done it
		case errors.Is(err, errAtWork): // try has waited
		default:
			return err
		}
		if err := s.backoff(ctx, attempt); err != nil {
			return fmt.Errorf("%s: %w", operation, err)
		}
	}
}

// DamagedShow is the error for records of a show that are missing or contradict each other. If that lasts longer than
// damagedFor, the table is damaged. RepairShow repairs most of these shows.
type DamagedShow struct {
	Show game.ID
	What string // names the records, or their numbers
}

func (d DamagedShow) Error() string { return d.What }

// miscounted returns the error for a show that counts another number of entries than it has.
func miscounted(show game.ID, counted, entries int64) DamagedShow {
	return DamagedShow{show, fmt.Sprintf("the show counts %d entries, and %d are there", counted, entries)}
}

// damagedFor is how long a show's records may contradict each other. An applied entry becomes visible much faster.
const damagedFor = 4 * time.Second

type (
	decidingKey struct{} // marks a context whose reads are patient
	patienceKey struct{} // has the patience of a read
)

// Patiently returns a context whose reads are patient. They go on until its deadline, even if the table throttles them
// or the line is slow. A patient read fails earlier only if the table has done nothing but fail for readPatience.
// Operations that decide, log-ins, operators and audits use it.
func Patiently(ctx context.Context) context.Context {
	return context.WithValue(ctx, decidingKey{}, true)
}

// errFailing ends a read if the table does not answer.
var errFailing = fmt.Errorf("the table has failed for %v: %w", readPatience, context.DeadlineExceeded)

// patience is how long a read goes on.
type patience struct {
	end     context.CancelCauseFunc
	deep    bool        // the read is patient: answers of the table prolong it
	failing *time.Timer // ends the read with errFailing
	busy    *time.Timer // ends it with game.ErrBusy; nil until the table has throttled it, and always if deep
}

// withPatience limits a read to readPatience, and to busyPatience from its first throttling on. If the read is patient,
// withPatience limits only the time in which the table does nothing but fail.
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

// throttled notes that the table throttles a read. A patient read goes on, since the table answers. Any other read ends
// after busyPatience: it competes with many reads, and each repetition makes the queue longer.
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

// prolongPatience notes that bytes of an answer have arrived: a patient read goes on.
func prolongPatience(ctx context.Context) {
	if p, ok := ctx.Value(patienceKey{}).(*patience); ok && p.deep {
		p.failing.Reset(readPatience)
	}
}

// watchCall keeps the state of a call. If the call's time ends, it adds to the error why the store has ended a read,
// and how the last attempt failed. The SDK's error only has that the call was cancelled.
func watchCall(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("store.Call",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			c := &call{}
			out, metadata, err := next.HandleInitialize(context.WithValue(ctx, callKey{}, c), in)
			if cause := context.Cause(ctx); err != nil && (cause == errFailing || cause == game.ErrBusy) {
				err = fmt.Errorf("%w: %w", cause, err)
			}
			if err != nil && ctx.Err() != nil && c.failure != nil {
				err = fmt.Errorf("%w; the last attempt failed: %v", err, c.failure) // callers decide by the call's end
			}
			return out, metadata, err
		}), middleware.Before)
}

var throttles = retry.IsErrorThrottles(retry.DefaultThrottles)

// Chance returns a duration of at least 0 and less than a bound; outside of tests it is random.
type Chance func(bound time.Duration) time.Duration

var atRandom Chance = rand.N[time.Duration]

// delay is the delay before attempt n+1: 1 ms, and a random time below a bound that doubles from 10 to 640 ms.
func (c Chance) delay(n int) time.Duration {
	bound := backoffCap
	if n < 7 {
		bound = backoffBase << max(n-1, 0)
	}
	return c(bound) + time.Millisecond
}

// settled calls look until it reports complete, at most looks times. In between it waits for settling, so that a
// transaction becomes visible as a whole. It reports whether the last look was complete.
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

// backoff waits before attempt n+1. If the context ends first, it returns the context's cause.
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
