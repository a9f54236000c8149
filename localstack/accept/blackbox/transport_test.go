package blackbox

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
)

// The tests of this file check how API Gateway changes a request before a function reads it. If RANCH_URL names a
// deployed stack, they test the real API Gateway, and otherwise a local stand-in.

// TestTransport_contentTypes checks that a function reads a body in the same way with any content type, and that a text
// comes back as it was sent. If the type is neither text nor JSON, the gateway passes the body on in base64.
func TestTransport_contentTypes(t *testing.T) {
	t.Parallel()
	for _, contentType := range []string{"", "application/json; charset=utf-8", "text/plain", "application/octet-stream", "application/x-www-form-urlencoded"} {
		header := http.Header{"Content-Type": {contentType}}
		p := candidate()
		p.ranch = "Ränch 😀 \u2028 nul \x00 '; DROP TABLE ranch; -- ${jndi:ldap://x} <script> \\u0041 \" USER#x e\u0301"
		send(t, request{method: "POST", path: "/auth/register", body: p.form(), header: header}).object(t, 201)
		ranch := send(t, p.loggingIn()).object(t, 200)["user"].(object)["ranch"].(object)
		assert.True(t, ranch["name"] == p.ranch, "%q: the ranch's name is %q", contentType, ranch["name"])
		send(t, request{method: "POST", path: "/auth/login", body: "{", header: header}).refuses(t, 400, "VALIDATION_ERROR", "Invalid input")
	}
}

// TestTransport_bodySizes checks that a function accepts a body of 65,536 bytes, and refuses a body with one more byte,
// in base64 or not. If a body is too large for API Gateway, the response is API Gateway's own 413.
func TestTransport_bodySizes(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	credentials := string(encode(object{"email": p.email, "password": p.password}))
	sized := func(contentType string, size int) reply {
		body := credentials + strings.Repeat(" ", size-len(credentials))
		return send(t, request{method: "POST", path: "/auth/login", body: body, header: http.Header{"Content-Type": {contentType}}})
	}
	for _, contentType := range []string{"application/json", "application/octet-stream"} {
		sized(contentType, 65_536).object(t, 200)
		sized(contentType, 65_537).refuses(t, 400, "VALIDATION_ERROR", "Invalid input")
		sized(contentType, 10<<20+1).is(t, 413, object{"message": "Request Entity Too Large"})
	}
}

// TestTransport_queries checks that a query arrives as it was sent. A missing parameter differs from an empty one,
// escapes are decoded, and the first of several values counts.
func TestTransport_queries(t *testing.T) {
	t.Parallel()
	tier := unique() + "#ü 😀"
	first := newShow(t, game.Show{Tier: tier})
	closed := newShow(t, game.Show{Tier: tier, EntryClosesAt: world.Now().Add(-time.Hour)})
	judged := newShow(t, game.Show{Tier: tier, EntryClosesAt: world.Now().Add(30 * time.Minute)})
	newPlayer(t).judges(t, judged.id, 0)
	open, all := []string{closed.id, first.id}, []string{closed.id, judged.id, first.id}
	for query, want := range map[string][]string{
		"":                              open,
		"&%73tatus=compl%65ted":         {judged.id},
		"&status=":                      all,
		"&status":                       all,
		"&status=open&status=completed": open,
		"&status=OPEN":                  nil,
		"&status=%zz":                   nil,
		"&limit=1&page=2&offset=5":      open,
		"&tier=" + unique():             open,
	} {
		var got []string
		for _, show := range reader(t).get(t, "/events/shows?tier="+url.QueryEscape(tier)+query).list(t) {
			got = append(got, show["id"].(string))
		}
		assert.True(t, slices.Equal(got, want), "%s lists %v, not %v", query, got, want)
	}
}

// TestTransport_paths checks that an id in the path may be in capitals and escaped. Any other spelling names no show.
func TestTransport_paths(t *testing.T) {
	t.Parallel()
	show, p := newShow(t, game.Show{}), reader(t)
	for _, id := range []string{newID(), "no-id", "%7B" + show.id + "%7D", show.id + "%00", "%FF%FE", strings.Repeat("a", 4_000)} {
		p.get(t, "/events/shows/"+id).refuses(t, 404, "NOT_FOUND", "")
		send(t, p.entering(id, p.animals[0])).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
		send(t, p.judging(id)).refuses(t, 404, "NOT_FOUND", "Show not open")
		send(t, p.claiming(id)).refuses(t, 404, "NOT_FOUND", "")
	}
	want := object{"id": show.id, "name": show.Name, "tier": show.Tier, "entryClosesAt": show.EntryClosesAt, "status": "open", "entries": list{}}
	for _, id := range []string{strings.ToUpper(show.id), fmt.Sprintf("%%%02x", show.id[0]) + show.id[1:]} {
		p.get(t, "/events/shows/"+id+"?tier=x&id="+newID()).is(t, 200, want)
	}
}

// TestTransport_unknownRoutes checks that an unknown route gets API Gateway's own 404.
func TestTransport_unknownRoutes(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for _, r := range []request{
		{method: "GET", path: "/"}, {method: "GET", path: "/v1/events/shows"}, {method: "GET", path: "/auth/login"}, {method: "PUT", path: "/events/shows"},
		{method: "DELETE", path: "/events/shows/" + newID()}, {method: "GET", path: "/events/shows/" + newID() + "/results"}, {method: "GET", path: "/users"},
		{method: "GET", path: "/animals/"}, {method: "GET", path: "/Animals"}, {method: "POST", path: "/2015-03-31/functions/Register/invocations"},
	} {
		r.token = p.token
		send(t, r).is(t, 404, object{"message": "Not Found"})
	}
	for _, o := range protected() {
		answer := send(t, request{method: "HEAD", path: o.At(newID()), token: p.token})
		assert.True(t, answer.status == 404 && len(answer.body) == 0, answer)
	}
}

// TestTransport_cors checks the preflight request that browsers send first, for any path. The gateway lets every origin
// send a token and read the request's id.
func TestTransport_cors(t *testing.T) {
	t.Parallel()
	origin := []string{"https://game.example.com"}
	asked := http.Header{"Origin": origin, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization, content-type"}}
	allowed := send(t, request{method: "OPTIONS", path: "/animals", header: asked}).header
	answered := send(t, request{method: "GET", path: "/animals", header: http.Header{"Origin": origin}}).header
	for _, c := range []struct {
		header     http.Header
		name, want string
	}{
		{allowed, "Allow-Origin", "*"}, {allowed, "Allow-Methods", "GET,POST,PUT,DELETE"}, {allowed, "Allow-Headers", "authorization"},
		{allowed, "Allow-Headers", "content-type"}, {allowed, "Max-Age", "86400"}, {answered, "Allow-Origin", "*"},
		{answered, "Expose-Headers", "apigw-requestid"},
	} {
		got := c.header.Get("Access-Control-" + c.name)
		assert.Contains(t, got, c.want, "Access-Control-%s is %q, without %s", c.name, got, c.want)
	}
}

// TestAuth checks that every route, except those below /auth/, requires an access token in the header Authorization. No
// other place of the token and no wrong token is accepted. Package httpapi tests all forms of wrong credentials.
func TestAuth(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for _, o := range suite.Operations() {
		if o.Protected == strings.HasPrefix(o.Path, "/auth/") {
			t.Errorf("%s is behind authentication: %t", o.Route(), o.Protected)
		}
	}
	for _, o := range protected() {
		t.Run(o.ID, func(t *testing.T) {
			r := endpoint(o, newID())
			for _, token := range []string{"rubbish", p.refresh, p.token + "x", ""} {
				r.token = token
				send(t, r).unauthorized(t)
			}
			r.header = http.Header{"Cookie": {"token=" + p.token}, "X-Authorization": {"Bearer " + p.token}}
			r.path += "?token=" + p.token + "&access_token=" + p.token
			send(t, r).unauthorized(t)
		})
	}
}
