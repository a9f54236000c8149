// Package httpapi connects API Gateway to the handlers. It turns an HTTP API event (payload 2.0) into a Request,
// authenticates the caller, calls the handler, and renders the handler's result. Only this package knows headers,
// encodings and status codes. Handlers know requests, responses and refusals.
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

// reserve is the time between the end of the handler's context and the time limit of the function. In this time the
// endpoint can still send its own answer.
const reserve = 500 * time.Millisecond

// Handler answers one request. If the error is a *game.Refusal, the client gets the refusal. Any other error is a
// fault, and the client gets the endpoint's fixed answer to faults. Protected has an exception for game.ErrBusy.
type Handler func(ctx context.Context, r *Request) (Response, error)

// Verifier returns the user of an access token. For an invalid token, the error is token.ErrInvalid or
// token.ErrExpired; any other error is a fault. The log has the errors, which must not contain the token.
type Verifier interface {
	VerifyAccess(token string, now game.Instant) (token.Caller, error)
}

// Endpoint answers the events of one route. Public and Protected return an Endpoint.
type Endpoint struct {
	name    string // for the log
	handle  Handler
	auth    Verifier     // nil if the endpoint is public
	failure Response     // the answer to a fault, to a panic, and to a response that cannot be rendered
	cold    *atomic.Bool // true until the process has answered its first request

	Clock   func() time.Time // nil means time.Now
	Logger  *slog.Logger     // nil means slog.Default(); for metrics it must write JSON
	Metrics emf.Source       // the zero value means no metrics
}

// Public returns an endpoint without authentication, which answers a fault with failure. The name is for the log.
func Public(name string, handle Handler, failure Response) Endpoint {
	e := Endpoint{name: name, handle: handle, failure: failure, cold: new(atomic.Bool)}
	e.cold.Store(true)
	return e
}

// Protected returns an endpoint for users whom the verifier accepts. Without a valid access token, a client gets a 401
// and the handler is not called. No other refusal has this status: one that is a 401 of a public endpoint, such as a
// wrong password, is a 403. The endpoint answers a fault with a 500, and game.ErrBusy with a 503. Protected panics
// if auth is nil.
func Protected(name string, handle Handler, auth Verifier) Endpoint {
	if auth == nil {
		panic("httpapi: the protected endpoint " + name + " has no verifier of access tokens: call Protected with one, or Public")
	}
	e := Public(name, handle, Fault(""))
	e.auth = auth
	return e
}

// Invoke answers one event and writes one log line. While an operator has closed the API, every answer is a 503.
// Otherwise Invoke authenticates the caller of a protected endpoint, then calls the handler. A refusal or a fault is an
// answer, too. Only if Invoke cannot render the endpoint's answer to a fault, it returns an error, and writes no line.
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

// serve returns the rendered answer. If cause is a refusal, out is its answer. If cause is another error (a fault), the
// caller must render the answer.
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
	if refusal, ok := errors.AsType[*game.Refusal](cause); ok {
		response = Refuse(refusal)
	} else if cause != nil {
		return out, cause
	}
	if e.auth != nil && response.Status == http.StatusUnauthorized {
		if errors.Is(cause, game.ErrUnauthorized) {
			response = response.with("WWW-Authenticate", challenge(cause))
		} else { // clients take a 401 of a protected endpoint for an expired token
			response.Status = http.StatusForbidden
		}
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
