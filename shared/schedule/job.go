// Package schedule connects EventBridge Scheduler to the functions that run at fixed times. Any event starts a run.
package schedule

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// reserve is the time between the end of the work's context and the time limit of the function. In this time the job
// can still write its log line.
const reserve = 500 * time.Millisecond

// Work does one run of a job. The report has fields for the run's log line. If a part of the work was not done, Work
// returns an error, and the report has the part that was done.
type Work func(ctx context.Context, now game.Instant) (Report, error)

// Report is the result of a run.
type Report struct {
	Line []slog.Attr // ids and numbers; no e-mail address
	// Always lists the figures that the log line has even if they are 0. The line has another figure of the context's
	// tally only if the figure is not 0.
	Always []tally.Figure
}

// Job is work that a function runs at fixed times. New returns a Job.
type Job struct {
	name string // for the log
	work Work

	Clock   func() time.Time // nil means time.Now
	Logger  *slog.Logger     // nil means slog.Default(); for metrics it must write JSON
	Metrics emf.Source       // the zero value means no metrics
}

// New returns a job that does the work. The name is for the log.
func New(name string, work Work) Job { return Job{name: name, work: work} }

// Run does the work once and writes one log line. It returns the work's error, bounded as in that line, so that Lambda
// counts a failed run. Lambda's runtime logs the error once more.
func (j Job) Run(ctx context.Context) error {
	start, now := time.Now(), game.InstantOf(time.Now())
	if j.Clock != nil {
		now = game.InstantOf(j.Clock())
	}
	ctx, took := tally.New(ctx)
	report, err := j.do(ctx, now)
	j.log(ctx, now, time.Since(start), took, report, err)
	return emf.Bounded(err)
}

// do does the work, and ends its context 500 ms (reserve) before the function's time. It turns a panic into an error.
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
	logger, level := cmp.Or(j.Logger, slog.Default()), slog.LevelInfo
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
	}
	var values []emf.Value
	took.Each(func(f tally.Figure, n int64) { values = append(values, emf.Value{Figure: f, N: n}) }, report.Always...)
	logger.LogAttrs(ctx, level, "run", j.Metrics.Append(line, now.Time(), "", err, values...)...)
}
