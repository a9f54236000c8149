package blackbox

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// hostileWorld is the data for the hostile requests: two players, an open show and a judged show. Ann's animal Buck is
// in both shows, and she has not claimed her prize.
type hostileWorld struct {
	*rand.Rand
	*world.World
	ann, bob     *player
	open, judged string
	nobody       string   // a valid access token of a user who does not exist
	forged       []string // tokens that are not valid
}

// developmentKey is the signing key of local stacks. Deployed stacks never use it.
var developmentKey = tokentest.Key{ID: "development", Secret: []byte("the development key that everybody knows, and nobody uses in earnest")}

func newHostileWorld(t *testing.T, in *world.World) hostileWorld {
	t.Helper()
	w := hostileWorld{Rand: rand.New(rand.NewPCG(11, 10_000)), World: in, ann: newPlayer(t, in), bob: newPlayer(t, in)}
	season, err := in.NewSeason(t.Context(), game.NewID())
	must(t, err)
	for _, id := range []*string{&w.open, &w.judged} {
		show, err := in.NewShow(t.Context(), game.Show{Name: "County Fair", Tier: game.TierRookie, SeasonID: season.ID}, 1)
		must(t, err)
		*id = string(show.ID)
		w.ann.enters(t, *id, w.ann.animals[0])
	}
	w.bob.judges(t, w.judged, 1)
	w.bob.login(t).object(t, 200)
	w.nobody = tokentest.Access(developmentKey, game.NewID(), world.Now()).String()
	for _, good := range []string{w.ann.token, w.ann.refresh} {
		invalid, expired := tokentest.Forgeries(t, good, world.Now(), developmentKey)
		w.forged = append(w.forged, slices.Sorted(maps.Values(invalid))...)
		w.forged = append(w.forged, slices.Sorted(maps.Values(expired))...)
	}
	w.stillServed(t)
	wished := map[*contract.Operation]bool{}
	for _, r := range w.wishes() {
		o, _ := contracted.Operation(r.method, r.path)
		wished[o] = true
	}
	for _, o := range protected() {
		if !wished[o] {
			t.Errorf("%s is not among what hostile requests wish for", o.Route())
		}
	}
	return w
}

// stillServed sends a valid request to every function. The token of the user without an account is valid, so that
// similar tokens are refused only because of their own flaws.
func (w hostileWorld) stillServed(t *testing.T) {
	t.Helper()
	nobody := *w.ann
	nobody.token = w.nobody
	all := map[int][]request{
		200: {nobody.reading("/animals"), w.ann.refreshing(w.ann.refresh), w.ann.anonymously("/auth/logout", object{})},
		400: {w.ann.anonymously("/auth/register", object{})},
		401: {w.ann.anonymously("/auth/login", object{"email": w.ann.email, "password": ""})},
		404: {w.ann.judging(w.judged), w.bob.claiming(w.judged)},
		409: {w.ann.entering(w.open, w.ann.animals[0])},
	}
	for _, r := range reads(w.open) {
		all[200] = append(all[200], w.ann.reading(r.path))
	}
	for status, requests := range all {
		for _, r := range requests {
			if answer := send(t, r); answer.status != status {
				t.Errorf("%s: not %d", answer, status)
			}
		}
	}
}

// post returns a POST request with a body. It has Ann's token, unless its path is one of the routes of accounts.
func (w hostileWorld) post(path, body string) request {
	if strings.HasPrefix(path, "/auth/") {
		return w.ann.anonymously(path, body)
	}
	return w.ann.posting(path, body)
}

// harmless returns requests that change nothing even with Ann's valid token: they ask for things that belong to Bob, or
// that are over.
func (w hostileWorld) harmless() []request {
	all := []request{
		w.ann.entering(w.open, w.bob.animals[1]), w.ann.entering(w.judged, w.ann.animals[1]), w.ann.judging(w.judged), w.ann.claiming(w.open),
	}
	for _, r := range append(reads(w.open), reads(w.judged)...) {
		all = append(all, w.ann.reading(r.path))
	}
	return all
}

// wishes returns requests that Ann herself may send. The attacker sends them with other tokens than hers.
func (w hostileWorld) wishes() []request {
	return append(w.harmless(), w.ann.entering(w.open, w.ann.animals[1]), w.ann.judging(w.open), w.ann.claiming(w.judged))
}

// wished is one of them, with another token than Ann's.
func (w hostileWorld) wished(token string) request {
	r := pick(w, w.wishes())
	r.token = token
	return r
}

func pick[V any](w hostileWorld, all []V) V { return all[w.IntN(len(all))] }

// attempt is a hostile request.
type attempt struct {
	kind string
	request
}

// attempts returns ten thousand hostile requests. They are the same in every run, except for ids and tokens.
func (w hostileWorld) attempts() (all []attempt) {
	for _, kind := range []struct {
		name string
		n    int
		make func(i int) request
	}{
		{"access token, one bit", 2_000, w.flippedAccess},
		{"refresh token, one bit", 900, w.flippedRefresh},
		{"forged token", 900, w.forgedToken},
		{"somebody else's", 500, w.elses},
		{"almost JSON", 2_820, w.almostJSON},
		{"large and deep", 160, w.large},
		{"path", 1_300, w.path},
		{"query", 700, w.query},
		{"header", 600, w.headers},
		{"credentials", 120, w.credentials},
	} {
		for i := range kind.n {
			r := kind.make(i)
			r.api = w.API
			all = append(all, attempt{kind.name, r})
		}
	}
	return all
}

// flip changes one bit of a text. It begins at the given bit, and takes the first bit whose change gives no control
// character, because HTTP cannot transport these.
func flip(text string, bit int) string {
	for ; ; bit++ {
		b, at := []byte(text), bit/8%len(text)
		if b[at] ^= 1 << (bit % 8); b[at] >= ' ' && b[at] != 0x7f {
			return string(b)
		}
	}
}

// Of each token every thirteenth bit is changed.

func (w hostileWorld) flippedAccess(i int) request { return w.wished(flip(w.ann.token, i*13)) }

func (w hostileWorld) flippedRefresh(i int) request { return w.presenting(flip(w.ann.refresh, i*13)) }

// presenting is a request with an invalid refresh token.
func (w hostileWorld) presenting(token string) request {
	return w.post(pick(w, []string{"/auth/refresh", "/auth/logout"}), string(encode(object{"refreshToken": token})))
}

func (w hostileWorld) forgedToken(i int) request {
	switch w.IntN(8) {
	case 0:
		return w.presenting(pick(w, append(w.forged, w.ann.token, w.nobody)))
	case 1: // a valid token in the wrong place
		r := w.wished("")
		r.header = http.Header{}
		name := pick(w, []string{"Authorization", "X-Authorization", "Cookie"})
		scheme := map[string][]string{"Authorization": {"", "Basic ", "Bearer", "bearer,", "Token "}, "X-Authorization": {"Bearer "}, "Cookie": {"token="}}
		r.header.Set(name, pick(w, scheme[name])+w.ann.token)
		return r
	}
	forged := append(slices.Clone(w.forged), w.ann.refresh, w.nobody[:len(w.nobody)-1])
	return w.wished(forged[i%len(forged)])
}

// elses returns a request with a valid token for something that belongs to another player or does not exist.
func (w hostileWorld) elses(int) request {
	if w.IntN(2) == 0 {
		return w.wished(w.nobody)
	}
	r := pick(w, w.harmless())
	if strings.HasSuffix(r.path, "/enter") {
		buck := w.bob.animals[0]
		r.body = object{"animalId": pick(w, []string{buck, w.bob.animals[2], w.ann.animals[0], w.ann.id, w.bob.id, w.open, strings.ToUpper(buck), "{" + buck + "}", buck + "#", "USER#" + w.bob.id})}
	}
	return r
}

// hostileValues are JSON values for members of bodies. None of them gives a valid e-mail address.
var hostileValues = []string{
	"null", "true", "0", "-1", "1e999", "-0.0", "9007199254740993", "123456789012345678901234567890", `""`, `" "`, `"\u0000"`, `"\ud800"`, `"\udc00\ud800"`, `"a@b"`, `"😀"`, `"\u202e"`, "[]", "[[]]", "{}",
	`{"S":"x"}`, `{"$ne":null}`, `["a"]`, `"'; DROP TABLE ranch; --"`, `"${jndi:ldap://127.0.0.1/x}"`, `"{{7*7}}"`, `"<script>"`, `"../../etc/passwd"`, `"attribute_exists(PK)"`, `"%00"`, `"USER#x"`,
	"NaN", "Infinity", "0x10", "01", "'a'", "undefined", `"` + strings.Repeat("a", 3_000) + `"`, `"unfinished`, `"\x41"`, `"\u12"`, "+1", "1.", ".5", "1e", "tru", `"` + "\t\n" + `"`,
}

// almostJSON returns a request whose valid body was changed in one to three places. It has Ann's token only if it can
// change nothing.
func (w hostileWorld) almostJSON(int) request {
	entering := w.post("/events/shows/"+w.open+"/enter", `{"animalId":"`+w.bob.animals[2]+`"}`)
	r := pick(w, []request{
		w.post("/auth/register", `{"email":"no-address","username":"with spaces","password":"a long password","ranchName":"Sunny Acres"}`),
		w.post("/auth/login", `{"email":7,"password":7}`),
		w.post("/auth/refresh", `{"refreshToken":"`+w.ann.token+`"}`),
		w.post("/auth/logout", `{"refreshToken":"`+w.ann.token+`"}`),
		entering, entering,
	})
	for range 1 + w.IntN(3) {
		r.body = w.spoiled(r.body.(string))
	}
	name, value, _ := strings.Cut(pick(w, []string{
		"Content-Type: application/json", "Content-Type: text/plain", "Content-Type: application/octet-stream", "Content-Type: ", "Content-Type: application/json; charset=utf-16",
		"Content-Type: multipart/form-data; boundary=x", "Content-Encoding: gzip", "Content-Encoding: br, gzip", "Content-Transfer-Encoding: base64", "X-Amz-Invocation-Type: Event",
	}), ": ")
	r.header = http.Header{name: {value}}
	return r
}

// spoiled changes a body in one place.
func (w hostileWorld) spoiled(body string) string {
	at := w.IntN(len(body) + 1)
	to := min(len(body), at+w.IntN(5))
	switch w.IntN(10) {
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
	case 4: // a member twice, before or after the other
		if inner, ok := strings.CutPrefix(body, "{"); ok {
			name, _, _ := strings.Cut(inner, ":")
			return "{" + name + ":" + pick(w, hostileValues) + "," + inner
		}
	case 5:
		return strings.ToUpper(body)
	case 6:
		return pick(w, []string{"[", `{"a":`, `"`}) + body + pick(w, []string{"]", "}", `"`})
	case 7: // random bytes
		b := make([]byte, w.IntN(300))
		for i := range b {
			b[i] = byte(w.Uint32())
		}
		return string(b)
	case 8:
		return body + pick(w, []string{"x", "{}", " ", "\x00", "null", ",", "]"})
	}
	return pick(w, hostileValues)
}

// bodied is a route for bodies that make no sense.
func (w hostileWorld) bodied() string {
	return pick(w, []string{"/auth/register", "/auth/login", "/auth/refresh", "/auth/logout", "/events/shows/" + w.open + "/enter", "/events/shows/" + w.judged + "/judge"})
}

// large returns a request with a body of up to a megabyte, or with thousands of nested levels.
func (w hostileWorld) large(i int) request {
	n := []int{9_999, 10_001, 32_000, 65_530, 65_537, 200_000, 1 << 20}[i%7]
	return w.post(w.bodied(), pick(w, []string{
		strings.Repeat("[", n), strings.Repeat("[", n/2) + strings.Repeat("]", n/2), strings.Repeat(`{"a":`, n/6) + "1" + strings.Repeat("}", n/6), `{"animalId":"` + strings.Repeat("a", n) + `"}`,
		`{"a":` + strings.Repeat("9", n) + "}", "{" + strings.Repeat(`"a":1,`, n/6) + `"a":1}`, `{"refreshToken":[` + strings.Repeat("0,", n/2) + "0]}", strings.Repeat(" ", n), strings.Repeat("\x00", n), `{"` + strings.Repeat(`\u0061`, n/6) + `":1}`,
	}))
}

// hostileIDs are wrong spellings of an id, and ids of nothing.
func (w hostileWorld) hostileIDs(id string) []string {
	return []string{
		w.newID(), strings.ToUpper(w.newID()), "{" + id + "}", "urn:uuid:" + id, strings.ReplaceAll(id, "-", ""), id + "0", id[1:], "%20" + id, id + "%00", id + "%23x", "%2F" + id, id + "%2F..", "..%2f" + id, "%2e%2e", "..", ".",
		"%ff", "%f0%9f%98%80", "null", "-1", "0", "undefined", "%7Bid%7D", "*", "x%0d%0aX:%20y", "00000000-0000-0000-0000-000000000000", id[:35] + "%67", "SHOW%23" + id, strings.Repeat("a", 2_000), strings.Repeat("%41", 700), id + ";v=1", id + "%3Fx", "'", "\"", "<", "|",
		id[:8] + "%E2%80%93" + id[9:], strings.Repeat("../", 40), "%EF%BC%91" + id[1:], id + "\\",
	}
}

// newID draws an id from the world's own random source.
func (w hostileWorld) newID() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", w.Uint32(), w.Uint32()>>16, w.Uint32()>>20, w.Uint32()>>20, w.Uint64()>>16)
}

func (w hostileWorld) path(int) request {
	id := pick(w, w.hostileIDs(pick(w, []string{w.open, w.judged})))
	var all []request
	for _, o := range contracted.Operations() {
		if o.Path != o.At("") {
			r := endpoint(o, id)
			if r.token = pick(w, []string{w.ann.token, w.nobody}); o.Body != nil {
				r.body = object{"animalId": w.ann.animals[1]}
			}
			all = append(all, r)
		}
	}
	return pick(w, all)
}

func (w hostileWorld) query(int) request {
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
	r := w.ann.reading("/events/shows")
	if w.IntN(2) == 0 {
		r.path = pick(w, reads(w.open)).path
	}
	r.path, r.token = r.path+q, pick(w, []string{w.ann.token, w.ann.token, w.nobody, "x"})
	return r
}

func (w hostileWorld) headers(int) request {
	odd := []string{
		"X-Http-Method-Override: DELETE", "X-Forwarded-For: 127.0.0.1, ::1", "X-Forwarded-Host: elsewhere.example", "X-Original-URL: /admin", "Forwarded: for=_x;host=y", "X-User-Id: " + w.bob.id,
		"Lambda-Runtime-Aws-Request-Id: x", "X-Amzn-Trace-Id: Root=x\tRoot=1-67891233-abcdef012345678912345678", "Accept-Encoding: gzip;q=NaN, *;q=-1, ,;;,", "Accept: text/html", "Range: bytes=0-1", "If-None-Match: *",
		"Origin: null", "Origin: https://a.example, https://b.example", "Sec-Fetch-Site: cross-site", "Cookie: a=b; token=" + w.ann.token, "Cookie: ;;;=", "Te: trailers", "Connection: keep-alive, authorization",
		"X: " + strings.Repeat("x", 6_000), "X: " + strings.Repeat("x", 12_000), "X: \xff\xfe", "Max-Forwards: 0", "Accept-Language: " + strings.Repeat("x-", 2_000), `Idempotency-Key: ""`, "Date: yesterday", "User-Agent: ", "Via: 1.1 \"",
		"Authorization: Bearer " + w.bob.token + ", Bearer x", "Content-Type: application/json, text/plain",
	}
	r := pick(w, w.harmless())
	if w.IntN(3) == 0 {
		r.token = ""
	}
	r.header = http.Header{}
	for range 1 + w.IntN(2) {
		name, value, _ := strings.Cut(pick(w, odd), ": ")
		r.header.Set(name, value)
	}
	return r
}

// credentials returns a log-in or registration with guessed passwords, for each of which the service must compute a
// hash, or with names of other players.
func (w hostileWorld) credentials(i int) request {
	if i%6 == 0 {
		return w.post("/auth/register", string(encode(candidate().with(pick(w, []object{{"email": w.ann.email}, {"email": strings.ToUpper(w.bob.email)}, {"username": w.ann.username}})))))
	}
	return w.post("/auth/login", string(encode(object{
		"email":    pick(w, []string{w.ann.email, strings.ToUpper(w.ann.email), "nobody@example.com", w.ann.username, "", "EMAIL#" + w.ann.email, w.ann.email + " ", w.ann.email + "\x00"}),
		"password": pick(w, []string{"", "password", "' OR '1'='1", "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNoaGFzaA", strings.Repeat("p", 5_000), "\x00", w.ann.token}),
	})))
}
