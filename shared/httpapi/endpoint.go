// Package httpapi stands between API Gateway and the handlers: it turns an HTTP API event (payload 2.0) into a Request,
// authenticates, calls the handler, and renders its result. Only this package knows headers, encodings and status
// codes; handlers know requests, responses and refusals.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
	"github.com/ranch-game/ranch/shared/token"
)

// reserve is the remaining time of the function when the handler's context ends, so that the endpoint's own answer can
// still be sent.
const reserve = 500 * time.Millisecond

// Handler answers one request. An error that is a *game.Refusal is the answer. Any other error is a fault, for which
// every endpoint has its own answer.
type Handler func(ctx context.Context, r *Request) (Response, error)

// Verifier returns the user of an access token, or refuses it. Its errors go to the log, and must not contain the
// token.
type Verifier interface {
	VerifyAccess(token string, now game.Instant) (token.Caller, error)
}

// Endpoint is a handler with its surroundings. Public and Protected make one.
type Endpoint struct {
	name    string // for the log
	handle  Handler
	auth    Verifier     // nil: public
	failure Response     // the answer to a fault, a panic, and a response that is too large
	cold    *atomic.Bool // true until the first answer

	Clock   func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: slog.Default(); it must write JSON for metrics
	Metrics emf.Source       // the zero value: no metrics
}

// Public returns an endpoint without authentication, with its own answer to a fault.
func Public(name string, handle Handler, failure Response) Endpoint {
	e := Endpoint{name: name, handle: handle, failure: failure, cold: new(atomic.Bool)}
	e.cold.Store(true)
	return e
}

// Protected returns an endpoint for the users whom the verifier accepts. It answers 401 to all others before the
// handler sees the request. Its answer to a fault is a plain 500, and to game.ErrBusy a 503. It panics without a
// verifier.
func Protected(name string, handle Handler, auth Verifier) Endpoint {
	if auth == nil {
		panic("httpapi: the protected endpoint " + name + " has no verifier")
	}
	e := Public(name, handle, Fault(""))
	e.auth = auth
	return e
}

// Invoke answers one event. While the doors are closed, the answer to every request is a 503. Otherwise authentication
// comes first, then the handler. Every failure is an answer and a log line. The error is nil unless the endpoint's own
// answer to a fault cannot be rendered.
func (e Endpoint) Invoke(ctx context.Context, ev events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	start, cold := time.Now(), e.cold.Swap(false)
	r := newRequest(ev, e.now())
	ctx, took := tally.New(ctx)
	out, cause := e.serve(ctx, ev, r)
	fault := cause != nil && !errors.As(cause, new(*game.Refusal))
	if fault {
		failure := e.failure
		if e.auth != nil && errors.Is(cause, game.ErrBusy) {
			failure, fault = busy(), false
			took.Add(tally.Busy, 1)
		}
		var err error
		if out, err = render(failure, ev); err != nil {
			return out, err
		}
	}
	e.log(ctx, ev, r, outcome{out.StatusCode, time.Since(start), took, cause, fault, cold})
	return out, nil
}

func (e Endpoint) now() game.Instant {
	if e.Clock == nil {
		return game.InstantOf(time.Now())
	}
	return game.InstantOf(e.Clock())
}

// serve returns the rendered answer, and why there is no better one: a refusal, which has been rendered, or a fault,
// which has not.
func (e Endpoint) serve(ctx context.Context, ev events.APIGatewayV2HTTPRequest, r *Request) (out events.APIGatewayV2HTTPResponse, cause error) {
	defer func() {
		if p := recover(); p != nil {
			cause = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if closed(ev) {
		tally.Add(ctx, tally.TurnedAway, 1)
		return render(turnAway(), ev)
	}
	response, cause := e.answer(ctx, ev, r)
	var refusal *game.Refusal
	if errors.As(cause, &refusal) {
		response = Refuse(refusal)
	} else if cause != nil {
		return out, cause
	}
	if e.auth != nil && response.Status == http.StatusUnauthorized {
		response = response.with("WWW-Authenticate", challenge(cause))
	}
	out, err := render(response, ev)
	if err != nil {
		return out, err
	}
	return out, cause
}

func (e Endpoint) answer(ctx context.Context, ev events.APIGatewayV2HTTPRequest, r *Request) (Response, error) {
	if e.auth != nil {
		caller, err := authenticate(e.auth, header(ev, "authorization"), r.Now)
		if err != nil {
			return Response{}, err
		}
		r.Caller = caller
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
		defer cancel()
	}
	return e.handle(ctx, r)
}
