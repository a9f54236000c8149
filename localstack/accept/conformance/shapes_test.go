package conformance

import (
	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
	"github.com/ranch-game/ranch/shared/game"
)

// wellMeant is what something on the way says in the place of the API.
const wellMeant = `{"status":"ok"}`

// notASession are answers that log nobody in.
var notASession = []string{
	wellMeant, `[]`, `{"token":"ok","refreshToken":"ok","user":{"id":"1","username":"a"}}`, `{"token":"a.b.c","user":{"id":"1","username":"a"}}`,
	`{"token":"a.b.c","refreshToken":"a.b.c"}`, `{"token":"a.b.c","refreshToken":"a.b.c","user":{"username":"a"}}`, `{"token":"a.b.c d","refreshToken":"a.b.c","user":{"id":"1","username":"a"}}`,
}

var shapes = []scenario{
	{"shape-of-a-login", "A log-in that is answered by something else is an error, and the session before goes on.", func(s *play) {
		p := s.player()
		c := s.playing(p)
		for _, answer := range notASession {
			s.proxy.On("POST", loginPath, 1, faultyproxy.Answer(200, answer))
			s.refused(c.call("login", credentials(p)), 200, unexpected, "")
			s.equal("the stored refresh token", c.stored().RefreshToken, p.refresh)
		}
		s.ok(c.call("animals", nil), nil)
		c.told()
	}},
	{"shape-of-a-registration", "A registration that is answered by something else, and cannot be found out, is said to be unknown, and the session before goes on.", func(s *play) {
		p := s.player()
		c := s.playing(p)
		for _, answer := range notASession {
			s.proxy.On("POST", registerPath, 1, faultyproxy.Answer(201, answer))
			s.unknown(c.call("register", someone()), "register", protocol.API)
			s.equal("the stored refresh token", c.stored().RefreshToken, p.refresh)
		}
		s.ok(c.call("animals", nil), nil)
		c.told()
	}},
	{"shape-of-a-registration-made", "A registration that was made, and is answered by something else, is found out by logging in.", func(s *play) {
		c, form := s.client(), someone()
		replaced := s.proxy.On("POST", registerPath, 1, faultyproxy.AnswerInstead(201, wellMeant))
		s.ok(c.call("register", form), nil)
		s.played(replaced, 1)
		s.equal("the session's player", c.stored().Username, form["username"].(string))
		c.told("sessionStarted")
	}},
	{"shape-of-a-refresh", "A refresh that is answered by something else is an error, and keeps the session.", keepsTheSession(200, unexpected, "", 1, answers(200, wellMeant, `[]`, `{"token":"ok"}`, `{"token":"a.b"}`, `{"token":"a.b.c d"}`, `{"token":["a.b.c"]}`)...)},
	{"shape-of-an-entry", "An entry that is answered by something else is looked for in the show: one entry, one fee.", enteredDespite(201, `{}`, wellMeant, `[]`, `{"success":false,"message":"","entryFee":50}`,
		`{"success":true,"message":""}`, `{"success":true,"message":"","entryFee":"50"}`)},
	{"shape-of-a-claim", "So is a claim: one prize.", func(s *play) {
		for _, answer := range []string{`{}`, wellMeant, `{"success":true,"rank":1,"message":""}`} {
			p, show := s.judgedPodium("rookie")
			c, replaced := s.playing(p), s.proxy.On("POST", claimPath, 1, faultyproxy.AnswerInstead(200, answer))
			s.claimsFirst(c.call("claim", args{"show": show.ID}), true)
			s.played(replaced, 1)
			s.gold(p, 600)
		}
	}},
	{"shape-of-a-judging", "So is a judging, with the ranks that the show tells.", func(s *play) {
		for _, answer := range []string{`{}`, wellMeant, `{"success":true,"message":"","topThree":{}}`} {
			p, show := s.podium("rookie")
			c, replaced := s.playing(p), s.proxy.On("POST", judgePath, 1, faultyproxy.AnswerInstead(200, answer))
			s.judgesPodium(c, p, show, true)
			s.played(replaced, 1)
		}
	}},
	{"shape-of-a-list", "An object in the place of a list is an error, and no empty list.", func(s *play) {
		c := s.playing(s.player())
		for op, path := range map[string]string{"animals": animalsPath, "shows": listPath} {
			for _, answer := range []string{`{}`, wellMeant, `"none"`} {
				s.proxy.On("GET", path, 1, faultyproxy.Answer(200, answer))
				s.refused(c.call(op, args{}), 200, unexpected, "")
			}
		}
		s.came(6, "", "")
	}},
	{"shape-of-a-show", "A list in the place of a show is an error, and so is a show without a list of entries.", func(s *play) {
		c := s.playing(s.player())
		for _, answer := range []string{`[]`, wellMeant} {
			s.proxy.On("GET", showPath, 1, faultyproxy.Answer(200, answer))
			s.refused(c.call("show", args{"show": game.NewID()}), 200, unexpected, "")
		}
		s.came(2, "", "")
	}},
}
