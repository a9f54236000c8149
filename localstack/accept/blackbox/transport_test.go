package blackbox

import (
	"net/http"
	"strings"
	"testing"
)

// A body is read the same whatever its content type says. What is neither text nor JSON comes to the function in
// base64.
func TestTransport_contentTypes(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"", "application/json; charset=utf-8", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded"} {
		header := http.Header{"Content-Type": {contentType}}
		p := candidate()
		p.ranch = "Ränch 😀 \u2028"
		send(t, request{method: "POST", path: "/auth/register", body: p.form(), header: header}).object(t, 201)
		if ranch := p.account(t)["ranch"].(object); ranch["name"] != p.ranch {
			t.Errorf("%q: the ranch's name is %q", contentType, ranch["name"])
		}
		hostile.Add(1)
		send(t, request{method: "POST", path: "/auth/login", body: "{", header: header}).refuses(t, 400, "VALIDATION_ERROR", "Invalid input")
	}
}

// 65,536 bytes are read, one more is an invalid body, in base64 or not, and what API Gateway does not take is its own
// 413.
func TestTransport_bodySizes(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	credentials := string(encode(object{"email": p.email, "password": p.password}))
	sized := func(contentType string, size int) reply {
		body := credentials + strings.Repeat(" ", size-len(credentials))
		return send(t, request{method: "POST", path: "/auth/login", body: body, header: http.Header{"Content-Type": {contentType}}})
	}
	for _, contentType := range []string{"application/json", "application/octet-stream"} {
		hostile.Add(3)
		sized(contentType, 65_536).object(t, 200)
		sized(contentType, 65_537).refuses(t, 400, "VALIDATION_ERROR", "Invalid input")
		sized(contentType, 10<<20+1).is(t, 413, object{"message": anyText})
	}
}

// Whatever is no route is a 404 of API Gateway's own.
func TestTransport_unknownRoutes(t *testing.T) {
	t.Parallel()
	p := reader(t)
	id := newID()
	for _, r := range []request{
		{method: "GET", path: "/"}, {method: "GET", path: "/v1/events/shows"}, {method: "GET", path: "/auth/login"}, {method: "PUT", path: "/events/shows"},
		{method: "DELETE", path: "/events/shows/" + id}, {method: "GET", path: "/events/shows/" + id + "/entries"}, {method: "GET", path: "/users"},
		{method: "GET", path: "/animals/"}, {method: "GET", path: "/Animals"}, {method: "POST", path: "/2015-03-31/functions/Register/invocations"},
	} {
		hostile.Add(1)
		r.token = p.token
		send(t, r).is(t, 404, object{"message": "Not Found"})
	}
	for _, r := range protected() {
		r.method, r.body, r.token = "HEAD", nil, p.token
		if answer := send(t, r); answer.status != 404 || len(answer.body) != 0 {
			t.Error(answer)
		}
	}
}

// Browsers ask first; the gateway answers them for every path, and names any origin in its answers.
func TestTransport_cors(t *testing.T) {
	t.Parallel()
	for _, r := range []request{{path: "/animals"}, {path: "/auth/register"}, {path: "/no/such/route"}} {
		r.method = "OPTIONS"
		r.header = http.Header{
			"Origin": {"https://game.example.com"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization, content-type"},
		}
		answer := send(t, r)
		if answer.status != 204 || answer.header.Get("Access-Control-Allow-Origin") != "*" || answer.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: %v", answer, answer.header)
		}
		for header, parts := range map[string][]string{
			"Access-Control-Allow-Methods": {"GET", "POST"}, "Access-Control-Allow-Headers": {"authorization", "content-type"}, "Access-Control-Max-Age": {"86400"},
		} {
			for _, part := range parts {
				if got := answer.header.Get(header); !strings.Contains(got, part) {
					t.Errorf("%s: %s is %q", answer, header, got)
				}
			}
		}
	}
	origin := http.Header{"Origin": {"https://game.example.com"}}
	for _, r := range []request{
		{method: "GET", path: "/animals", token: reader(t).token, header: origin}, {method: "GET", path: "/animals", header: origin},
		{method: "POST", path: "/auth/login", body: "{", header: origin},
	} {
		if answer := send(t, r); answer.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(answer.header.Get("Access-Control-Expose-Headers"), "apigw-requestid") {
			t.Errorf("%s: %v", answer, answer.header)
		}
	}
	if answer := get(t, reader(t).token, "/animals"); answer.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("without an origin: %v", answer.header)
	}
}

// Answers are JSON that no cache keeps and no browser takes for a page, whether they are good or bad news.
func TestTransport_headers(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for _, answer := range []reply{get(t, p.token, "/animals"), get(t, "", "/animals"), post(t, "", "/auth/login", "{")} {
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "Content-Type": "application/json", "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
		} {
			if got := answer.header.Get(name); got != want {
				t.Errorf("%s: %s is %q", answer, name, got)
			}
		}
	}
	if answer := post(t, "", "/auth/login", "{"); answer.header.Get("WWW-Authenticate") != "" {
		t.Errorf("%v", answer.header)
	}
}
