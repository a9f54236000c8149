package gateway

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
	const ours, other = "https://game.example", "https://other.example"
	strict := &CORS{
		AllowOrigins: []string{ours}, AllowMethods: []string{"GET", "POST"}, AllowHeaders: []string{"authorization", "content-type"},
		ExposeHeaders: []string{"retry-after"}, MaxAge: 60e9,
	}
	open := &CORS{AllowOrigins: []string{"*"}, AllowMethods: []string{"POST"}}
	const method = "Access-Control-Request-Method: POST"
	own := `{"statusCode": 200, "headers": {"Access-Control-Allow-Origin": "https://of.the.function", "Vary": "Accept"}, "body": ""}`
	for _, test := range []struct {
		name    string
		cors    *CORS
		method  string
		path    string
		headers []string
		status  int
		want    string // CORS headers and Vary, in order
	}{
		{"preflight", strict, "OPTIONS", "/do", []string{"Origin: " + ours, method}, 204, "headers=authorization,content-type " +
			"methods=GET,POST origin=" + ours + " expose=retry-after max-age=60 vary=Origin"},
		{"preflight, any path", open, "OPTIONS", "/nowhere", []string{"Origin: " + other, method}, 204, "methods=POST origin=*"},
		{"preflight, other origin", strict, "OPTIONS", "/do", []string{"Origin: " + other, method}, 204, ""},
		{"preflight, no origin", strict, "OPTIONS", "/do", []string{method}, 204, ""},
		{"preflight, no method", open, "OPTIONS", "/do", []string{"Origin: " + ours}, 204, "origin=*"},
		{"preflight, own route", open, "OPTIONS", "/own", []string{"Origin: " + ours, method}, 200, "origin=* vary=Accept"},
		{"no preflight without CORS", nil, "OPTIONS", "/do", []string{"Origin: " + ours, method}, 404, ""},
		{"request", strict, "POST", "/do", []string{"Origin: " + ours}, 200, "origin=" + ours + " expose=retry-after vary=Origin,Accept"},
		{"request, any origin", open, "POST", "/do", []string{"Origin: " + ours}, 200, "origin=* vary=Accept"},
		{"request, other origin", strict, "POST", "/do", []string{"Origin: " + other}, 200, "vary=Accept"},
		{"request, no origin", strict, "POST", "/do", nil, 200, "vary=Accept"},
		{"request without CORS", nil, "POST", "/do", []string{"Origin: " + ours}, 200, "origin=https://of.the.function vary=Accept"},
		{"refusal", open, "POST", "/nowhere", []string{"Origin: " + ours}, 404, "origin=*"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, Config{CORS: test.cors, Functions: []FunctionConfig{functionAt("Do", "POST", "/do"), functionAt("Own", "OPTIONS", "/own")}})
			a := s.send(test.method, test.path, own, append(test.headers, "X-Do: as-is", "Content-Type: text/plain")...)
			var got []string
			for _, header := range []struct{ short, name string }{
				{"headers", "Access-Control-Allow-Headers"},
				{"methods", "Access-Control-Allow-Methods"}, {"origin", "Access-Control-Allow-Origin"},
				{"expose", "Access-Control-Expose-Headers"}, {"max-age", "Access-Control-Max-Age"}, {"vary", "Vary"},
			} {
				if values := a.header.Values(header.name); len(values) > 0 {
					got = append(got, header.short+"="+strings.Join(values, ","))
				}
			}
			assert.True(t, a.status == test.status && strings.Join(got, " ") == test.want,
				"%d %q %v, want %d %q", a.status, strings.Join(got, " "), a.err, test.status, test.want)
		})
	}
}
