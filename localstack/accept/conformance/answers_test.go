package conformance

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
)

const (
	tooMany     = `{"message":"Too Many Requests"}`   // of API Gateway
	unavailable = `{"message":"Service Unavailable"}` // of API Gateway
)

// refusedRead returns a scenario that answers a read with each of the faults. The call must fail with this status, code
// and message after the given number of requests, with waits between them.
func refusedRead(requests, status int, code, message string, faults ...fault) func(s *play) {
	return func(s *play) {
		c := s.anybody()
		for _, fault := range faults {
			s.proxy.on(getAnimals, requests, fault)
			s.refused(c.call("animals", nil), status, code, message)
			s.withinJitter(c.delays(), requests-1)
		}
		s.came(requests*len(faults), "")
	}
}

// withinJitter checks that there are n delays, in milliseconds, with full jitter: the first is at most 200 ms, and the
// bound doubles for each further delay, up to 5 s.
func (s *play) withinJitter(delays []int64, n int) {
	s.equal("waits", len(delays), n)
	bound := int64(200)
	for i, delay := range delays {
		assert.True(s, delay >= 0 && delay <= bound, "wait %d of %d ms, want at most %d", i+1, delay, bound)
		bound = min(2*bound, 5000)
	}
}

// waits answers a read once with 503 and this header. The client must repeat it after least to most milliseconds.
func (s *play) waits(c *client, least, most int64, header ...string) {
	s.proxy.on(getAnimals, 1, answer(503, unavailable, header...))
	s.ok(c.call("animals", nil), nil)
	delays := c.delays()
	assert.True(s, len(delays) == 1 && delays[0] >= least && delays[0] <= most, "%v: waits of %v ms", header, delays)
}

var refusals = []scenario{
	{"refused-as-unknown", func(s *play) {
		c := s.anybody()
		s.refused(c.call("show", args{"show": game.NewID()}), 404, "NOT_FOUND", "")
		s.refused(c.call("claim", args{"show": game.NewID()}), 404, "NOT_FOUND", "")
		s.refused(c.call("show", args{"show": "no id?at=all#b"}), 404, "NOT_FOUND", "")
		// "../season" must not become the path of the season.
		s.equal("status", s.fails(c.call("show", args{"show": "../season"}), refusedByAPI).Status, 404)
		s.came(4, "")
	}},
	{"refused-with-a-code-of-tomorrow", func(s *play) {
		c := s.anybody()
		teapot := answer(418, `{"error":"TEAPOT","message":"Short and stout."}`, "Apigw-Requestid", "abc=")
		s.proxy.on(getAnimals, 1, teapot)
		r := c.call("animals", nil)
		s.refused(r, 418, "TEAPOT", "Short and stout.")
		s.equal("request", r.Error.RequestID, "abc=")
	}},
	{"no-season", func(s *play) {
		c := s.anybody()
		s.proxy.on(getSeason, 1, answer(200, `{"active":false}`))
		r := c.call("season", nil)
		s.ok(r, nil)
		s.equal("season", string(r.OK), "null")
	}},
	{"lists-by-tier-and-status", func(s *play) {
		tier := "t" + world.NewName()
		p, open, done := s.player(), s.show(tier, 0), s.show(tier, 0)
		s.judges(p, done)
		c := s.playing(p)
		for status, want := range map[string][]game.ID{"": {open.ID}, "completed": {done.ID}, "*": {open.ID, done.ID}} {
			assert.ElementsMatch(s, want, ids(c.list("shows", args{"tier": tier, "status": status})), status)
		}
	}},
}

var repeating = []scenario{
	{"repeats-what-passes", func(s *play) {
		c := s.anybody()
		for _, status := range []int{502, 503, 504} {
			s.proxy.on(getAnimals, 1, answer(status, unavailable))
		}
		s.ok(c.call("animals", nil), nil)
		s.came(4, getAnimals)
		s.withinJitter(c.delays(), 3)
		c.told()
	}},
	{"repeats-before-closed-doors", refusedRead(4, 503, "CLOSED", "Please come back soon.",
		answers(503, `{"error":"CLOSED","message":"Please come back soon."}`)...)},
	{"repeats-as-often-as-told", func(s *play) {
		s.proxy.on(getAnimals, always, loseRequest)
		seen := map[string]bool{}
		for i := range 3 {
			c := s.anybody(attempts(9))
			s.fails(c.call("animals", nil), network)
			s.came(9*(i+1), getAnimals)
			delays := c.delays()
			s.withinJitter(delays, 8)
			seen[fmt.Sprint(delays)] = true
		}
		s.equal("series of waits", len(seen), 3)
	}},
	{"waits-as-asked", func(s *play) {
		s.waits(s.anybody(), 7_000, 12_000, "Retry-After", "7")
	}},
	{"waits-until-a-time", func(s *play) {
		now := time.Now().UTC()
		s.waits(s.anybody(clockAhead(-3*time.Hour)), 20_000, 20_000,
			"Date", now.Format(http.TimeFormat), "Retry-After", now.Add(20*time.Second).Format(http.TimeFormat))
	}},
	{"waits-not-forever", func(s *play) {
		for _, absurd := range []string{"86400", "-1", "soon"} {
			s.waits(s.anybody(), 0, 60_000, "Retry-After", absurd)
		}
	}},
	{"never-repeats-500",
		refusedRead(1, 500, "INTERNAL_ERROR", "Failed to fetch animals", answers(500, `{"error":"INTERNAL_ERROR","message":"Failed to fetch animals"}`)...)},
	{"repeats-log-ins", func(s *play) {
		p := s.player()
		c := s.client()
		s.proxy.on(postLogin, 1, loseAnswer)
		s.ok(c.call("login", credentials(p)), nil)
		s.came(2, postLogin)
		c.told("sessionStarted")
	}},
}

// page is a response that gateways and captive portals send in the API's place.
const page = "<!doctype html><html><head><title>Sorry</title></head><body>502</body></html>"

var foreign = []scenario{
	{"html-502", refusedRead(4, 502, "SERVICE_UNAVAILABLE", "", answer(502, page))},
	{"html-200", refusedRead(1, 200, unexpected, "", answers(200, page)...)},
	{"empty-200", refusedRead(1, 200, unexpected, "", answers(200, "", "null")...)},
	{"refused-by-a-page", func(s *play) {
		keepsTheSession(401, unexpected, "", 1, answers(401, page)...)(s)
		keepsTheSession(403, unexpected, "", 1, answers(403, page)...)(s)
	}},
	{"endless", func(s *play) {
		refusedRead(1, 200, unexpected, "", answers(200, `["`+strings.Repeat("x", 40<<20)+`"]`)...)(s)
	}},
	{"redirected", func(s *play) {
		elsewhere := s.newProxy()
		for _, status := range []int{302, 307, 308, 511} {
			p, _, entry := s.entry()
			c := s.playing(p, old)
			for _, call := range []struct {
				op, route string
				args      args
			}{
				{"login", postLogin, credentials(p)}, {"register", postRegister, someone()}, {"animals", postRefresh, nil},
				{"animals", getAnimals, nil}, {"enter", postEnter, entry}, {"logout", postLogout, nil},
			} {
				location := elsewhere.URL + strings.Fields(call.route)[1]
				there := s.proxy.on(call.route, always, answer(status, "", "Location", location))
				s.fails(c.call(call.op, call.args), network)
				there.stop()
				if call.op != "logout" { // which ends the session here
					s.equal("the stored refresh token", c.stored().RefreshToken, p.Refresh)
				}
			}
			s.gold(p, 500)
		}
		s.equal("requests elsewhere", elsewhere.requests(""), 0)
	}},
	{"names-as-they-are", func(s *play) {
		c := s.anybody()
		name := `<script>alert("\u2028")</script> 🐄 ` + "\u202e"
		s.proxy.on(getAnimals, 1, answer(200, `[{"id":"1","horns":{"n":2},"name":`+string(s.json(name))+`}]`))
		var animals []struct{ Name string }
		s.ok(c.call("animals", nil), &animals)
		s.equal("name", animals[0].Name, name)
		s.came(1, "")
	}},
}

// wellMeant is the body of a success that is not the API's.
const wellMeant = `{"status":"ok"}`

// notASession has bodies that must not log a player in.
var notASession = []string{
	wellMeant, `[]`, `{"token":"ok","refreshToken":"ok","user":{"id":"1","username":"a"}}`, `{"token":"a.b.c","user":{"id":"1","username":"a"}}`,
	`{"token":"a.b.c","refreshToken":"a.b.c"}`, `{"token":"a.b.c","refreshToken":"a.b.c","user":{"username":"a"}}`, `{"token":"a.b.c d","refreshToken":"a.b.c","user":{"id":"1","username":"a"}}`,
}

var shapes = []scenario{
	{"shape-of-a-login", func(s *play) {
		c := s.anybody()
		for _, body := range notASession {
			s.proxy.on(postLogin, 1, answer(200, body))
			s.refused(c.call("login", credentials(c.player)), 200, unexpected, "")
			s.equal("the stored refresh token", c.stored().RefreshToken, c.player.Refresh)
		}
		s.ok(c.call("animals", nil), nil)
		c.told()
	}},
	{"shape-of-a-registration", func(s *play) {
		c := s.anybody()
		for _, body := range notASession {
			s.proxy.on(postRegister, 1, answer(201, body))
			s.unknown(c.call("register", someone()), "register", refusedByAPI)
			s.equal("the stored refresh token", c.stored().RefreshToken, c.player.Refresh)
		}
		s.ok(c.call("animals", nil), nil)
		c.told()
	}},
	{"shape-of-a-refresh", keepsTheSession(200, unexpected, "", 1,
		answers(200, page, wellMeant, `[]`, `{}`, `{"token":""}`, `{"token":7}`, `{"token":"ok"}`, `{"token":"a.b"}`, `{"token":"a.b.c d"}`, `{"token":["a.b.c"]}`)...)},
	{"shape-of-an-entry", entry.resolved(
		instead(201, page, "", `{"success":tr`, `{}`, wellMeant, `[]`, `{"success":false,"message":"","entryFee":50}`,
			`{"success":true,"message":""}`, `{"success":true,"message":"","entryFee":"50"}`)...)},
	{"shape-of-a-claim", claim.resolved(instead(200, `{}`, wellMeant, `{"success":true,"rank":1,"message":""}`)...)},
	{"shape-of-a-judging", judging.resolved(instead(200, `{}`, wellMeant, `{"success":true,"message":"","topThree":{}}`)...)},
	{"shape-of-a-read", func(s *play) {
		p, _, show := s.podium()
		c := s.playing(p)
		for _, read := range []struct{ op, route, wrong string }{
			{"animals", getAnimals, `{}`}, {"shows", getShows, `{}`}, {"season", getSeason, `[]`},
			{"me", "GET /me", `[]`}, {"show", getShow, `{"id":"1","status":"open","entryFee":0}`},
		} {
			s.ok(c.call(read.op, show), nil)
			for _, body := range []string{read.wrong, wellMeant, `"none"`} {
				s.proxy.on(read.route, 1, answer(200, body))
				s.refused(c.call(read.op, show), 200, unexpected, "")
			}
		}
	}},
}
