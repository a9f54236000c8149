package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
)

func TestRequest(t *testing.T) {
	ev := event(`{"animalId":"x"}`)
	ev.PathParameters = map[string]string{"id": "Some-Id"}
	ev.RawQueryString = "tier=pro&tier=elite"
	ev.QueryStringParameters = map[string]string{"tier": "pro,elite"} // API Gateway joins them
	var got *Request
	endpoint := quiet(Public("test", func(_ context.Context, r *Request) (Response, error) { got = r; return OK(1), nil }, Fault("")))
	endpoint.Clock = func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 123_999_999, time.UTC) }
	invoke(t, endpoint, ev)
	want := &Request{Now: 1_795_167_000_123, Path: ev.RawPath, PathID: "Some-Id", Query: "tier=pro&tier=elite", Body: []byte(`{"animalId":"x"}`)}
	assert.Empty(t, cmp.Diff(want, got))
}

func TestRequestsHaveTheTimeOfTheirArrival(t *testing.T) {
	before := game.InstantOf(time.Now())
	var got game.Instant
	invoke(t, quiet(Public("test", func(_ context.Context, r *Request) (Response, error) { got = r.Now; return OK(1), nil }, Fault(""))), event(""))
	after := game.InstantOf(time.Now())
	assert.True(t, got >= before && got <= after, "%v is not from %v to %v", got, before, after)
}

func TestAnswers(t *testing.T) {
	loginFailed := Fault("Login failed")
	tooLarge := OK(strings.Repeat("x", maxPayloadBytes))
	fault := errors.New("secret cause")
	panics := func(value any) Handler { return func(context.Context, *Request) (Response, error) { panic(value) } }
	const plain500 = `{"error":"INTERNAL_ERROR"}`
	for name, test := range map[string]struct {
		failure Response
		handle  Handler
		status  int
		body    string
	}{
		"answer": {Fault(""), returns(Created(map[string]int{"n": 1}), nil), 201, `{"n":1}`},
		"refusal": {Fault(""), returns(Response{}, game.ErrShowClosed), 404,
			`{"error":"NOT_FOUND","message":"Show not found or entry closed"}`},
		"refusal without message": {Fault(""), returns(Response{}, game.ErrAlreadyClaimed), 400, `{"error":"ALREADY_CLAIMED"}`},
		"wrapped refusal": {loginFailed, returns(OK(1), fmt.Errorf("log in: %w", game.ErrBanned)), 403,
			`{"error":"BANNED","message":"This account has been banned."}`},
		"fault":             {Fault(""), returns(OK(1), fault), 500, plain500},
		"fault, own answer": {loginFailed, returns(OK(1), fault), 500, `{"error":"INTERNAL_ERROR","message":"Login failed"}`},
		"fault behind a refusal": {Refuse(game.ErrRefreshTokenBad), returns(OK(1), fault), 401,
			`{"error":"INVALID_TOKEN","message":"Invalid refresh token"}`},
		"fault behind a success": {OK(map[string]bool{"success": true}), returns(OK(1), fault), 200, `{"success":true}`},
		"panic":                  {loginFailed, panics("secret cause"), 500, `{"error":"INTERNAL_ERROR","message":"Login failed"}`},
		"panic with a refusal":   {Fault(""), panics(game.ErrBanned), 500, plain500},
		"panic in the rendering": {Fault(""), returns(OK(explosive{}), nil), 500, plain500},
		"too large":              {Fault(""), returns(tooLarge, nil), 500, plain500},
		"no JSON":                {Fault(""), returns(OK(make(chan int)), nil), 500, plain500},
	} {
		out := invoke(t, quiet(Public("test", test.handle, test.failure)), event(""))
		assert.True(t, out.StatusCode == test.status && out.Body == test.body, "%s: got %d %.100s", name, out.StatusCode, out.Body)
		assert.True(t, out.Headers["Content-Type"] == "application/json" && out.Headers["Cache-Control"] == "no-store",
			"%s: headers %v", name, out.Headers)
	}
}

// A busy table is not a fault at a protected endpoint: the caller gets a 503. A public endpoint answers as to a fault.
func TestBusy(t *testing.T) {
	busy := returns(Response{}, fmt.Errorf("read: %w", game.ErrBusy))
	waits := map[string]bool{}
	for range 100 {
		ev := event("")
		ev.Headers = map[string]string{"authorization": "Bearer good"}
		out := invoke(t, quiet(Protected("test", busy, onlyToken("good"))), ev)
		require.True(t, out.StatusCode == 503 && out.Body == `{"message":"Service Unavailable"}` && out.Headers["Cache-Control"] == "no-store",
			"got %d %s, %v", out.StatusCode, out.Body, out.Headers)
		waits[out.Headers["Retry-After"]] = true
	}
	assert.True(t, maps.Equal(waits, map[string]bool{"1": true, "2": true, "3": true}), "Retry-After is %v", waits)
	out := invoke(t, quiet(Public("test", busy, Fault("Login failed"))), event(""))
	assert.Equal(t, 500, out.StatusCode, "without a token: %d", out.StatusCode)
}

// A closed API answers 503 before it looks at credentials or body, and calls no handler. These answers are not faults.
func TestClosedDoors(t *testing.T) {
	var log strings.Builder
	handled := func(context.Context, *Request) (Response, error) { t.Error("the handler ran"); return OK(1), nil }
	for name, e := range map[string]Endpoint{"public": Public("test", handled, Fault("")), "protected": Protected("test", handled, onlyToken("good"))} {
		e.Logger = slog.New(slog.NewTextHandler(&log, nil))
		waits := map[string]bool{}
		for range 300 {
			ev := event("no JSON")
			ev.StageVariables = map[string]string{"doors": "closed"}
			out := invoke(t, e, ev)
			require.True(t, out.StatusCode == 503 && out.Body == `{"error":"CLOSED","message":"The game is closed for maintenance. Please come back soon."}` && out.Headers["Cache-Control"] == "no-store",
				"%s: got %d %s, %v", name, out.StatusCode, out.Body, out.Headers)
			waits[out.Headers["Retry-After"]] = true
		}
		assert.True(t, len(waits) == 11 && waits["10"] && waits["20"], "%s: Retry-After is %v", name, waits)
	}
	assert.True(t, strings.Count(log.String(), "level=INFO") == 600 && strings.Count(log.String(), " TurnedAway=1") == 600,
		"logged %.500s", log.String())
	open := event("")
	open.StageVariables = map[string]string{"doors": "open"}
	out := invoke(t, quiet(Public("test", returns(OK(1), nil), Fault(""))), open)
	assert.Equal(t, 200, out.StatusCode, "open doors: %d", out.StatusCode)
}

// explosive panics during its rendering.
type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("secret cause") }

// If the endpoint's answer to a fault cannot be rendered, Invoke returns an error: API Gateway then answers.
func TestFailureThatCannotBeRendered(t *testing.T) {
	endpoint := quiet(Public("test", returns(OK(1), errors.New("cause")), OK(make(chan int))))
	out, err := endpoint.Invoke(t.Context(), event(""))
	assert.Error(t, err, "got %+v", out)
}

// The handler's context ends 500 ms before the function's time, so that the endpoint can still answer.
func TestHandlersDeadline(t *testing.T) {
	deadline := time.Now().Add(10 * time.Second)
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	defer cancel()
	var got time.Time
	var limited bool
	endpoint := quiet(Public("test", func(ctx context.Context, _ *Request) (Response, error) {
		got, limited = ctx.Deadline()
		return OK(1), nil
	}, Fault("")))
	_, err := endpoint.Invoke(ctx, event(""))
	assert.True(t, err == nil && limited && got.Equal(deadline.Add(-500*time.Millisecond)),
		"deadline %v, %t, want 500 ms before %v; %v", got, limited, deadline, err)
	_, err = endpoint.Invoke(t.Context(), event(""))
	assert.True(t, err == nil && !limited, "deadline %v without one of the function, %v", got, err)
}

func returns(r Response, err error) Handler {
	return func(context.Context, *Request) (Response, error) { return r, err }
}

func event(body string) events.APIGatewayV2HTTPRequest {
	return events.APIGatewayV2HTTPRequest{Version: "2.0", RouteKey: "POST /x", Body: body}
}

// quiet keeps the endpoint's log out of the test's output.
func quiet(e Endpoint) Endpoint {
	e.Logger = slog.New(slog.DiscardHandler)
	return e
}

func invoke(t *testing.T, e Endpoint, ev events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	t.Helper()
	out, err := e.Invoke(t.Context(), ev)
	require.NoError(t, err)
	return out
}
