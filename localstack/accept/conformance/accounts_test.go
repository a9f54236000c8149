package conformance

import (
	"fmt"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// The routes, with any id.
const (
	registerPath = "/auth/register"
	loginPath    = "/auth/login"
	refreshPath  = "/auth/refresh"
	logoutPath   = "/auth/logout"
	animalsPath  = "/animals"
	listPath     = "/events/shows"
	showPath     = "/events/shows/*"
	enterPath    = "/events/shows/*/enter"
	judgePath    = "/events/shows/*/judge"
	claimPath    = "/events/shows/*/claim-reward"
	seasonPath   = "/events/season"
)

// someone is what somebody says who is not registered yet.
func someone() args {
	name := newName()
	return args{"email": name + "@example.com", "username": name, "password": everybodysPassword, "ranchName": "Ranch of " + name}
}

func credentials(p player) args { return args{"email": p.Email, "password": everybodysPassword} }

var accounts = []scenario{
	{"register-logs-in", "Who registers is logged in, and has a ranch with 500 gold and three animals.", func(s *play) {
		c, form := s.client(), someone()
		var user struct {
			ID, Username string
			GoldBalance  int64
		}
		s.ok(c.call("register", form), &user)
		s.equal("user", fmt.Sprint(user.Username, user.GoldBalance), fmt.Sprint(form["username"], 500))
		var animals []any
		s.ok(c.call("animals", nil), &animals)
		s.equal("animals", len(animals), 3)
		s.equal("the session's player", c.stored().UserID, user.ID)
		c.told("sessionStarted")
	}},
	{"login-starts-a-session", "Who logs in is told of the player, and the session says who plays.", func(s *play) {
		p := s.player()
		c := s.client()
		var account struct{ ID, Email string }
		s.ok(c.call("login", credentials(p)), &account)
		s.equal("account", account, struct{ ID, Email string }{string(p.ID), p.Email})
		var told session
		s.ok(c.call("session", nil), &told)
		s.equal("session", []string{told.API, told.UserID, told.Username}, []string{s.proxy.URL, string(p.ID), p.Username})
		s.ok(c.call("animals", nil), nil)
		s.came(0, "POST", refreshPath)
		c.told("sessionStarted")
	}},
	{"login-refused", "A wrong password is refused in the service's words, and the session before goes on.", func(s *play) {
		p := s.player()
		c := s.playing(p)
		s.refused(c.call("login", args{"email": p.Email, "password": "another password"}), 401, "INVALID_CREDENTIALS", "Invalid email or password")
		s.came(1, "POST", loginPath)
		s.came(0, "POST", refreshPath)
		s.ok(c.call("animals", nil), nil)
		c.told()
	}},
	{"login-banned", "Who is banned cannot log in, and is told so.", func(s *play) {
		p := s.player()
		s.bans(p)
		c := s.client()
		s.refused(c.call("login", credentials(p)), 403, "BANNED", "This account has been banned.")
		s.equal("session", c.stored(), session{})
		s.came(1, "POST", loginPath)
		c.told()
	}},
	{"login-replaces", "Who logs in as another player goes on as that one.", func(s *play) {
		before, after := s.player(), s.player()
		c, show := s.playing(before), s.show("rookie", 50)
		s.ok(c.call("login", credentials(after)), nil)
		s.ok(c.call("enter", args{"show": show.ID, "animal": after.animals[0].ID}), nil)
		s.gold(before, 500)
		s.gold(after, 450)
		s.refreshable(before, true)
		c.told("sessionStarted")
	}},
	{"register-refused", "A registration that is refused says what is wrong with which field.", func(s *play) {
		c, form := s.client(), someone()
		form["username"] = "x"
		f := s.fails(c.call("register", form), protocol.API)
		if f.Status != 400 || f.Code != "VALIDATION_ERROR" || len(f.Details["username"]) == 0 || len(f.Details) != 1 {
			s.Errorf("got %s", describe(f))
		}
		s.came(1, "POST", registerPath)
		s.came(0, "POST", loginPath)
		c.told()
	}},
	{"register-taken", "A name that is taken is a refusal: the client does not try to log in as its owner.", func(s *play) {
		p := s.player()
		c, form := s.client(), someone()
		form["email"] = p.Email
		s.refused(c.call("register", form), 409, "CONFLICT", "Email or username already taken")
		s.came(1, "POST", registerPath)
		s.came(0, "POST", loginPath)
		s.equal("session", c.stored(), session{})
	}},
	{"no-session", "Without a session a call asks for a log-in, and sends nothing.", func(s *play) {
		c := s.client()
		s.endedBy(c.call("animals", nil), "none")
		s.came(0, "", "")
		c.told()
	}},
	{"logout-ends-everywhere", "Who logs out is logged out here and in the service, and is told so once.", func(s *play) {
		p := s.player()
		c := s.playing(p)
		s.ok(c.call("logout", nil), nil)
		s.equal("session", c.stored(), session{})
		s.refreshable(p, false)
		s.endedBy(c.call("animals", nil), "logout")
		s.came(0, "GET", animalsPath)
		c.told("sessionEnded:logout")
	}},
	{"logout-offline", "Who logs out while the service is away is logged out here all the same, and hears that the service does not know.", func(s *play) {
		p := s.player()
		c := s.playing(p)
		s.proxy.GoAway()
		s.fails(c.call("logout", nil), protocol.Network)
		s.equal("session", c.stored(), session{})
		s.refreshable(p, true)
		s.must(s.proxy.ComeBack())
		s.endedBy(c.call("animals", nil), "logout")
	}},
	{"logout-failed", "Who logs out while the service fails is logged out here all the same.", func(s *play) {
		c := s.anybody()
		s.proxy.On("POST", logoutPath, 1, faultyproxy.Answer(500, `{"error":"INTERNAL_ERROR"}`))
		s.fails(c.call("logout", nil), protocol.API)
		s.equal("session", c.stored(), session{})
		s.came(1, "", "")
		c.told("sessionEnded:logout")
	}},
	{"logout-answer-lost", "A log-out whose answer is lost is sent again, which does no harm.", func(s *play) {
		p := s.player()
		c, lost := s.playing(p), s.proxy.On("POST", logoutPath, 1, faultyproxy.LoseAnswer)
		s.ok(c.call("logout", nil), nil)
		s.played(lost, 1)
		s.came(2, "POST", logoutPath)
		s.refreshable(p, false)
		c.told("sessionEnded:logout")
	}},
	{"logout-without-a-session", "Logging out without a session does nothing.", func(s *play) {
		c := s.client()
		s.ok(c.call("logout", nil), nil)
		s.came(0, "", "")
		c.told()
	}},
}
