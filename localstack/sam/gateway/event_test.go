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
)

// event gives the event that a function has echoed.
func (a answer) event(t *testing.T) events.APIGatewayV2HTTPRequest {
	t.Helper()
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal([]byte(a.body), &event); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %s %v: %v", a.status, a.body, a.err, err)
	}
	return event
}

func TestEvent(t *testing.T) {
	s := serve(t, Config{Functions: []FunctionConfig{functionAt("Enter", "POST", "/shows/{id}/enter")}})
	a := s.send("POST", "/shows/7/enter?b=2&a=1&b=x%2Cy&empty=&bare&odd=%zz", `{"animal": "käse"}`,
		"Content-Type: application/json", "Authorization: Bearer abc", "X-Twice: one", "x-twice: two", "User-Agent: tests/1",
		"Cookie: first=1; second=2", "Cookie: third=a=b", "X-Forwarded-For: 192.0.2.7", "Connection: close")
	got := a.event(t)
	host := strings.TrimPrefix(s.url, "http://")
	name, port, _ := strings.Cut(host, ":")
	want := events.APIGatewayV2HTTPRequest{
		Version:        "2.0",
		RouteKey:       "POST /shows/{id}/enter",
		RawPath:        "/shows/7/enter",
		RawQueryString: "b=2&a=1&b=x%2Cy&empty=&bare&odd=%zz",
		Cookies:        []string{"first=1", "second=2", "third=a=b"},
		Headers: map[string]string{
			"authorization": "Bearer abc", "content-type": "application/json", "content-length": "19", "x-twice": "one,two", "user-agent": "tests/1",
			"host": host, "x-forwarded-for": "192.0.2.7, 127.0.0.1", "x-forwarded-port": port, "x-forwarded-proto": "http",
			"x-amzn-trace-id": got.Headers["x-amzn-trace-id"], "accept-encoding": "gzip",
		},
		QueryStringParameters: map[string]string{"a": "1", "b": "2,x,y", "empty": "", "bare": "", "odd": "%zz"},
		PathParameters:        map[string]string{"id": "7"},
		RequestContext: events.APIGatewayV2HTTPRequestContext{
			RouteKey: "POST /shows/{id}/enter", AccountID: accountID, Stage: "$default", APIID: apiID, DomainName: name, DomainPrefix: "127",
			RequestID: a.header.Get("Apigw-Requestid"),
			HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
				Method: "POST", Path: "/shows/7/enter", Protocol: "HTTP/1.1", SourceIP: "127.0.0.1", UserAgent: "tests/1",
			},
		},
		Body: `{"animal": "käse"}`,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(events.APIGatewayV2HTTPRequestContext{}, "Time", "TimeEpoch")); diff != "" {
		t.Error(diff)
	}
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", got.RequestContext.Time)
	if err != nil || at.Unix() != got.RequestContext.TimeEpoch/1000 || time.Since(at).Abs() > patience {
		t.Errorf("time %q, epoch %d: %v", got.RequestContext.Time, got.RequestContext.TimeEpoch, err)
	}
	if got.RequestContext.RequestID == "" {
		t.Error("no request id")
	}
	if trace := got.Headers["x-amzn-trace-id"]; !regexp.MustCompile(`^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$`).MatchString(trace) {
		t.Errorf("trace id %q", trace)
	}
}

// What a request does not have is absent from its event.
func TestEventOfTheBarestRequest(t *testing.T) {
	s := serve(t, Config{Functions: []FunctionConfig{functionAt("List", "GET", "/shows")}})
	a := s.send("GET", "/shows", "")
	var event map[string]json.RawMessage
	if err := json.Unmarshal([]byte(a.body), &event); err != nil {
		t.Fatal(err)
	}
	want := []string{"headers", "isBase64Encoded", "rawPath", "rawQueryString", "requestContext", "routeKey", "version"}
	if got := slices.Sorted(maps.Keys(event)); !slices.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
	if string(event["rawQueryString"]) != `""` || string(event["isBase64Encoded"]) != "false" {
		t.Errorf("event %s", a.body)
	}
}

func TestEventBody(t *testing.T) {
	s := serveOne(t)
	for _, test := range []struct {
		name, contentType, body string
		encoded                 bool
	}{
		{"JSON", "application/json", "{}", false},
		{"JSON with a charset", "Application/JSON; charset=utf-8", "{}", false},
		{"JSON of a kind", "application/problem+json", "{}", false},
		{"XML", "application/xml", "<a/>", false},
		{"XML of a kind", "image/svg+xml", "<a/>", false},
		{"script", "application/javascript", "a()", false},
		{"text", "text/csv", "a,b", false},
		{"form", "application/x-www-form-urlencoded", "a=b", true},
		{"bytes", "application/octet-stream", "\x00\xff", true},
		{"no type", "", "{}", true},
		{"a type that is none", "json; =", "{}", true},
		{"text that is none", "text/plain", "a\xffb", true},
		{"nothing, of no type", "", "", false},
		{"nothing, of bytes", "application/octet-stream", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var headers []string
			if test.contentType != "" {
				headers = []string{"Content-Type: " + test.contentType}
			}
			event := s.send("POST", "/do", test.body, headers...).event(t)
			want := test.body
			if test.encoded {
				want = base64.StdEncoding.EncodeToString([]byte(test.body))
			}
			if event.Body != want || event.IsBase64Encoded != test.encoded {
				t.Errorf("body %q, encoded: %t; want %q, %t", event.Body, event.IsBase64Encoded, want, test.encoded)
			}
		})
	}
}

func TestClientsTraceIsKept(t *testing.T) {
	const trace = "Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e"
	s := serveOne(t)
	if got := s.send("POST", "/do", "", "X-Amzn-Trace-Id: "+trace).event(t).Headers["x-amzn-trace-id"]; got != trace {
		t.Errorf("trace %q in the event", got)
	}
	if i := s.send("POST", "/do", "", "X-Amzn-Trace-Id: "+trace, "X-Do: instance").instance(t); i.Trace != trace {
		t.Errorf("trace %q with the invocation", i.Trace)
	}
}
