package gateway

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func TestResponse(t *testing.T) {
	s := serveOne(t)
	const plain, inferred = "text/plain;charset=UTF-8", "application/json"
	for _, test := range []struct {
		output            string
		status            int
		body, contentType string
	}{
		{`{"statusCode": 200, "body": "<p>"}`, 200, "<p>", plain},
		{`{"statusCode": 404}`, 404, "", plain},
		{`{"statusCode": 204, "body": "x"}`, 204, "", ""},
		{`{"statusCode": 200, "body": "AP9h", "isBase64Encoded": true}`, 200, "\x00\xffa", plain},
		{`{"statusCode": 200, "body": "AP9h"}`, 200, "AP9h", plain},
		{`{"statusCode": 200, "body": "AP9", "isBase64Encoded": true}`, 500, internalError, inferred},
		{`{"message":"hi"}`, 200, `{"message":"hi"}`, inferred},
		{`"hi"`, 200, `"hi"`, inferred},
		{`[1,2]`, 200, `[1,2]`, inferred},
		{`null`, 200, `null`, inferred},
		{`{"statusCode": 99}`, 500, internalError, inferred},
		{`{"statusCode": 100}`, 500, internalError, inferred},
		{`{"statusCode": "ok"}`, 500, internalError, inferred},
		{`{"statusCode": null}`, 500, internalError, inferred},
		{`{"statusCode": 200, "body": {}}`, 500, internalError, inferred},
	} {
		a := s.do("as-is", test.output)
		if a.want(t, test.status, test.body); a.header.Get("Content-Type") != test.contentType {
			t.Errorf("%s has the type %q, want %q", test.output, a.header.Get("Content-Type"), test.contentType)
		}
	}
	s.logs.want(t, 6, "the function's response is not usable")

	a := s.do("as-is", `{"statusCode": 201, "headers": {"content-type": "application/problem+json", "x-custom-NAME": "v", "Content-Length": "1",
		"Transfer-Encoding": "gzip"}, "body": "{\"a\": 1}"}`)
	a.want(t, 201, `{"a": 1}`)
	for name, want := range map[string][]string{
		"Content-Type": {"application/problem+json"}, "X-Custom-Name": {"v"}, "Content-Length": {"8"},
		"Access-Control-Allow-Origin": nil,
	} {
		got := a.header.Values(name)
		assert.True(t, slices.Equal(got, want), "%s: %q, want %q", name, got, want)
	}
	assert.True(t, a.header.Get("Apigw-Requestid") != "", "no request id")
}

// A response may be as large as Lambda's limit. A larger one ends the process, and another process gets the next
// request.
func TestResponseTooLarge(t *testing.T) {
	s := serveOne(t)
	a := s.do("large", fmt.Sprint(maxOutput))
	assert.True(t, a.status == 200 && len(a.body) == maxOutput, "%d with %d bytes at the limit", a.status, len(a.body))
	s.do("large", fmt.Sprint(maxOutput+1)).want(t, 500, internalError)
	s.do("large", fmt.Sprint(maxOutput+1_000_000)).want(t, 500, internalError)
	s.do("as-is", `"small"`).want(t, 200, `"small"`)
	s.logs.want(t, 2, errTooLarge.Error())
}

func TestCORS(t *testing.T) {
	functions := []FunctionConfig{functionAt("Do", "POST", "/do"), functionAt("Own", "OPTIONS", "/own")}
	open := serve(t, Config{Functions: functions, CORS: &samtemplate.CORS{
		AllowOrigins: []string{"*"}, AllowMethods: []string{"GET", "POST"}, AllowHeaders: []string{"authorization"},
		ExposeHeaders: []string{"retry-after"}, MaxAge: time.Minute,
	}})
	none := serve(t, Config{Functions: functions})
	const origin, method = "Origin: https://game.example", "Access-Control-Request-Method: POST"
	const always, preflight = "Allow-Origin=* Expose-Headers=retry-after",
		"Allow-Headers=authorization Allow-Methods=GET,POST Allow-Origin=* Expose-Headers=retry-after Max-Age=60"
	for _, test := range []struct {
		service service
		request string
		headers []string
		status  int
		want    string // the CORS headers
	}{
		{open, "OPTIONS /do", []string{origin, method}, 204, preflight},
		{open, "OPTIONS /nowhere", []string{origin, method}, 204, preflight},
		{open, "OPTIONS /do", []string{method}, 204, ""},
		{open, "OPTIONS /do", []string{origin}, 204, always},
		{open, "OPTIONS /own", []string{origin, method}, 200, always},
		{none, "OPTIONS /do", []string{origin, method}, 404, ""},
		{open, "POST /do", []string{origin}, 200, always},
		{open, "POST /do", nil, 200, ""},
		{none, "POST /do", []string{origin}, 200, "Allow-Origin=https://of.the.function"},
		{open, "POST /nowhere", []string{origin}, 404, always},
	} {
		verb, path, _ := strings.Cut(test.request, " ")
		own := `{"statusCode": 200, "headers": {"Access-Control-Allow-Origin": "https://of.the.function"}, "body": ""}`
		a := test.service.send(verb, path, own, append(test.headers, "X-Do: as-is", "Content-Type: text/plain")...)
		var got []string
		for _, name := range slices.Sorted(maps.Keys(a.header)) {
			if short, ok := strings.CutPrefix(name, "Access-Control-"); ok {
				got = append(got, short+"="+a.header.Get(name))
			}
		}
		assert.True(t, a.status == test.status && strings.Join(got, " ") == test.want,
			"%s %q: %d %q %v, want %d %q", test.request, test.headers, a.status, got, a.err, test.status, test.want)
	}
}
