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
		sized(contentType, 10<<20+1).object(t, 413)
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

// Browsers ask first, whatever the path. The gateway lets every origin send a token, and read a request's number.
func TestTransport_cors(t *testing.T) {
	t.Parallel()
	asked := http.Header{"Origin": {"https://game.example.com"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization, content-type"}}
	allowed := send(t, request{method: "OPTIONS", path: "/animals", header: asked}).header
	answered := send(t, request{method: "GET", path: "/animals", header: http.Header{"Origin": asked["Origin"]}}).header
	for _, c := range []struct {
		header     http.Header
		name, want string
	}{
		{allowed, "Access-Control-Allow-Origin", "*"}, {allowed, "Access-Control-Allow-Methods", "POST"}, {allowed, "Access-Control-Allow-Headers", "authorization"},
		{allowed, "Access-Control-Allow-Headers", "content-type"}, {allowed, "Access-Control-Max-Age", "86400"}, {answered, "Access-Control-Allow-Origin", "*"},
		{answered, "Access-Control-Expose-Headers", "apigw-requestid"},
	} {
		if got := c.header.Get(c.name); !strings.Contains(got, c.want) {
			t.Errorf("%s is %q, without %s", c.name, got, c.want)
		}
	}
}
