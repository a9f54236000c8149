package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ranch-game/ranch/shared/tally"
)

// outcome is how a request ended.
type outcome struct {
	status int
	after  time.Duration
	took   *tally.Tally
	cause  error // what stood in the way of a better answer
	fault  bool
}

// log writes one line. It has nothing of the request but its route and who sent it, and what the answer took.
func (e Endpoint) log(ctx context.Context, ev events.APIGatewayV2HTTPRequest, r *Request, o outcome) {
	logger := e.Logger
	if logger == nil {
		logger = slog.Default()
	}
	level := slog.LevelInfo
	if o.fault || o.status >= http.StatusInternalServerError {
		level = slog.LevelError
	}
	attributes := []slog.Attr{
		slog.String("function", e.name),
		slog.String("route", ev.RouteKey),
		slog.Int("status", o.status),
		slog.Float64("duration_ms", float64(o.after.Microseconds())/1000),
		slog.String("request_id", ev.RequestContext.RequestID),
	}
	if r.Caller.ID != "" {
		attributes = append(attributes, slog.String("user", string(r.Caller.ID)))
	}
	o.took.Each(func(f tally.Figure, n int64) { attributes = append(attributes, slog.Int64(f.String(), n)) })
	if o.cause != nil {
		attributes = append(attributes, slog.String("error", o.cause.Error()))
	}
	logger.LogAttrs(ctx, level, "request", attributes...)
}
