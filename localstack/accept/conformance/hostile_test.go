package conformance

import (
	"strings"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// page is what is served in the place of the API, by gateways and by networks that want a log-in of their own.
const page = "<!doctype html><html><head><title>Sorry</title></head><body>502</body></html>"

var hostile = []scenario{
	{"html-502", "A page in the place of an answer, with the status 502, is a service that is away.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", animalsPath, faultyproxy.Always, faultyproxy.Answer(502, page))
		s.refused(c.call("animals", nil), 502, "SERVICE_UNAVAILABLE", "")
		s.came(4, "GET", animalsPath)
	}},
	{"html-200", "A page in the place of an answer, with the status 200, is an error, and no empty list.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(200, page))
		s.refused(c.call("animals", nil), 200, unexpected, "")
		s.came(1, "GET", animalsPath)
	}},
	{"empty-200", "An empty answer is an error, and so is null.", func(s *play) {
		c := s.playing(s.player())
		for _, nothing := range []string{"", "null"} {
			s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(200, nothing))
			s.refused(c.call("animals", nil), 200, unexpected, "")
		}
	}},
	{"html-after-a-change", "An entry that is answered by a page, with the status 200, is looked for in the show.", func(s *play) {
		enteredDespite(200, page)(s)
		s.came(1, "POST", enterPath)
	}},
	{"empty-after-a-change", "An entry with an empty answer, or half a one, is looked for in the show.", enteredDespite(201, "", `{"success":tr`)},
	{"html-to-a-refresh", "A page in the place of a refreshed token is an error, and keeps the session.", keepsTheSession(200, unexpected, "", 1, answers(200, page)...)},
	{"refresh-without-a-token", "A refresh that is answered without a token is an error, and keeps the session.", keepsTheSession(200, unexpected, "", 1, answers(200, `{}`, `{"token":""}`, `{"token":7}`)...)},
	{"refused-by-a-page", "A page with the status 401 or 403 in the place of a refresh is an error, and ends no session.", func(s *play) {
		keepsTheSession(401, unexpected, "", 1, answers(401, page)...)(s)
		keepsTheSession(403, unexpected, "", 1, answers(403, page)...)(s)
	}},
	{"endless", "An answer of 40 MB is an error, and is not read to its end.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", animalsPath, faultyproxy.Always, faultyproxy.Answer(200, `["`+strings.Repeat("x", 40<<20)+`"]`))
		s.refused(c.call("animals", nil), 200, unexpected, "")
		s.came(1, "GET", animalsPath)
	}},
	{"redirected", "A redirection is followed nowhere, so that no token goes elsewhere.", func(s *play) {
		elsewhere := s.newProxy()
		p, show, a := s.entry()
		c := s.playing(p)
		for _, status := range []int{302, 307, 308} {
			s.proxy.On("", "", 1, faultyproxy.Answer(status, "", "Location", elsewhere.URL+"/animals"))
			r := c.call("animals", nil)
			if r.failure == nil || r.failure.Kind != protocol.API && r.failure.Kind != protocol.Network {
				s.Errorf("got %s", r)
			}
		}
		s.proxy.On("POST", enterPath, 1, faultyproxy.Answer(307, "", "Location", elsewhere.URL+"/events/shows/"+string(show.ID)+"/enter"))
		if r := c.call("enter", a); r.failure == nil {
			s.Errorf("got %s", r)
		}
		s.equal("requests elsewhere", elsewhere.Came("", ""), 0)
		s.gold(p, 500)
	}},
	{"redirected-secrets", "Nor is one of a log-in, a registration, a refresh or a log-out: no password and no token goes elsewhere.", func(s *play) {
		elsewhere := s.newProxy()
		for _, status := range []int{307, 308} {
			p := s.player()
			c, form := s.playing(p, old), someone()
			for op, redirected := range map[string]struct {
				path string
				args args
			}{
				"login": {loginPath, credentials(p)}, "register": {registerPath, form}, "animals": {refreshPath, nil}, "logout": {logoutPath, nil},
			} {
				there := s.proxy.On("POST", redirected.path, faultyproxy.Always, faultyproxy.Answer(status, "", "Location", elsewhere.URL+redirected.path))
				if r := c.call(op, redirected.args); r.failure == nil {
					s.Errorf("%d: got %s", status, r)
				}
				there.Stop()
				if op == "logout" {
					c = s.playing(p, old) // which is logged out here all the same
				}
				s.equal("the stored refresh token", c.stored().RefreshToken, p.refresh)
			}
		}
		s.equal("requests elsewhere", elsewhere.Came("", ""), 0)
	}},
	{"names-as-they-are", "Names come as they are, whatever is in them.", func(s *play) {
		c := s.playing(s.player())
		name := `<script>alert("\u2028")</script> 🐄 ` + "\u202e"
		s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(200, `[{"id":"1","name":`+string(s.json(name))+`}]`))
		var animals []struct{ Name string }
		s.ok(c.call("animals", nil), &animals)
		s.equal("name", animals[0].Name, name)
		s.came(1, "", "")
	}},
}
