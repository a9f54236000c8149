package conformance

import (
	"fmt"
	"time"

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
	ownPath      = "/me/entries"
	entriesPath  = "/events/shows/*/entries"
)

// someone is the form of a new player.
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

var events = []scenario{
	{"events-of-a-life", "A life of logging in, refreshing and logging out is told in order, each once.", func(s *play) {
		p := s.player()
		c := s.client()
		s.ok(c.call("login", credentials(p)), nil)
		c.forward(16 * 60e9)
		s.ok(c.call("animals", nil), nil)
		s.ok(c.call("animals", nil), nil)
		s.ok(c.call("logout", nil), nil)
		s.ok(c.call("logout", nil), nil)
		s.ok(c.call("login", credentials(p)), nil)
		c.told("sessionStarted", "sessionRefreshed", "sessionEnded:logout", "sessionStarted")
	}},
	{"events-of-an-outage", "That the service is away is told once, and once that it is back.", func(s *play) {
		c := s.anybody()
		s.proxy.GoAway()
		for _, r := range c.atOnce(3, "animals", nil) {
			s.fails(r, protocol.Network)
		}
		s.fails(c.call("season", nil), protocol.Network)
		c.told("unreachable")
		s.must(s.proxy.ComeBack())
		for _, r := range c.atOnce(3, "animals", nil) {
			s.ok(r, nil)
		}
		c.told("unreachable", "reachable")
	}},
	{"events-not-of-a-hiccup", "A lost answer that another attempt makes up for is no event.", func(s *play) {
		c, lost := s.anybody(), s.proxy.On("GET", animalsPath, 3, faultyproxy.LoseAnswer)
		s.ok(c.call("animals", nil), nil)
		s.played(lost, 3)
		c.told()
	}},
	{"events-of-an-end-for-ten", "Ten calls whose session is refused are told once that it has ended, and all of them ask for a log-in.", func(s *play) {
		p := s.player()
		s.revokes(p)
		c := s.playing(p, old)
		for _, r := range c.atOnce(10, "animals", nil) {
			s.endedBy(r, "refused")
		}
		s.came(1, "POST", refreshPath)
		c.told("sessionEnded:refused")
	}},
}

var clocks = []scenario{
	{"clock-fast", "A client whose clock is an hour ahead logs in and plays: nothing seems expired.", func(s *play) {
		p := s.player()
		c := s.client(clockAhead(time.Hour))
		s.ok(c.call("login", credentials(p)), nil)
		s.ok(c.call("animals", nil), nil)
		s.ok(c.call("animals", nil), nil)
		s.came(3, "", "")
	}},
	{"clock-slow", "A client whose clock is an hour behind refreshes when fourteen and a half minutes have passed by it.", func(s *play) {
		p := s.player()
		c := s.client(clockAhead(-time.Hour))
		s.ok(c.call("login", credentials(p)), nil)
		s.ok(c.call("animals", nil), nil)
		s.came(0, "POST", refreshPath)
		c.forward(14*time.Minute + 30*time.Second)
		s.ok(c.call("animals", nil), nil)
		s.came(1, "POST", refreshPath)
	}},
	{"clock-set-back", "After a clock was set back by hours the token is used until the service refuses it, and is then refreshed.", func(s *play) {
		p := s.player()
		c := s.playing(p, accessToken(s.expired(p)))
		c.forward(-5 * time.Hour)
		s.ok(c.call("animals", nil), nil)
		s.came(1, "POST", refreshPath)
		s.came(2, "GET", animalsPath)
	}},
	{"clock-of-the-service", "The service's time is known to some seconds, whatever the client's clock says.", func(s *play) {
		p := s.player()
		for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
			c := s.client(clockAhead(ahead))
			s.ok(c.call("login", credentials(p)), nil)
			s.tellsTheTime(c)
			c.forward(10 * time.Minute) // which pass: the service's time goes on as the client's
			s.equal("ten minutes later", s.serverTime(c).After(time.Now().Add(9*time.Minute)), true)
		}
	}},
	{"clock-of-the-service-restored", "The service's time is known from a stored session, before anything is sent.", func(s *play) {
		c := s.client(clockAhead(2 * time.Hour))
		s.ok(c.call("login", credentials(s.player())), nil)
		again := s.client(sharing(c), clockAhead(2*time.Hour))
		s.ok(again.call("session", nil), nil)
		s.tellsTheTime(again)
		s.came(1, "", "")
	}},
}

func (s *play) serverTime(c *client) time.Time {
	s.Helper()
	var ms float64
	s.ok(c.call("serverTime", nil), &ms)
	return time.UnixMilli(int64(ms))
}

// tellsTheTime checks that the client knows the service's time, which is this machine's, as well as a token tells it.
func (s *play) tellsTheTime(c *client) {
	s.Helper()
	if off := time.Until(s.serverTime(c)).Abs(); off > time.Minute {
		s.Errorf("the service's time is off by %v", off)
	}
}
