package httpapi

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// outcome is the result of a request.
type outcome struct {
	status int
	after  time.Duration
	took   *tally.Tally
	cause  error // a refusal or a fault; nil if the request succeeded
	fault  bool
	cold   bool // the request was the first of the process
}

// log writes the request's log line, which also carries the metrics. The line has the request's route, show and user,
// but no token, password or address.
func (e Endpoint) log(ctx context.Context, ev events.APIGatewayV2HTTPRequest, r *Request, o outcome) {
	logger, level := cmp.Or(e.Logger, slog.Default()), slog.LevelInfo
	if o.fault || o.status == http.StatusInternalServerError {
		level = slog.LevelError
		o.took.Add(tally.Faults, 1)
	}
	code := refusalCode(o.cause)
	if code != "" {
		o.took.Add(tally.Refusals, 1)
	}
	if o.cold {
		o.took.Add(tally.ColdStarts, 1)
	}
	line := make([]slog.Attr, 0, 32)
	line = append(line, slog.String("function", e.name))
	line = appendText(line, "version", e.Metrics.Version)
	line = append(line, slog.String("route", ev.RouteKey), slog.Int("status", o.status))
	line = appendText(line, "code", code)
	line = append(line,
		slog.Float64("duration_ms", float64(o.after.Microseconds())/1000),
		slog.String("request_id", ev.RequestContext.RequestID))
	if invocation, ok := lambdacontext.FromContext(ctx); ok {
		line = appendText(line, "lambda_request_id", invocation.AwsRequestID)
	}
	line = appendText(line, "trace_id", traceID(ctx))
	line = appendText(line, "user", string(r.user()))
	if show, ok := game.ParseID(r.PathID); ok {
		line = append(line, slog.String("show", string(show)))
	}
	if o.cold {
		line = append(line, slog.Bool("cold_start", true))
	}
	var values []emf.Value
	o.took.Each(func(f tally.Figure, n int64) { values = append(values, emf.Value{Figure: f, N: n}) })
	logger.LogAttrs(ctx, level, "request", e.Metrics.Append(line, r.Now.Time(), code, o.cause, values...)...)
}

// appendText appends a text, unless it is empty.
func appendText(line []slog.Attr, name, text string) []slog.Attr {
	if text == "" {
		return line
	}
	return append(line, slog.String(name, text))
}

// refusalCode returns the error code of the refusal in cause, or "" if cause is not a refusal.
func refusalCode(cause error) string {
	if refusal, ok := errors.AsType[*game.Refusal](cause); ok {
		return string(refusal.Code)
	}
	return ""
}

// traceID returns the request's id in X-Ray and API Gateway, or "". The id is the field Root of the trace header, which
// aws-lambda-go puts into the context. A client may have chosen this text, so it must have the form of an id.
func traceID(ctx context.Context) string {
	header, _ := ctx.Value("x-amzn-trace-id").(string)
	for field := range strings.SplitSeq(header, ";") {
		if root, ok := strings.CutPrefix(field, "Root="); ok && traceIDForm.MatchString(root) {
			return root
		}
	}
	return ""
}

var traceIDForm = regexp.MustCompile(`^1-[0-9a-f]{8}-[0-9a-f]{24}$`)
