// Package schedule stands between EventBridge Scheduler and the functions that it runs, as package httpapi does for
// endpoints. An event only says that it is time.
package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// reserve is the remaining time of the function when the work's context ends, so that its log line can still be
// written.
const reserve = 500 * time.Millisecond

// Work is one run of the job. It returns the fields for the run's log line. An error means that some of it was not
// done; the line still reports the rest.
type Work func(ctx context.Context, now game.Instant) (Report, error)

// Report is the result of a run.
type Report struct {
	Line []slog.Attr // ids and numbers; no e-mail address
	// Always are figures that are metrics even if they are 0. The tally's others are metrics only if they are not.
	Always []tally.Figure
}

// Job is work with its surroundings.
type Job struct {
	name string // for the log
	work Work

	Clock   func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: slog.Default(); it must write JSON for metrics
	Metrics emf.Source       // the zero value: no metrics
}

// New returns a job.
func New(name string, work Work) Job { return Job{name: name, work: work} }

// Run does the work once, for any event, and writes one log line. Its error is the work's: Lambda counts it, and no
// caller receives it.
func (j Job) Run(ctx context.Context) error {
	start, now := time.Now(), game.InstantOf(time.Now())
	if j.Clock != nil {
		now = game.InstantOf(j.Clock())
	}
	ctx, took := tally.New(ctx)
	report, err := j.do(ctx, now)
	j.log(ctx, now, time.Since(start), took, report, err)
	return err
}

// do does the work within the function's time. A panic is an error.
func (j Job) do(ctx context.Context, now game.Instant) (report Report, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
		defer cancel()
	}
	return j.work(ctx, now)
}

func (j Job) log(ctx context.Context, now game.Instant, after time.Duration, took *tally.Tally, report Report, err error) {
	logger, level := j.Logger, slog.LevelInfo
	if logger == nil {
		logger = slog.Default()
	}
	line := []slog.Attr{slog.String("function", j.name)}
	if j.Metrics.Version != "" {
		line = append(line, slog.String("version", j.Metrics.Version))
	}
	line = append(line, slog.Float64("duration_ms", float64(after.Microseconds())/1000))
	if invocation, ok := lambdacontext.FromContext(ctx); ok && invocation.AwsRequestID != "" {
		line = append(line, slog.String("lambda_request_id", invocation.AwsRequestID))
	}
	line = append(line, report.Line...)
	if err != nil {
		level = slog.LevelError
		took.Add(tally.Faults, 1)
		line = append(line, slog.String("error", err.Error()))
	}
	var values []emf.Value
	for _, f := range tally.Figures() {
		if n := took.Get(f); n != 0 || slices.Contains(report.Always, f) {
			values = append(values, emf.Value{Figure: f, N: n})
		}
	}
	logger.LogAttrs(ctx, level, "run", j.Metrics.Append(line, now.Time(), "", values...)...)
}
