package blackbox

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// hostileWorld is what the requests are about: two players, a show that is open and one that is judged. Ann is in both
// with Buck; her prize is to be claimed.
type hostileWorld struct {
	*rand.Rand
	host         string
	ann, bob     *player
	open, judged string
	nobody       string   // a good access token of nobody who is there
	forged       []string // that are none
}

// developmentKey is what a local stack signs with; no other stack does.
var developmentKey = tokentest.Key{ID: "development", Secret: []byte("the development key that everybody knows, and nobody uses in earnest")}

func now() game.Instant { return game.InstantOf(time.Now()) }

func newHostileWorld(t *testing.T, s *stack) hostileWorld {
	t.Helper()
	w := hostileWorld{Rand: rand.New(rand.NewPCG(11, 10_000)), host: strings.TrimPrefix(s.api, "http://"), ann: candidate(), bob: candidate()}
	for _, p := range []*player{w.ann, w.bob} {
		p.api = s.api
		if err := p.register(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	shows := send(t, request{api: s.api, method: "GET", path: "/events/shows?tier=rookie", token: w.ann.token}).list(t)
	if len(shows) < 2 {
		t.Fatalf("the demo has %d rookie shows", len(shows))
	}
	w.open, w.judged = shows[0]["id"].(string), shows[1]["id"].(string)
	w.ann.entered(t, w.open, w.ann.buck)
	w.ann.entered(t, w.judged, w.ann.buck)
	w.bob.judge(t, w.judged).object(t, 200)
	w.bob.login(t).object(t, 200)
	w.nobody = tokentest.Access(developmentKey, game.NewID(), now()).String()
	for _, good := range []string{w.ann.token, w.ann.refresh} {
		invalid, expired := tokentest.Forgeries(t, good, now(), developmentKey)
		w.forged = append(w.forged, slices.Sorted(maps.Values(invalid))...)
		w.forged = append(w.forged, slices.Sorted(maps.Values(expired))...)
	}
	w.stillServed(t)
	return w
}

// stillServed has every function answer somebody who means well. Nobody's token is a good one, so that those like it
// are refused for what is wrong about them.
func (w hostileWorld) stillServed(t *testing.T) {
	t.Helper()
	type served struct {
		status int
		request
	}
	nobody := &player{api: w.ann.api, token: w.nobody}
	all := []served{
		{200, nobody.reading("/animals")},
		{409, w.ann.entering(w.open, w.ann.buck)}, {404, w.ann.judging(w.judged)}, {404, w.bob.claiming(w.judged)},
		{200, request{api: w.ann.api, method: "POST", path: "/auth/refresh", body: object{"refreshToken": w.ann.refresh}}},
		{200, request{api: w.ann.api, method: "POST", path: "/auth/logout", body: object{}}},
		{401, request{api: w.ann.api, method: "POST", path: "/auth/login", body: object{"email": w.ann.email, "password": ""}}},
		{400, request{api: w.ann.api, method: "POST", path: "/auth/register", body: object{}}},
	}
	for _, r := range reads(w.open) {
		all = append(all, served{200, w.ann.reading(r.path)})
	}
	for _, r := range all {
		if answer := send(t, r.request); answer.status != r.status {
			t.Errorf("%s: not %d", answer, r.status)
		}
	}
}

// ask is a request in the making.
type ask struct {
	method, target string
	header         []string
	body           string
}

func (w hostileWorld) raw(a ask) []byte {
	lines := append([]string{a.method + " " + a.target + " HTTP/1.1", "Host: " + w.host}, a.header...)
	if a.body != "" || a.method == "POST" {
		lines = append(lines, fmt.Sprintf("Content-Length: %d", len(a.body)))
	}
	return []byte(strings.Join(lines, "\r\n") + "\r\n\r\n" + a.body)
}

func bearer(token string) string { return "Authorization: Bearer " + token }

func animalBody(id string) string { return `{"animalId":"` + id + `"}` }

// changing is a request for the operation with the id.
func changing(id, show, body string) ask {
	o := contracted.ByID(id)
	return ask{o.Method, o.At(show), nil, body}
}

// harmless are requests that change nothing although their token is good: Ann asks for what is Bob's, or over.
func (w hostileWorld) harmless() []ask {
	all := []ask{
		changing("enterShow", w.open, animalBody(w.bob.bessie)), changing("enterShow", w.judged, animalBody(w.ann.bessie)),
		changing("judgeShow", w.judged, ""), changing("claimReward", w.open, ""),
	}
	for _, r := range reads(w.open, w.judged) {
		all = append(all, ask{r.method, r.path, nil, ""})
	}
	return all
}

// wished are requests that Ann might make herself: for those who are not Ann.
func (w hostileWorld) wished() []ask {
	return append(w.harmless(), changing("enterShow", w.open, animalBody(w.ann.bessie)), changing("judgeShow", w.open, ""), changing("claimReward", w.judged, ""))
}

func pick[V any](w hostileWorld, all []V) V { return all[w.IntN(len(all))] }

// kinds are all kinds of attempts, with how many there are of each.
func (w hostileWorld) kinds() []struct {
	name string
	n    int
	make func(i int) []byte
} {
	return []struct {
		name string
		n    int
		make func(i int) []byte
	}{
		{"access token, one bit", 2_000, w.flippedAccess},
		{"refresh token, one bit", 900, w.flippedRefresh},
		{"forged token", 900, w.forgedToken},
		{"somebody else's", 500, w.elses},
		{"almost JSON", 1_700, w.almostJSON},
		{"bytes", 600, w.bytes},
		{"large and deep", 160, w.large},
		{"path", 1_000, w.path},
		{"query", 700, w.query},
		{"header", 600, w.headers},
		{"method and route", 300, w.route},
		{"credentials", 120, w.credentials},
		{"no HTTP", 240, w.noHTTP},
		{"several in one go", 120, w.several},
		{"half of it", 120, w.half},
		{"slowly", 40, w.slowly},
	}
}

// attempts are all of them.
func (w hostileWorld) attempts() []attempt {
	var all []attempt
	for _, kind := range w.kinds() {
		for i := range kind.n {
			all = append(all, newAttempt(len(all), kind.name, kind.make(i), kind.name == "slowly"))
		}
	}
	return all
}

func flip(text string, bit int) string {
	b := []byte(text)
	b[bit/8%len(b)] ^= 1 << (bit % 8)
	return string(b)
}

func (w hostileWorld) flippedAccess(i int) []byte {
	a := pick(w, w.wished())
	a.header = []string{bearer(flip(w.ann.token, i*13))} // each bit of 13
	return w.raw(a)
}

func (w hostileWorld) flippedRefresh(i int) []byte {
	path := pick(w, []string{"/auth/refresh", "/auth/logout"})
	return w.raw(ask{"POST", path, nil, string(encode(object{"refreshToken": flip(w.ann.refresh, i*13)}))})
}

func (w hostileWorld) forgedToken(i int) []byte {
	forged := append(slices.Clone(w.forged), w.ann.refresh, w.nobody[:len(w.nobody)-1])
	text := forged[i%len(forged)]
	switch w.IntN(8) {
	case 0:
		return w.raw(ask{"POST", pick(w, []string{"/auth/refresh", "/auth/logout"}), nil, string(encode(object{"refreshToken": pick(w, append(w.forged, w.ann.token, w.nobody))}))})
	case 1:
		a := pick(w, w.wished())
		a.header = []string{pick(w, []string{"Authorization: ", "Authorization: Basic ", "Authorization: Bearer", "Authorization: bearer,", "X-Authorization: Bearer ", "Cookie: token=", "Authorization: Token "}) + w.ann.token}
		return w.raw(a)
	}
	a := pick(w, w.wished())
	a.header = []string{bearer(text)}
	return w.raw(a)
}

// elses are for what is another's, or nobody's: with good tokens.
func (w hostileWorld) elses(int) []byte {
	if w.IntN(2) == 0 { // nobody's token, for all there is
		a := pick(w, w.wished())
		a.header = []string{bearer(w.nobody)}
		return w.raw(a)
	}
	a := pick(w, w.harmless())
	a.header = []string{bearer(w.ann.token)}
	if strings.HasSuffix(a.target, "/enter") {
		a.body = animalBody(pick(w, []string{w.bob.buck, w.bob.millie, w.ann.buck, w.ann.id, w.bob.id, w.open, strings.ToUpper(w.bob.buck), "{" + w.bob.buck + "}", w.bob.buck + "#", "USER#" + w.bob.id}))
	}
	return w.raw(a)
}

// hostileValues are members' values in JSON. None of them makes an address.
var hostileValues = []string{
	"null", "true", "0", "-1", "1e999", "-0.0", "9007199254740993", "123456789012345678901234567890", `""`, `" "`, `"\u0000"`, `"\ud800"`, `"\udc00\ud800"`, `"a@b"`, `"😀"`, `"\u202e"`, "[]", "[[]]", "{}",
	`{"S":"x"}`, `{"$ne":null}`, `["a"]`, `"'; DROP TABLE ranch; --"`, `"${jndi:ldap://127.0.0.1/x}"`, `"{{7*7}}"`, `"<script>"`, `"../../etc/passwd"`, `"attribute_exists(PK)"`, `"%00"`, `"USER#x"`,
	"NaN", "Infinity", "0x10", "01", "'a'", "undefined", `"` + strings.Repeat("a", 3_000) + `"`, `"unfinished`, `"\x41"`, `"\u12"`, "+1", "1.", ".5", "1e", "tru", `"` + "\t\n" + `"`,
}

// almostJSON are good bodies but for one to three things, sent with Ann's token where that changes nothing.
func (w hostileWorld) almostJSON(int) []byte {
	good := []ask{
		{"POST", "/auth/register", nil, `{"email":"no-address","username":"with spaces","password":"a long password","ranchName":"Sunny Acres"}`},
		{"POST", "/auth/login", nil, `{"email":7,"password":7}`},
		{"POST", "/auth/refresh", nil, `{"refreshToken":"` + w.ann.token + `"}`},
		{"POST", "/auth/logout", nil, `{"refreshToken":"` + w.ann.token + `"}`},
		{"POST", "/events/shows/" + w.open + "/enter", []string{bearer(w.ann.token)}, animalBody(w.bob.millie)},
		{"POST", "/events/shows/" + w.open + "/enter", []string{bearer(w.ann.token)}, animalBody(w.bob.millie)},
	}
	a := pick(w, good)
	for range 1 + w.IntN(3) {
		a.body = w.spoiled(a.body)
	}
	a.header = append(a.header, pick(w, []string{"Content-Type: application/json", "Content-Type: text/plain", "Content-Type: application/octet-stream", "X: y"}))
	return w.raw(a)
}

// spoiled changes a body in one place.
func (w hostileWorld) spoiled(body string) string {
	at := w.IntN(len(body) + 1)
	to := min(len(body), at+w.IntN(5))
	switch w.IntN(9) {
	case 0:
		return body[:at] + body[to:]
	case 1:
		return body[:to] + body[at:]
	case 2:
		return body[:at] + pick(w, []string{"\x00", "\xff", "\\", "\"", "{", "}", "[", "]", ",", ":", "\n", "\u2028", "//", "/**/", "\ufeff", "\xc3", "\xed\xa0\x80", "\\u0000"}) + body[to:]
	case 3: // another value
		if colon := strings.IndexByte(body, ':'); colon >= 0 {
			end := strings.IndexAny(body[colon:], ",}")
			return body[:colon+1] + pick(w, hostileValues) + body[colon+max(end, 1):]
		}
	case 4: // a member twice, before or behind the other
		if inner, ok := strings.CutPrefix(body, "{"); ok {
			name, _, _ := strings.Cut(inner, ":")
			return "{" + name + ":" + pick(w, hostileValues) + "," + inner
		}
	case 5:
		return strings.ToUpper(body)
	case 6:
		return pick(w, []string{"[", `{"a":`, `"`}) + body + pick(w, []string{"]", "}", `"`})
	case 7:
		return body + pick(w, []string{"x", "{}", " ", "\x00", "null", ",", "]"})
	}
	return pick(w, hostileValues)
}

// bytes are bodies of no sense at all.
func (w hostileWorld) bytes(int) []byte {
	a := pick(w, []ask{
		{"POST", "/auth/register", nil, ""}, {"POST", "/auth/login", nil, ""}, {"POST", "/auth/refresh", nil, ""}, {"POST", "/auth/logout", nil, ""},
		{"POST", "/events/shows/" + w.open + "/enter", []string{bearer(w.ann.token)}, ""}, {"POST", "/events/shows/" + w.judged + "/judge", []string{bearer(w.ann.token)}, ""},
		{"GET", "/animals", []string{bearer(w.ann.token)}, ""},
	})
	b := make([]byte, w.IntN(300))
	for i := range b {
		b[i] = byte(w.Uint32())
	}
	a.body = string(b)
	a.header = append(a.header, pick(w, []string{
		"Content-Type: application/json; charset=utf-16", "Content-Type: application/gzip", "Content-Encoding: gzip", "Content-Encoding: br, gzip", "Content-Type: ", "Content-Type: multipart/form-data; boundary=x",
		"Content-Type: text/plain;charset=\"", "Content-Transfer-Encoding: base64", "Content-Type: application/x-amz-json-1.0", "X-Amz-Invocation-Type: Event",
	}))
	return w.raw(a)
}

// large are bodies of up to a megabyte, and such as are thousands of levels deep.
func (w hostileWorld) large(i int) []byte {
	a := pick(w, []ask{
		{"POST", "/auth/register", nil, ""}, {"POST", "/auth/login", nil, ""}, {"POST", "/auth/refresh", nil, ""}, {"POST", "/auth/logout", nil, ""},
		{"POST", "/events/shows/" + w.open + "/enter", []string{bearer(w.ann.token)}, ""},
	})
	n := []int{9_999, 10_001, 32_000, 65_530, 65_537, 200_000, 1 << 20}[i%7]
	a.body = pick(w, []string{
		strings.Repeat("[", n), strings.Repeat("[", n/2) + strings.Repeat("]", n/2), strings.Repeat(`{"a":`, n/6) + "1" + strings.Repeat("}", n/6), `{"animalId":"` + strings.Repeat("a", n) + `"}`,
		`{"a":` + strings.Repeat("9", n) + "}", "{" + strings.Repeat(`"a":1,`, n/6) + `"a":1}`, `{"refreshToken":[` + strings.Repeat("0,", n/2) + "0]}", strings.Repeat(" ", n), strings.Repeat("\x00", n), `{"` + strings.Repeat(`\u0061`, n/6) + `":1}`,
	})
	return w.raw(a)
}

// hostileIDs are spellings of an id that are none, or of one that is not there.
func (w hostileWorld) hostileIDs(id string) []string {
	return []string{
		w.newID(), strings.ToUpper(w.newID()), "{" + id + "}", "urn:uuid:" + id, strings.ReplaceAll(id, "-", ""), id + "0", id[1:], "%20" + id, id + "%00", id + "%23x", "%2F" + id, id + "%2F..", "..%2f" + id, "%2e%2e", "..", ".", "%", "%z",
		"%ff", "%f0%9f%98%80", "null", "-1", "0", "undefined", "%7Bid%7D", "*", "x%0d%0aX:%20y", "00000000-0000-0000-0000-000000000000", id[:35] + "%67", "SHOW%23" + id, strings.Repeat("a", 2_000), strings.Repeat("%41", 700), id + ";v=1", id + "%3Fx", "'", "\"", "<", "|",
		id[:8] + "%E2%80%93" + id[9:], strings.Repeat("../", 40), "%EF%BC%91" + id[1:], id + "\\",
	}
}

// newID is an id of the world's own chance.
func (w hostileWorld) newID() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", w.Uint32(), w.Uint32()>>16, w.Uint32()>>20, w.Uint32()>>20, w.Uint64()>>16)
}

func (w hostileWorld) path(int) []byte {
	id := pick(w, w.hostileIDs(pick(w, []string{w.open, w.judged})))
	token := pick(w, []string{w.ann.token, w.nobody})
	all := []ask{{"GET", "/events/shows/" + id, nil, ""}}
	for _, o := range contracted.Operations() {
		if o.Path != o.At("") {
			a := ask{o.Method, o.At(id), []string{bearer(token)}, ""}
			if o.Body != nil {
				a.body = animalBody(w.ann.bessie)
			}
			all = append(all, a)
		}
	}
	return w.raw(pick(w, all))
}

func (w hostileWorld) query(int) []byte {
	texts := []string{
		"", "%", "%zz", "%00", "%ff", "+", "&&&", "=", "open", "Open", "open%00", "rookie", "rookie%23", "%23", "a;b", "%F0%9F", "%F0%9F%98%80", "all", "open%23rookie", strings.Repeat("a", 64), strings.Repeat("%C3%A9", 33), strings.Repeat("x", 4_000),
		"__proto__", "$ne", "[]", "null", "*", "%2E%2E%2F", "%0d%0aSet-Cookie:%20a=b", "cancelled", "completed", "\xff", "'", url.QueryEscape(string([]rune{0x202e, 0xfeff})),
	}
	q := "?"
	for range 1 + w.IntN(5) {
		q += pick(w, []string{"tier", "status", "st%61tus", "tier[]", "TIER", "", "limit", "status%00", "user", "%"}) + pick(w, []string{"=", "", "=="}) + pick(w, texts) + pick(w, []string{"&", ";", "&&", "&"})
	}
	if w.IntN(20) == 0 {
		q += strings.Repeat("a=b&", 1_200)
	}
	target := "/events/shows"
	if w.IntN(2) == 0 {
		target = pick(w, reads(w.open)).path
	}
	return w.raw(ask{"GET", target + q, []string{bearer(pick(w, []string{w.ann.token, w.ann.token, w.nobody, "x"}))}, ""})
}

func (w hostileWorld) headers(int) []byte {
	a := pick(w, w.harmless())
	odd := []string{
		"X-Http-Method-Override: DELETE", "X-Forwarded-For: 127.0.0.1, ::1", "X-Forwarded-Host: elsewhere.example", "X-Original-URL: /admin", "Forwarded: for=_x;host=y", "X-User-Id: " + w.bob.id,
		"Lambda-Runtime-Aws-Request-Id: x", "X-Amzn-Trace-Id: Root=x\tRoot=1-67891233-abcdef012345678912345678", "Accept-Encoding: gzip;q=NaN, *;q=-1, ,;;,", "Accept: text/html", "Range: bytes=0-1", "If-None-Match: *",
		"Origin: null", "Origin: https://a.example, https://b.example", "Sec-Fetch-Site: cross-site", "Cookie: a=b; token=" + w.ann.token, "Cookie: ;;;=", "Upgrade: websocket\r\nConnection: Upgrade", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
		"Te: trailers", "Expect: 100-continue", "Connection: close", "Connection: keep-alive, authorization", "X: " + strings.Repeat("x", 6_000), "X: " + strings.Repeat("x", 12_000), strings.Repeat("X: y\r\n", 300) + "X: z",
		"Authorization : Bearer x", " Authorization: Bearer x", "Authorization: Bearer x\r\n folded", "X\x00Y: z", "X: \x00", "X: \x7f", "X: \xff\xfe", "X: a\rSet-Cookie: b=c", "X: a\nY: b", ": empty", "X", "Content-Length: 0\r\nContent-Length: 7",
		"Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length: +1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: \x0bchunked", "Transfer-Encoding: gzip, chunked", "Host: elsewhere.example", "Max-Forwards: 0",
		"Authorization: Bearer " + w.bob.token + "\r\nAuthorization: Bearer x", "Content-Type: application/json\r\nContent-Type: text/plain", "Accept-Language: " + strings.Repeat("x-", 2_000), "Idempotency-Key: \"\"", "Date: yesterday", "User-Agent:", "Via: 1.1 \"",
	}
	if w.IntN(3) > 0 {
		a.header = append(a.header, bearer(w.ann.token))
	}
	for range 1 + w.IntN(2) {
		a.header = append(a.header, pick(w, odd))
	}
	return w.raw(a)
}

func (w hostileWorld) route(int) []byte {
	method := pick(w, []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "Post", "BREW", "PROPFIND", "X-Y", "M-SEARCH"})
	target := pick(w, []string{
		"/", "//", "/animals/", "//animals", "/Animals", "/animals%2F", "/%61nimals/x", "/events", "/events/shows/", "/events/shows/" + w.open + "/", "/events/shows/" + w.open + "/enter/", "/events/shows/" + w.open + "//enter", "/events/shows//judge", "/auth", "/auth/login/x",
		"/.env", "/2015-03-31/functions/Register/invocations", "/2018-06-01/runtime/invocation/next", "/favicon.ico", "/metrics", "/debug/pprof/", "/events/../animals", "/./animals", "/events/shows/" + w.judged + "/claim", "/admin", "/graphql", "/%2e%2e/%2e%2e/etc/passwd",
		"/v1/animals", "/events/shows/" + w.open + "/Judge", "/auth/register%00", "/" + strings.Repeat("a/", 500), "/" + strings.Repeat("%2F", 500),
	})
	body := ""
	if method == "PUT" || method == "PATCH" {
		body = animalBody(w.ann.bessie)
	}
	return w.raw(ask{method, target, []string{bearer(w.ann.token)}, body})
}

// credentials are guesses, which cost a hash each, and names that others have.
func (w hostileWorld) credentials(i int) []byte {
	if i%6 == 0 {
		form := candidate().with(pick(w, []object{{"email": w.ann.email}, {"email": strings.ToUpper(w.bob.email)}, {"username": w.ann.username}}))
		return w.raw(ask{"POST", "/auth/register", nil, string(encode(form))})
	}
	email := pick(w, []string{w.ann.email, strings.ToUpper(w.ann.email), "nobody@example.com", w.ann.username, "", "EMAIL#" + w.ann.email, w.ann.email + " ", w.ann.email + "\x00"})
	password := pick(w, []string{"", "password", "' OR '1'='1", "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA", strings.Repeat("p", 5_000), "\x00", w.ann.token})
	return w.raw(ask{"POST", "/auth/login", nil, string(encode(object{"email": email, "password": password}))})
}

// noHTTP is what a client library would not send.
func (w hostileWorld) noHTTP(i int) []byte {
	good := string(w.raw(ask{"POST", "/events/shows/" + w.open + "/enter", []string{bearer(w.ann.token)}, animalBody(w.bob.buck)}))
	line, rest, _ := strings.Cut(good, "\r\n")
	fixed := []string{
		"\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc", "GET /animals\r\n\r\n", "GET /animals HTTP/9.9\r\n" + rest, "GET /animals HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET  /animals HTTP/1.1\r\n" + rest, "GET /animals /x HTTP/1.1\r\n" + rest,
		"GET /ani\x00mals HTTP/1.1\r\n" + rest, "GET * HTTP/1.1\r\n" + rest, "GET animals HTTP/1.1\r\n" + rest, "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n", "GET http://elsewhere.example/animals HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n",
		"GET /animals HTTP/1.1\r\nHost: " + w.host + "\r\nHost: elsewhere.example\r\n\r\n", strings.Replace(good, "Content-Length: ", "Transfer-Encoding: chunked\r\nContent-Length: ", 1), strings.Replace(good, "Content-Length: ", "Transfer-Encoding: sideways\r\nX: ", 1),
		line + "\r\n" + strings.Replace(rest, "Content-Length: ", "Transfer-Encoding: chunked\r\nX: ", 1), "GET /%zz HTTP/1.1\r\n" + rest, "GET /animals HTTP/1.1\n" + rest, "\x00" + good, "GET /" + strings.Repeat("x", 1<<17) + " HTTP/1.1\r\n" + rest, "GET /animals HTTP/1.1\r\nHost: " + w.host + strings.Repeat("\r\nX: y", 5_000) + "\r\n\r\n",
		"G\xffT /animals HTTP/1.1\r\n" + rest, "GET /animals HTTP/1.1\r\nHost: a b\r\n\r\n", "GET /animals HTTP/1.1\r\nHost: " + w.host + "@elsewhere.example\r\n\r\n", "GET /animals HTTP/0.9\r\n" + rest,
	}
	if i < len(fixed) {
		return []byte(fixed[i])
	}
	b := []byte(good) // with some bytes of its head changed, but for those that could make the animal Ann's
	head := strings.Index(good, "\r\n\r\n")
	for range 1 + w.IntN(4) {
		b[w.IntN(head)] = byte(w.Uint32())
	}
	return b
}

// several are up to four requests in one go.
func (w hostileWorld) several(int) (raw []byte) {
	for range 2 + w.IntN(3) {
		a := pick(w, w.harmless())
		a.header = []string{bearer(pick(w, []string{w.ann.token, "x"}))}
		raw = append(raw, w.raw(a)...)
	}
	return raw
}

// half is the first part of a request. Whose body is missing asks for nothing of Ann's.
func (w hostileWorld) half(int) []byte {
	a := pick(w, w.harmless())
	a.header = []string{bearer(w.ann.token)}
	raw := w.raw(a)
	return raw[:1+w.IntN(len(raw)-1)]
}

// slowly is a whole request, which comes in pieces.
func (w hostileWorld) slowly(i int) []byte {
	if i%2 == 0 {
		return w.almostJSON(i)
	}
	return w.half(i)
}
