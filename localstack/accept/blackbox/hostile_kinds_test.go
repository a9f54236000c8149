package blackbox

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// hostileWorld is the data for the hostile requests: two players, an open show and a judged show. Ann's animal Buck is
// in both shows, and she has not claimed her prize.
type hostileWorld struct {
	*world.World
	ann, bob     *player
	open, judged string
	unknownUser  string   // an access token with a valid signature, of a user who does not exist
	forged       []string // tokens that are not valid
}

// developmentKey is the signing key of local stacks. Deployed stacks never use it.
var developmentKey = tokentest.Key{ID: "development", Secret: []byte("the development key that everybody knows, and nobody uses in earnest")}

func newHostileWorld(t *testing.T, in *world.World) hostileWorld {
	t.Helper()
	w := hostileWorld{World: in, ann: newPlayer(t, in), bob: newPlayer(t, in)}
	season, err := in.NewSeason(t.Context(), game.NewID())
	require.NoError(t, err)
	for _, id := range []*string{&w.open, &w.judged} {
		show, err := in.NewShow(t.Context(), game.Show{Name: "County Fair", Tier: game.TierRookie, SeasonID: season.ID}, 1)
		require.NoError(t, err)
		*id = string(show.ID)
		w.ann.enters(t, *id, w.ann.animals[0])
	}
	w.bob.judges(t, w.judged, 1)
	w.bob.login(t).object(t, 200)
	w.unknownUser = tokentest.Access(developmentKey, game.NewID(), world.Now()).String()
	for _, good := range []string{w.ann.token, w.ann.refresh} {
		invalid, expired := tokentest.Forgeries(t, good, world.Now(), developmentKey)
		w.forged = append(w.forged, slices.Sorted(maps.Values(invalid))...)
		w.forged = append(w.forged, slices.Sorted(maps.Values(expired))...)
		for bit := 0; bit < len(good)*8; bit += 13 {
			w.forged = append(w.forged, flip(good, bit))
		}
	}
	w.stillServed(t)
	placed := map[string]bool{}
	for _, r := range w.harmless() {
		if o, known := contracted.Operation(r.method, r.path); known {
			placed[o.ID] = true
		}
	}
	for _, o := range contracted.Operations() {
		if !placed[o.ID] {
			t.Errorf("no harmless request is %s", o.Route())
		}
	}
	return w
}

// stillServed sends a request to every function, and checks the status of the response. One request has the token of
// the user without an account: it is accepted, so similar tokens are refused only because of their flaws.
func (w hostileWorld) stillServed(t *testing.T) {
	t.Helper()
	unknown := *w.ann
	unknown.token = w.unknownUser
	all := map[int][]request{
		200: {unknown.reading("/animals"), w.ann.refreshing(w.ann.refresh), w.ann.anonymously("/auth/logout", object{})},
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
			answer := send(t, r)
			assert.Equal(t, status, answer.status, "%s: not %d", answer, status)
		}
	}
}

// wishes returns a request for every protected operation. An attacker, who does not have Ann's token, sends them.
func (w hostileWorld) wishes() (all []request) {
	for _, o := range protected() {
		show := map[bool]string{true: w.judged, false: w.open}[o.ID == "claimReward"]
		r := endpoint(o, show)
		if o.Body != nil {
			r.body = object{"animalId": w.ann.animals[1]}
		}
		all = append(all, r)
	}
	return all
}

// harmless returns requests for every operation that change nothing, even with Ann's valid token. They only read, or
// the service refuses them: for Bob's animal, for the state of a show, or for the body.
func (w hostileWorld) harmless() []request {
	all := []request{
		w.ann.entering(w.open, w.bob.animals[1]), w.ann.entering(w.judged, w.ann.animals[1]), w.ann.judging(w.judged), w.ann.claiming(w.open),
		w.ann.anonymously("/auth/register", object{"email": "no-address", "username": "with spaces", "password": "a long password", "ranchName": "Sunny Acres"}),
		w.ann.anonymously("/auth/login", object{"email": "nobody@example.com", "password": "a long password"}),
		w.ann.anonymously("/auth/refresh", object{"refreshToken": w.ann.token}), w.ann.anonymously("/auth/logout", object{"refreshToken": w.ann.token}),
	}
	for _, r := range reads(w.open) {
		all = append(all, w.ann.reading(r.path))
	}
	return all
}

// attempt is a hostile request.
type attempt struct {
	kind string
	request
}

// attempts returns all hostile requests, more than ten thousand.
func (w hostileWorld) attempts() (all []attempt) {
	add := func(kind string, r request) {
		r.api = w.API
		all = append(all, attempt{kind, r})
	}
	wishes, harmless := w.wishes(), w.harmless()
	for i, text := range append(w.forged, w.ann.refresh) {
		r := wishes[i%len(wishes)]
		r.token = text
		add("wrong token", r)
	}
	for i, text := range append(w.forged, w.ann.token, w.unknownUser) {
		add("wrong token", w.ann.anonymously([]string{"/auth/refresh", "/auth/logout"}[i%2], object{"refreshToken": text}))
	}
	for _, r := range wishes {
		for _, header := range []http.Header{
			{"X-Authorization": {"Bearer " + w.ann.token}}, {"Cookie": {"token=" + w.ann.token}}, {"Authorization": {"Basic " + w.ann.token}}, {"Authorization": {w.ann.token}},
			{"X-User-Id": {w.ann.id}, "X-Forwarded-For": {"127.0.0.1"}},
		} {
			r.header = header
			add("token in another place", r)
		}
		r.token, r.header = w.unknownUser, nil
		add("somebody else's", r)
	}
	for _, animal := range append(slices.Clone(w.bob.animals), w.ann.id, w.bob.id, w.open, strings.ToUpper(w.bob.animals[0]), "USER#"+w.bob.id) {
		add("somebody else's", w.ann.entering(w.open, animal))
	}
	for _, taken := range []object{{"email": strings.ToUpper(w.bob.email)}, {"username": w.bob.username}} {
		add("somebody else's", w.ann.anonymously("/auth/register", candidate().with(taken)))
	}
	for _, r := range harmless {
		for _, text := range hostileTexts {
			w.placed(r, text, add)
		}
	}
	for _, o := range contracted.Operations() {
		for _, id := range w.hostileIDs() {
			if r := endpoint(o, id); r.path != o.Path {
				r.token = w.ann.token
				add("id in a path", r)
			}
		}
	}
	return all
}

// placed adds requests with a hostile text in each place of r: in each member of the body and around it and, if the
// text is below 4,000 bytes, in the query and in headers.
func (w hostileWorld) placed(r request, text string, add func(kind string, r request)) {
	if len(text) < 4_000 {
		visible := strings.Map(printable, text)
		for _, query := range []string{
			"tier=" + visible + "&status&st%61tus=%zz;%00", "tier=" + url.QueryEscape(text), url.QueryEscape(text), "status=x&status=" + visible, "limit=" + visible, "after=" + visible,
			"before=" + visible, "around=" + visible, "season=" + visible, "show=" + visible,
		} {
			in := r
			in.path += "?" + query
			add("query", in)
		}
		for _, name := range []string{
			"Accept-Encoding", "Content-Type", "Content-Encoding", "Cookie", "Origin", "X-Forwarded-For", "X-Http-Method-Override", "X-User-Id", "X-Amzn-Trace-Id", "Idempotency-Key",
		} {
			in := r
			in.header = http.Header{name: {visible}}
			add("header", in)
		}
	}
	members, _ := r.body.(object)
	whole, quoted := string(encode(members)), strings.Trim(string(encode(list{text})), "[]")
	for name, value := range members {
		member := func(value string) string { return fmt.Sprintf("%q:%s", name, value) }
		before := member(strings.Trim(string(encode(list{value})), "[]"))
		for _, body := range []string{
			strings.Replace(whole, before, member(quoted), 1), strings.Replace(whole, before, member(text), 1), strings.Replace(whole, before, member(text)+","+before, 1),
			text, whole + text, text + whole, whole[:len(whole)/2] + text,
		} {
			in := r
			in.body = body
			add("body", in)
		}
	}
}

// printable drops characters that HTTP cannot transport in a header or a path.
func printable(r rune) rune {
	if r <= ' ' || r == 0x7f || r == '#' {
		return -1
	}
	return r
}

// hostileTexts are JSON values, parts of JSON, and texts with a meaning in other languages. None is a valid address.
var hostileTexts = []string{
	"", "null", "true", "-1", "1e999", "9007199254740993", "NaN", "0x10", "01", "+1", "1.", "tru", "[]", "{}", "[[]]", `{"S":"x"}`, `{"$ne":null}`, `""`, `"\u0000"`, `"\ud800"`, `"\udc00\ud800"`, `"\x41"`,
	`"unfinished`, `"` + "\t\n" + `"`, "\x00", "\xff", "\xc3", "\xed\xa0\x80", "\\", "{", "]", ",", ":", "//", "/**/", "\ufeff", "\u2028", "\u202e", "😀", " ", "%", "%zz", "%00", "+", "&&", ";", "*", "#", "open#rookie",
	"'; DROP TABLE ranch; --", "${jndi:ldap://127.0.0.1/x}", "{{7*7}}", "<script>", "../../etc/passwd", "attribute_exists(PK)", "USER#x", "__proto__", "gzip;q=NaN, *;q=-1", "multipart/form-data; boundary=x",
	"application/json; charset=utf-16", "Root=x\tRoot=1-67891233-abcdef012345678912345678", "DELETE", "::1, 127.0.0.1", strings.Repeat("a", 3_000), strings.Repeat("[", 10_001), strings.Repeat(`{"a":`, 5_000),
	strings.Repeat("9", 32_000), strings.Repeat(" ", 65_537), strings.Repeat("\x00", 70_000),
}

// hostileIDs returns wrong spellings of the open show's id, and texts that are the id of nothing, escaped for a path.
func (w hostileWorld) hostileIDs() (all []string) {
	id := w.open
	all = []string{
		newID(), "{" + id + "}", "urn:uuid:" + id, strings.ReplaceAll(id, "-", ""), id + "0", id[1:], "%20" + id, id + "%00", id + "%23x", "%2F" + id, id + "%2F..", "..%2f" + id, "%2e%2e", "%ff", id + ";v=1",
		"00000000-0000-0000-0000-000000000000", id[:35] + "%67", "SHOW%23" + id, id[:8] + "%E2%80%93" + id[9:], "%EF%BC%91" + id[1:], strings.Repeat("../", 40),
	}
	for _, text := range hostileTexts {
		if escaped := url.PathEscape(text); len(escaped) < 3_000 {
			all = append(all, escaped)
		}
	}
	return all
}

// flip changes one bit of a text: from bit on, the first whose change gives a character that HTTP can transport.
func flip(text string, bit int) string {
	for ; ; bit++ {
		b, at := []byte(text), bit/8%len(text)
		if b[at] ^= 1 << (bit % 8); b[at] >= ' ' && b[at] != 0x7f {
			return string(b)
		}
	}
}
