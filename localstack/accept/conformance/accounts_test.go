package conformance

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
	"github.com/ranch-game/ranch/localstack/accept/world"
)

// These are the paths of the routes, as the proxy matches them: * is any id.
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

// someone is the registration of a new player.
func someone() args {
	name := world.NewName()
	return args{"email": name + "@example.com", "username": name, "password": everybodysPassword, "ranchName": "Ranch of " + name}
}

func credentials(p player) args { return args{"email": p.Email, "password": everybodysPassword} }

var accounts = []scenario{
	{"register-logs-in", "A registration logs the player in, with a ranch, 500 gold and three animals.", func(s *play) {
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
	{"login-starts-a-session", "A log-in returns the account and starts a session.", func(s *play) {
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
	{"login-refused", "A wrong password is refused with the service's message. The earlier session continues.", func(s *play) {
		c := s.anybody()
		s.refused(c.call("login", args{"email": c.player.Email, "password": "another password"}), 401, "INVALID_CREDENTIALS", "Invalid email or password")
		s.came(1, "POST", loginPath)
		s.came(0, "POST", refreshPath)
		s.ok(c.call("animals", nil), nil)
		c.told()
	}},
	{"register-refused", "A refused registration says what is wrong with which field.", func(s *play) {
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
	{"register-taken", "If the address is taken, the registration is refused. The client does not try to log in with it.", func(s *play) {
		p := s.player()
		c, form := s.client(), someone()
		form["email"] = p.Email
		s.refused(c.call("register", form), 409, "CONFLICT", "Email or username already taken")
		s.came(1, "POST", registerPath)
		s.came(0, "POST", loginPath)
		s.equal("session", c.stored(), session{})
	}},
	{"no-session", "Without a session, a call fails and sends no request.", func(s *play) {
		c := s.client()
		s.endedBy(c.call("animals", nil), "none")
		s.came(0, "", "")
		c.told()
	}},
	{"logout-ends-everywhere", "A log-out ends the session here and in the service, with one event.", func(s *play) {
		c := s.anybody()
		s.ok(c.call("logout", nil), nil)
		s.equal("session", c.stored(), session{})
		s.refreshable(c.player, false)
		s.endedBy(c.call("animals", nil), "logout")
		s.came(0, "GET", animalsPath)
		c.told("sessionEnded:logout")
	}},
	{"logout-offline", "If the service is away, a log-out ends the local session and reports a network error.", func(s *play) {
		c := s.anybody()
		s.proxy.GoAway()
		s.fails(c.call("logout", nil), protocol.Network)
		s.equal("session", c.stored(), session{})
		s.refreshable(c.player, true)
		s.must(s.proxy.ComeBack())
		s.endedBy(c.call("animals", nil), "logout")
	}},
	{"logout-answer-lost", "If the answer to a log-out gets lost, the client sends it again, which does no harm.", func(s *play) {
		c := s.anybody()
		s.proxy.On("POST", logoutPath, 1, faultyproxy.LoseAnswer)
		s.ok(c.call("logout", nil), nil)
		s.came(2, "POST", logoutPath)
		s.refreshable(c.player, false)
		c.told("sessionEnded:logout")
	}},
}

var events = []scenario{
	{"events-of-a-life", "The client reports each log-in, refresh and log-out to the game once, in order.", func(s *play) {
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
	{"events-of-an-outage", "An outage is one event, and its end another.", func(s *play) {
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
	{"events-of-an-end-for-ten", "If the service refuses a refresh for ten calls, the client reports it once, and all ten calls fail.", func(s *play) {
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
	{"clock-slow", "A client whose clock is an hour behind refreshes after fourteen and a half minutes by that clock.", func(s *play) {
		p := s.player()
		c := s.client(clockAhead(-time.Hour))
		s.ok(c.call("login", credentials(p)), nil)
		s.ok(c.call("animals", nil), nil)
		s.came(0, "POST", refreshPath)
		c.forward(14*time.Minute + 30*time.Second)
		s.ok(c.call("animals", nil), nil)
		s.came(1, "POST", refreshPath)
	}},
	{"clock-set-back", "If the clock was set back to before a token came, the client refreshes the token before the next call.", func(s *play) {
		c := s.anybody()
		c.forward(-2 * time.Hour)
		s.ok(c.call("animals", nil), nil)
		s.ok(c.call("animals", nil), nil)
		s.came(1, "POST", refreshPath)
		s.came(2, "GET", animalsPath)
	}},
	{"clock-of-the-service", "The client knows the service's time to within a minute, whatever its own clock says.", func(s *play) {
		p := s.player()
		for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
			c := s.client(clockAhead(ahead))
			s.ok(c.call("login", credentials(p)), nil)
			s.tellsTheTime(c)
			c.forward(10 * time.Minute) // the service's time goes on as the client's does
			s.equal("ten minutes later", s.serverTime(c).After(time.Now().Add(9*time.Minute)), true)
			c.forward(-2 * time.Hour)
			s.ok(c.call("animals", nil), nil)
			s.tellsTheTime(c)
		}
	}},
	{"clock-of-the-service-restored", "A stored session tells the service's time before the client sends anything.", func(s *play) {
		c := s.client(clockAhead(2 * time.Hour))
		s.ok(c.call("login", credentials(s.player())), nil)
		again := s.client(sharing(c), clockAhead(2*time.Hour))
		s.ok(again.call("session", nil), nil)
		s.tellsTheTime(again)
		s.came(1, "", "")
	}},
}

func (s *play) serverTime(c *client) time.Time {
	var ms float64
	s.ok(c.call("serverTime", nil), &ms)
	return time.UnixMilli(int64(ms))
}

// tellsTheTime checks that the client's time is the service's (this machine's) to within a minute.
func (s *play) tellsTheTime(c *client) {
	off := time.Until(s.serverTime(c)).Abs()
	assert.True(s, off <= time.Minute, "the service's time is off by %v", off)
}
