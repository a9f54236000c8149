package table

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/smithy-go/middleware"
)

const (
	// patience limits a request with its repetitions, so that a call answers within seconds if the table is lost. In a
	// patient context it limits only the time in which the table does nothing but fail.
	patience = 3 * time.Second
	// busyPatience limits how long a request is repeated after the table has throttled it once. A partition serves
	// 3,000 RCU per second. If it does not serve a read within a second, it has too many reads: each repetition makes
	// the queue longer. The caller should come back later.
	busyPatience = time.Second
)

// errFailing ends a request if the table does not answer.
var errFailing = fmt.Errorf("the table has failed for %v: %w", patience, context.DeadlineExceeded)

type (
	patientKey struct{} // marks a context whose requests are patient
	requestKey struct{} // has the request of a context
)

// Patiently returns a patient context (see the package). Operations that decide, log-ins, operators and audits need it.
func Patiently(ctx context.Context) context.Context {
	return context.WithValue(ctx, patientKey{}, true)
}

// request is a request with its repetitions. The goroutine of its caller sends it, and notes what happens to it.
type request struct {
	patient   bool
	throttled bool  // at least once
	busy      error // ends a request that the table throttles
	began     time.Time
	timer     *time.Timer // ends it
	end       context.CancelCauseFunc
}

// withPatience limits a request as the package's table says.
func (t *Table) withPatience(ctx context.Context) (context.Context, context.CancelFunc) {
	r := &request{patient: ctx.Value(patientKey{}) != nil, busy: t.busy, began: time.Now()}
	ctx, r.end = context.WithCancelCause(ctx)
	r.timer = time.AfterFunc(patience, func() { r.end(errFailing) })
	return context.WithValue(ctx, requestKey{}, r), func() {
		r.timer.Stop()
		r.end(nil)
	}
}

// answered notes that the table has answered with bytes, or by throttling: a patient request goes on.
func answered(ctx context.Context) {
	if r, ok := ctx.Value(requestKey{}).(*request); ok && r.patient {
		r.timer.Reset(patience)
	}
}

// throttled notes that the table throttles a request: an impatient one has busyPatience from the first time on.
func throttled(ctx context.Context) {
	answered(ctx)
	if r, ok := ctx.Value(requestKey{}).(*request); ok && !r.patient && !r.throttled && r.timer.Stop() {
		r.throttled = true
		left := min(busyPatience, patience-time.Since(r.began))
		r.timer = time.AfterFunc(left, func() { r.end(r.busy) })
	}
}

// watchCall keeps the state of a call. If the call's time ends, it adds to the error why its patience has ended, and
// how the last attempt failed. The SDK's error only has that the call was cancelled.
func watchCall(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("table.Call",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			c := &call{}
			out, metadata, err := next.HandleInitialize(context.WithValue(ctx, callKey{}, c), in)
			r, ok := ctx.Value(requestKey{}).(*request)
			if cause := context.Cause(ctx); err != nil && ok && (cause == errFailing || cause == r.busy) {
				err = fmt.Errorf("%w: %w", cause, err)
			}
			if err != nil && ctx.Err() != nil && c.failure != nil {
				err = fmt.Errorf("%w; the last attempt failed: %v", err, c.failure) // callers decide by the call's end
			}
			return out, metadata, err
		}), middleware.Before)
}

// Chance returns a duration of at least 0 and less than a bound; outside of tests it is random.
type Chance func(bound time.Duration) time.Duration

var atRandom Chance = rand.N[time.Duration]

const (
	backoffBase = 10 * time.Millisecond
	backoffCap  = 640 * time.Millisecond
)

// delay is the delay before attempt n+1: 1 ms, and a random time below a bound that doubles from 10 to 640 ms.
func (c Chance) delay(n int) time.Duration {
	bound := backoffCap
	if n < 7 {
		bound = backoffBase << max(n-1, 0)
	}
	return c(bound) + time.Millisecond
}

// Backoff waits before attempt n+1. If the context ends first, it returns the context's cause.
func (t *Table) Backoff(ctx context.Context, n int) error { return Pause(ctx, t.Chance.delay(n)) }

// Pause waits. If the context ends first, it returns the context's cause.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
