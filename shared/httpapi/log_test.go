package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// TestLog checks the exact log line of a process's second request.
func TestLog(t *testing.T) {
	const (
		user = `"user":"` + string(callerID) + `"`
		show = `"show":"00000007-0000-4000-8000-00000000000a"`
		aws  = `"_aws":{"Timestamp":1795167000123,"CloudWatchMetrics":[`
		// The parts of a line's member _aws.
		refused = `{"Namespace":"ranch","Dimensions":[["Code"]],"Metrics":[{"Name":"Refusals","Unit":"Count"}]}`
		failed  = `"Faults":1,"FunctionName":"ranch-Test","FunctionVersion":"7",` + aws +
			`{"Namespace":"ranch","Dimensions":[[],["FunctionName","FunctionVersion"]],"Metrics":[{"Name":"Faults","Unit":"Count"}]}]}`
	)
	ids := `"duration_ms":0,"request_id":"request-1","lambda_request_id":"invocation-1","trace_id":"` + traceRoot + `"`
	line := func(level string, members ...string) string {
		return `{"level":"` + level + `","msg":"request","function":"test","version":"7","route":"POST /x",` + strings.Join(members, ",") + "}"
	}
	for name, test := range map[string]struct {
		endpoint Endpoint
		want     string
	}{
		"answer":        {Protected("test", returns(OK(1), nil), onlyToken("good")), line("INFO", `"status":200`, ids, user, show)},
		"open endpoint": {Public("test", returns(OK(1), nil), Fault("")), line("INFO", `"status":200`, ids, show)},
		"open endpoint that knows whose request it is": {
			Public("test", func(_ context.Context, r *Request) (Response, error) {
				r.Account = callerID
				return Response{}, game.ErrInvalidCredentials
			}, Fault("")),
			line("INFO", `"status":401,"code":"INVALID_CREDENTIALS"`, ids, user, show,
				`"Refusals":1,"Code":"INVALID_CREDENTIALS"`, aws+refused+"]}", `"error":"INVALID_CREDENTIALS: Invalid email or password"`),
		},
		"refused credentials": {
			Protected("test", returns(OK(1), nil), onlyToken("another")),
			line("INFO", `"status":401,"code":"UNAUTHORIZED"`, ids, show,
				`"Refusals":1,"Code":"UNAUTHORIZED"`, aws+refused+"]}", `"error":"UNAUTHORIZED: the token is invalid: malformed, altered, of the wrong kind, or signed with an unknown key"`),
		},
		"refusal": {
			Protected("test", returns(Response{}, game.ErrCalf), onlyToken("good")),
			line("INFO", `"status":400,"code":"INVALID"`, ids, user, show,
				`"Refusals":1,"Code":"INVALID"`, aws+refused+"]}", `"error":"INVALID: Calves cannot enter shows"`),
		},
		"fault": {
			Protected("test", returns(Response{}, errors.New("table gone")), onlyToken("good")),
			line("ERROR", `"status":500`, ids, user, show, failed, `"error":"table gone"`),
		},
		"busy table": {
			Protected("test", returns(Response{}, game.ErrBusy), onlyToken("good")),
			line("INFO", `"status":503`, ids, user, show, `"Busy":1,"error":"the table throttles this read: repeat it in some seconds"`),
		},
		"fault behind a success": {
			Public("test", returns(Response{}, errors.New("table gone")), OK(1)),
			line("ERROR", `"status":200`, ids, show, failed, `"error":"table gone"`),
		},
		"fault behind a refusal": {
			Public("test", returns(Response{}, errors.New("table gone")), Refuse(game.ErrRefreshTokenBad)),
			line("ERROR", `"status":401`, ids, show, failed, `"error":"table gone"`),
		},
		"answer that is a 500": {Public("test", returns(Fault(""), nil), Fault("")), line("ERROR", `"status":500`, ids, show, failed)},
		"what it took, and what became true": {
			Protected("test", func(ctx context.Context, _ *Request) (Response, error) {
				tally.Add(ctx, tally.Attempts, 2)
				tally.Add(ctx, tally.GoldCharged, 50)
				tally.Add(ctx, tally.Gate, 3)
				return OK(1), nil
			}, onlyToken("good")),
			line("INFO", `"status":200`, ids, user, show, `"Attempts":2,"GoldCharged":50,"gate":3`,
				aws+`{"Namespace":"ranch","Dimensions":[[]],"Metrics":[{"Name":"Attempts","Unit":"Count"},{"Name":"GoldCharged"}]}]}`),
		},
	} {
		logged(t, test.endpoint)
		assert.Empty(t, cmp.Diff(test.want, logged(t, test.endpoint)), "%s (-want +got)", name)
	}
}

func TestLogOfAColdStart(t *testing.T) {
	endpoint := Public("test", returns(OK(1), nil), Fault(""))
	for i, want := range []bool{true, false, false} {
		line := logged(t, endpoint)
		assert.True(t, strings.Contains(line, `"cold_start":true`) == want && strings.Contains(line, `{"Name":"ColdStarts","Unit":"Count"}`) == want,
			"request %d: %s", i, line)
	}
}

// The log has the id in the path, a client's text, only if it is a UUID. FuzzTraceID checks the same for a trace id.
func TestLogOfStrangeIDs(t *testing.T) {
	for id, want := range map[string]string{
		"": "", "x": "", "s3cret": "", "00000007-0000-4000-8000-00000000000A": "00000007-0000-4000-8000-00000000000a",
		"{00000007-0000-4000-8000-00000000000a}": "",
	} {
		ev := event("")
		ev.PathParameters = map[string]string{"id": id}
		fields := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(loggedOf(t, Public("test", returns(OK(1), nil), Fault("")), t.Context(), ev)), &fields))
		show, _ := fields["show"].(string)
		assert.Equal(t, want, show, "the id %q is logged as %q", id, show)
	}
}

func TestLogOfAPanicHasTheStack(t *testing.T) {
	line := logged(t, Public("test", func(context.Context, *Request) (Response, error) { panic("boom") }, Fault("")))
	assert.True(t, strings.Contains(line, `"level":"ERROR"`) && strings.Contains(line, `"error":"panic: boom\n`) && strings.Contains(line, "log_test.go"),
		"got %s", line)
}

func TestLogOfATooLargeAnswerHasTheCause(t *testing.T) {
	line := logged(t, Public("test", returns(OK(strings.Repeat("x", maxPayloadBytes)), nil), Fault("")))
	assert.True(t, strings.Contains(line, `"level":"ERROR"`) && strings.Contains(line, "Lambda accepts at most 6291556"), "got %s", line)
}

const traceRoot = "1-67891233-abcdef012345678912345678"

// logged invokes the endpoint as Lambda does, with a request full of secrets, and returns its log line, without the
// time and with a duration of 0.
func logged(t *testing.T, e Endpoint) string {
	t.Helper()
	//lint:ignore SA1029 the key is aws-lambda-go's
	ctx := context.WithValue(t.Context(), "x-amzn-trace-id", "Root="+traceRoot+";Parent=s3cret;Sampled=0;Lineage=1:s3cret:0")
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: "invocation-1"})
	ev := event(`{"email":"ann@example.com","password":"s3cret-body","refreshToken":"s3cret-token"}`)
	ev.Headers = map[string]string{"authorization": "Bearer good", "x-forwarded-for": "203.0.113.7", "cookie": "s3cret", "user-agent": "s3cret"}
	ev.RawQueryString, ev.RequestContext.RequestID = "q=s3cret-query", "request-1"
	ev.RequestContext.HTTP.SourceIP, ev.RequestContext.HTTP.UserAgent = "203.0.113.7", "s3cret"
	ev.PathParameters = map[string]string{"id": "00000007-0000-4000-8000-00000000000a"}
	return loggedOf(t, e, ctx, ev)
}

var duration = regexp.MustCompile(`"duration_ms":[0-9.e-]+,`)

// loggedOf checks that there is one line, that it has no secret, and that CloudWatch can read it.
func loggedOf(t *testing.T, e Endpoint, ctx context.Context, ev events.APIGatewayV2HTTPRequest) string {
	t.Helper()
	var b bytes.Buffer
	e.Logger = slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	e.Metrics = emf.Source{Namespace: "ranch", Function: "ranch-Test", Version: "7"}
	e.Clock = func() time.Time { return time.UnixMilli(1_795_167_000_123) }
	_, err := e.Invoke(ctx, ev)
	require.NoError(t, err)
	for _, secret := range []string{"good", "ann@example.com", "s3cret", "203.0.113.7"} {
		assert.False(t, strings.Contains(b.String(), secret), "the log has %q: %s", secret, b.String())
	}
	line, rest, ended := strings.Cut(b.String(), "\n")
	require.True(t, json.Valid([]byte(line)) && ended && rest == "", "not one line of JSON: %s", b.String())
	assert.True(t, duration.MatchString(line), "it does not say what it took: %s", line)
	return duration.ReplaceAllString(line, `"duration_ms":0,`)
}
