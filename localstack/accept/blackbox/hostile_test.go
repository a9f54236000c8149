package blackbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// state is everything of a victim that could change: what every read answers, the ledger, and the session.
func (v victim) state(t testing.TB) object {
	t.Helper()
	state := object{
		"user": set(t, "user", "get", v.id), "ledger": v.ledger(t), "session": refresh(t, v.refresh).status,
		// Other lists have everybody's shows.
		"listed": get(t, v.token, "/events/shows?status=&tier="+v.open.tier).list(t),
	}
	for _, r := range reads(v.open.id, v.judged.id) {
		if r.operation().ID != "listShows" {
			state[r.path] = string(get(t, v.token, r.path).body)
		}
	}
	return state
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

// harmless checks that the answer is a refusal, or a success without effect. Every exchange is held to be one of the
// contract (contract_test.go), so that a refusal is one of the endpoint's own.
func (r reply) harmless(t testing.TB) {
	t.Helper()
	hostile.Add(1)
	if o := r.operation(); r.status < 300 && o.Method != http.MethodGet && o.ID != "logout" || r.status >= 500 {
		t.Errorf("%s: it is granted, or the service has failed", r)
	}
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
	for _, r := range endpoints() {
		if !r.operation().Protected {
			r.body = "{}"
		}
		for _, token := range []string{"", v.token} {
			r.token = token
			for _, header := range odd {
				r.header = header
				if header.Get("Upgrade") != "" && suite.own == nil {
					continue // what stands before a deployed stack has its own mind
				}
				send(t, r).harmless(t)
			}
			r.header = nil
			path := r.path
			for _, query := range queries {
				r.path = path + query
				send(t, r).harmless(t)
			}
			r.path = path
		}
	}
}
