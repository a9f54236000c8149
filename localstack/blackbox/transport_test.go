package blackbox

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// checkGzip checks a path whose answer is large.
func checkGzip(t *testing.T, path string) {
	token := reader(t).token
	plain := get(t, token, path)
	if len(plain.body) < 16*1024 {
		t.Fatalf("%d bytes are not large", len(plain.body))
	}
	for accept, compressed := range map[string]bool{
		"gzip": true, "gzip, deflate, br": true, "br;q=1.0, gzip;q=0.5": true, "GZIP": true, "*": true,
		"": false, "identity": false, "br": false, "gzip;q=0": false, "*, gzip;q=0": false, "gzipped": false, "deflate": false,
	} {
		answer := send(t, request{method: "GET", path: path, token: token, header: http.Header{"Accept-Encoding": {accept}}})
		if got := answer.header.Get("Content-Encoding") == "gzip"; got != compressed || answer.status != 200 {
			t.Errorf("%q: %d, compressed: %t", accept, answer.status, got)
		}
		if !strings.Contains(answer.header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%q: Vary is %q", accept, answer.header.Get("Vary"))
		}
		body := answer.body
		if compressed {
			r, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Errorf("%q: %v", accept, err)
				continue
			}
			if body, err = io.ReadAll(r); err != nil || len(answer.body) >= len(body) {
				t.Errorf("%q: %d bytes compressed, %d plain, %v", accept, len(answer.body), len(body), err)
			}
		}
		if !bytes.Equal(body, plain.body) {
			t.Errorf("%q: the answer is another", accept)
		}
	}
}

func TestTransport_smallAnswersAreNotCompressed(t *testing.T) {
	t.Parallel()
	answer := send(t, request{method: "GET", path: "/animals", token: reader(t).token, header: http.Header{"Accept-Encoding": {"gzip"}}})
	if got := answer.header.Get("Content-Encoding"); got != "" || len(answer.list(t)) != 3 {
		t.Errorf("content encoding %q", got)
	}
}

// A body is read the same whatever its content type says. What is neither text nor JSON comes to the function in
// base64.
func TestTransport_contentTypes(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	types := []http.Header{
		{"Content-Type": nil}, {"Content-Type": {""}}, {"Content-Type": {"application/json", "text/plain"}},
	}
	for _, contentType := range []string{
		"application/json; charset=utf-8", "application/json;charset=utf-16", "APPLICATION/JSON", "text/plain", "text/html", "application/octet-stream",
		"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "image/png", "application/vnd.api+json", "application/xml", "rubbish",
		"application/json; charset=\"", "/", ";", "a/b/c", "application/gzip", "*/*", strings.Repeat("x", 2_000),
	} {
		types = append(types, http.Header{"Content-Type": {contentType}})
	}
	body := object{"refreshToken": p.refresh}
	for _, header := range types {
		hostile.Add(1)
		send(t, request{method: "POST", path: "/auth/refresh", body: body, header: header}).is(t, 200, object{"token": anyToken})
	}
	for _, contentType := range []string{"application/octet-stream", "text/plain"} {
		header := http.Header{"Content-Type": {contentType}}
		shown := candidate()
		shown.ranch = "Ränch 😀 \u2028"
		send(t, request{method: "POST", path: "/auth/register", body: shown.form(), header: header}).object(t, 201)
		if ranch := shown.account(t)["ranch"].(object); ranch["name"] != shown.ranch {
			t.Errorf("%s: the ranch's name is %q", contentType, ranch["name"])
		}
		for name, body := range noObject() {
			hostile.Add(1)
			if answer := send(t, request{method: "POST", path: "/auth/login", body: body, header: header}); !answer.refuses(t, 400, "VALIDATION_ERROR", "Invalid input") {
				t.Errorf("%s as %s", name, contentType)
			}
		}
	}
}

// 65,536 bytes are read, one more is an invalid body of the endpoint's own kind, and what API Gateway does not take is
// its own 413.
func TestTransport_bodySizes(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show := newShow(t, scene{})
	padded := func(body object, size int) string {
		b := string(encode(body))
		return b + strings.Repeat(" ", size-len(b))
	}
	for _, contentType := range []string{"application/json", "application/octet-stream"} {
		header := http.Header{"Content-Type": {contentType}}
		at := func(path string, body object, size int) reply {
			hostile.Add(1)
			return send(t, request{method: "POST", path: path, token: p.token, body: padded(body, size), header: header})
		}
		credentials, enter := object{"email": p.email, "password": p.password}, "/events/shows/"+show.id+"/enter"
		at("/auth/login", credentials, 65_536).object(t, 200)
		at("/auth/login", credentials, 65_537).refuses(t, 400, "VALIDATION_ERROR", "Invalid input")
		at("/auth/refresh", object{"refreshToken": p.refresh}, 65_536).is(t, 200, object{"token": anyToken})
		at("/auth/refresh", object{"refreshToken": p.refresh}, 65_537).refuses(t, 400, "MISSING_TOKEN", "Refresh token required")
		at("/auth/logout", object{"refreshToken": p.refresh}, 65_537).is(t, 200, object{"success": true})
		refresh(t, p.refresh).is(t, 200, object{"token": anyToken}) // what is too large logs nobody out
		at(enter, object{"animalId": p.buck}, 65_537).refuses(t, 400, "VALIDATION_ERROR", "")
		at("/auth/register", candidate().form(), 65_537).refusesForm(t, formFields...)
		at("/auth/register", candidate().form(), 5_000_000).refusesForm(t, formFields...)
	}
	for _, path := range []string{"/auth/register", "/auth/login", "/auth/refresh", "/auth/logout", "/events/shows/" + show.id + "/enter", "/events/shows/" + show.id + "/judge"} {
		hostile.Add(1)
		send(t, request{method: "POST", path: path, token: p.token, body: strings.Repeat(" ", 10<<20+1)}).is(t, 413, object{"message": anyText})
	}
	p.enter(t, show.id, p.buck).object(t, 201)
}

func TestTransport_unknownRoutes(t *testing.T) {
	t.Parallel()
	p := reader(t)
	id := newShow(t, scene{}).id
	unknown := []request{
		{method: "GET", path: "/"}, {method: "GET", path: ""}, {method: "GET", path: "/auth"}, {method: "GET", path: "/events"}, {method: "GET", path: "/v1/events/shows"},
		{method: "GET", path: "/api/events/shows"}, {method: "GET", path: "/auth/register"}, {method: "PUT", path: "/auth/login"}, {method: "GET", path: "/auth/logout"},
		{method: "DELETE", path: "/events/shows/" + id}, {method: "PATCH", path: "/events/shows/" + id}, {method: "PUT", path: "/events/shows"}, {method: "POST", path: "/events/shows"},
		{method: "POST", path: "/animals"}, {method: "POST", path: "/events/season"}, {method: "GET", path: "/events/shows/" + id + "/enter"},
		{method: "GET", path: "/events/shows/" + id + "/judge"}, {method: "PUT", path: "/events/shows/" + id + "/judge"}, {method: "GET", path: "/events/shows/" + id + "/claim-reward"},
		{method: "POST", path: "/events/shows/" + id}, {method: "POST", path: "/events/shows/" + id + "/claim"}, {method: "GET", path: "/events/shows/"},
		{method: "GET", path: "/events/shows/" + id + "/"}, {method: "GET", path: "/animals/"}, {method: "GET", path: "/events/season/"}, {method: "POST", path: "/auth/login/"},
		{method: "GET", path: "/Animals"}, {method: "GET", path: "/EVENTS/SHOWS"}, {method: "GET", path: "/events/shows/" + id + "/entries"}, {method: "GET", path: "/favicon.ico"},
		{method: "GET", path: "/.env"}, {method: "POST", path: "/2015-03-31/functions/Register/invocations"}, {method: "GET", path: "/events/shows/" + id + "/enter/more"},
	}
	if suite.own != nil { // what stands before a deployed stack has its own mind about these
		unknown = append(unknown, []request{
			{method: "GET", path: "//animals"}, {method: "GET", path: "/animals//"}, {method: "POST", path: "/events/shows//judge"}, {method: "GET", path: "/events/../animals"},
			{method: "GET", path: "/./animals"}, {method: "BREW", path: "/animals"}, {method: "get", path: "/animals"},
		}...)
	}
	for _, r := range unknown {
		t.Run(r.method+" "+r.path, func(t *testing.T) {
			hostile.Add(1)
			r.token = p.token
			send(t, r).is(t, 404, object{"message": "Not Found"})
		})
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
	for _, r := range append(protected(), request{path: "/auth/register"}, request{path: "/auth/login"}, request{path: "/no/such/route"}) {
		r.method, r.body = "OPTIONS", nil
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
	for _, answer := range []reply{
		get(t, p.token, "/animals"), get(t, "", "/animals"), get(t, p.token, "/events/shows/x"), post(t, "", "/auth/logout", nil), post(t, "", "/auth/login", "{"),
		refresh(t, p.refresh), post(t, p.token, "/events/shows/x/judge", nil),
	} {
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
