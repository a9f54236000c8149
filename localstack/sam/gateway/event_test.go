package gateway

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// event decodes the answer of a function that has returned its event.
func (a answer) event(t *testing.T) (event events.APIGatewayV2HTTPRequest) {
	t.Helper()
	err := json.Unmarshal([]byte(a.body), &event)
	require.True(t, err == nil && a.status == http.StatusOK, "%d %s %v: %v", a.status, a.body, a.err, err)
	return event
}

func TestEvent(t *testing.T) {
	s := serve(t, Config{Functions: []FunctionConfig{functionAt("Feed", "POST", "/cats/{id}/feed")}})
	a := s.send("POST", "/cats/7/feed?b=2&a=1&b=x%2Cy&empty=&bare&odd=%zz", `{"food": "käse"}`,
		"Content-Type: application/json", "Authorization: Bearer abc", "X-Twice: one", "x-twice: two", "User-Agent: tests/1",
		"Cookie: first=1; second=2", "X-Forwarded-For: 192.0.2.7", "Connection: close")
	got := a.event(t)
	host := strings.TrimPrefix(s.url, "http://")
	name, port, _ := strings.Cut(host, ":")
	want := events.APIGatewayV2HTTPRequest{
		Version:        "2.0",
		RouteKey:       "POST /cats/{id}/feed",
		RawPath:        "/cats/7/feed",
		RawQueryString: "b=2&a=1&b=x%2Cy&empty=&bare&odd=%zz",
		Headers: map[string]string{
			"authorization": "Bearer abc", "content-type": "application/json", "content-length": "17", "x-twice": "one,two", "user-agent": "tests/1",
			"host": host, "x-forwarded-for": "192.0.2.7, 127.0.0.1", "x-forwarded-port": port, "x-forwarded-proto": "http",
			"x-amzn-trace-id": got.Headers["x-amzn-trace-id"], "accept-encoding": "gzip",
		},
		QueryStringParameters: map[string]string{"a": "1", "b": "2,x,y", "empty": "", "bare": "", "odd": "%zz"},
		PathParameters:        map[string]string{"id": "7"},
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: "POST /cats/{id}/feed", AccountID: accountID, Stage: "$default", APIID: apiID, DomainName: name, DomainPrefix: "127",
			RequestID: a.header.Get("Apigw-Requestid"),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: "POST", Path: "/cats/7/feed", Protocol: "HTTP/1.1", SourceIP: "127.0.0.1", UserAgent: "tests/1",
			},
		},
		Body: `{"food": "käse"}`,
	}
	assert.Empty(t, cmp.Diff(want, got, cmpopts.IgnoreFields(events.APIGatewayV2HTTPRequestContext{}, "Time", "TimeEpoch")))
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", got.RequestContext.Time)
	assert.True(t, err == nil && at.Unix() == got.RequestContext.TimeEpoch/1000 && time.Since(at).Abs() <= patience,
		"time %q, epoch %d: %v", got.RequestContext.Time, got.RequestContext.TimeEpoch, err)
	trace := got.Headers["x-amzn-trace-id"]
	assert.True(t, got.RequestContext.RequestID != "" && regexp.MustCompile(`^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$`).MatchString(trace),
		"request id %q, trace id %q", got.RequestContext.RequestID, trace)
}

// An event has no field for a missing part of its request.
func TestEventOfTheBarestRequest(t *testing.T) {
	s := serve(t, Config{Functions: []FunctionConfig{functionAt("List", "GET", "/cats")}})
	var event map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(s.send("GET", "/cats", "").body), &event))
	want := []string{"headers", "isBase64Encoded", "rawPath", "rawQueryString", "requestContext", "routeKey", "version"}
	assert.True(t, slices.Equal(slices.Sorted(maps.Keys(event)), want) && string(event["rawQueryString"]) == `""` && string(event["isBase64Encoded"]) == "false",
		"event %s, want the fields %v", event, want)
}

func TestEventBody(t *testing.T) {
	s := serveOne(t)
	for _, test := range []struct {
		contentType, body string
		encoded           bool
	}{
		{"application/json", "{}", false},
		{"Application/JSON; charset=utf-8", "{}", false},
		{"application/problem+json", "{}", false},
		{"application/xml", "<a/>", false},
		{"image/svg+xml", "<a/>", false},
		{"application/javascript", "a()", false},
		{"text/csv", "a,b", false},
		{"application/x-www-form-urlencoded", "a=b", true},
		{"application/octet-stream", "\x00\xff", true},
		{"", "{}", true},
		{"json; =", "{}", true},
		{"text/plain", "a\xffb", true},
		{"", "", false},
		{"application/octet-stream", "", false},
	} {
		var headers []string
		if test.contentType != "" {
			headers = []string{"Content-Type: " + test.contentType}
		}
		event, want := s.send("POST", "/do", test.body, headers...).event(t), test.body
		if test.encoded {
			want = base64.StdEncoding.EncodeToString([]byte(test.body))
		}
		assert.True(t, event.Body == want && event.IsBase64Encoded == test.encoded,
			"%q of type %q becomes %q, encoded: %t", test.body, test.contentType, event.Body, event.IsBase64Encoded)
	}
}

func TestClientsTraceIsKept(t *testing.T) {
	const trace = "Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e"
	s := serveOne(t)
	event := s.send("POST", "/do", "", "X-Amzn-Trace-Id: "+trace).event(t)
	invocation := s.send("POST", "/do", "", "X-Amzn-Trace-Id: "+trace, "X-Do: instance").instance(t)
	assert.True(t, event.Headers["x-amzn-trace-id"] == trace && invocation.Trace == trace,
		"trace %q in the event, %q with the invocation", event.Headers["x-amzn-trace-id"], invocation.Trace)
}
