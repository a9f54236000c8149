package gateway

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
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
	a := s.send("POST", "/cats/7/feed?b=2&odd=%zz", `{"food": "käse"}`,
		"Content-Type: application/json", "Authorization: Bearer abc", "X-Twice: one", "x-twice: two", "User-Agent: tests/1",
		"Cookie: first=1; second=2", "Connection: close")
	got := a.event(t)
	want := events.APIGatewayV2HTTPRequest{
		Version: "2.0", RouteKey: "POST /cats/{id}/feed", RawPath: "/cats/7/feed", RawQueryString: "b=2&odd=%zz",
		Headers: map[string]string{
			"authorization": "Bearer abc", "content-type": "application/json", "content-length": "17", "x-twice": "one,two", "user-agent": "tests/1",
			"host": strings.TrimPrefix(s.url, "http://"), "accept-encoding": "gzip",
		},
		PathParameters: map[string]string{"id": "7"}, Body: `{"food": "käse"}`,
		RequestContext: events.APIGatewayV2HTTPRequestContext{RequestID: a.header.Get("Apigw-Requestid")},
	}
	assert.Empty(t, cmp.Diff(want, got))
	assert.NotEmpty(t, got.RequestContext.RequestID)
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
		event, want := s.send("POST", "/do", test.body, "Content-Type: "+test.contentType).event(t), test.body
		if test.encoded {
			want = base64.StdEncoding.EncodeToString([]byte(test.body))
		}
		assert.True(t, event.Body == want && event.IsBase64Encoded == test.encoded,
			"%q of type %q becomes %q, encoded: %t", test.body, test.contentType, event.Body, event.IsBase64Encoded)
	}
}

func TestTrace(t *testing.T) {
	const trace = "Root=1-5e6722a7-cc56xmpl46db7ae02d4da47e"
	s := serveOne(t)
	assert.Equal(t, trace, s.send("POST", "/do", "", "X-Amzn-Trace-Id: "+trace, "X-Do: instance").instance(t).Trace)
	assert.Regexp(t, `^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$`, s.ask().Trace)
}
