package conformance

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/accept/world"
)

// These are the routes, as the proxy matches them: * is any id.
const (
	postRegister = "POST /auth/register"
	postLogin    = "POST /auth/login"
	postRefresh  = "POST /auth/refresh"
	postLogout   = "POST /auth/logout"
	getAnimals   = "GET /animals"
	getShows     = "GET /events/shows"
	getShow      = "GET /events/shows/*"
	postEnter    = "POST /events/shows/*/enter"
	postJudge    = "POST /events/shows/*/judge"
	postClaim    = "POST /events/shows/*/claim-reward"
	getSeason    = "GET /events/season"
	getStandings = "GET /events/season/standings"
	getOwn       = "GET /me/entries"
	getEntries   = "GET /events/shows/*/entries"
	getMe        = "GET /me"
	putPassword  = "PUT /me/password"
	putEmail     = "PUT /me/email"
	deleteMe     = "DELETE /me"
)

// someone is the registration of a new player.
func someone() args {
	name := world.NewName()
	return args{"email": name + "@example.com", "username": name, "password": everybodysPassword, "ranchName": "Ranch of " + name}
}

func credentials(p player) args { return args{"email": p.Email, "password": everybodysPassword} }

var accounts = []scenario{
	{"login-refused", func(s *play) {
		c := s.anybody()
		wrong := args{"email": c.player.Email, "password": "another password"}
		s.refused(c.call("login", wrong), 401, "INVALID_CREDENTIALS", "Invalid email or password")
		s.came(1, postLogin)
		s.came(0, postRefresh)
		s.ok(c.call("animals", nil), nil)
		c.told()
	}},
	{"register-refused", func(s *play) {
		c, form := s.client(), someone()
		form["username"] = "x"
		f := s.fails(c.call("register", form), refusedByAPI)
		assert.True(s, f.Status == 400 && f.Code == "VALIDATION_ERROR", "got %+v", f)
		assert.True(s, len(f.Details["username"]) > 0 && len(f.Details) == 1, "got %+v", f)
		taken := someone()
		taken["email"] = s.player().Email
		s.refused(c.call("register", taken), 409, "CONFLICT", "Email or username already taken")
		s.came(2, postRegister)
		s.endedBy(c.call("animals", nil), "none")
		s.came(2, "") // no log-in, and nothing without a session
		c.told()
	}},
	{"logout-offline", func(s *play) {
		c := s.anybody()
		s.proxy.goAway()
		s.fails(c.call("logout", nil), network)
		s.equal("session", c.stored(), session{})
		s.refreshable(c.player, true)
		s.proxy.comeBack()
		s.endedBy(c.call("animals", nil), "logout")
	}},
	{"logout-answer-lost", func(s *play) {
		c := s.anybody()
		s.proxy.on(postLogout, 1, loseAnswer)
		s.ok(c.call("logout", nil), nil)
		s.came(2, postLogout)
		s.refreshable(c.player, false)
		s.equal("session", c.stored(), session{})
		s.endedBy(c.call("animals", nil), "logout")
		s.came(0, getAnimals)
		c.told("sessionEnded:logout")
	}},
	{"events-of-a-life", func(s *play) {
		c, form := s.client(), someone()
		var user struct {
			ID, Email, Username string
			GoldBalance         int64
		}
		s.ok(c.call("register", form), &user)
		s.equal("user", fmt.Sprint(user.Username, user.GoldBalance), fmt.Sprint(form["username"], 500))
		s.equal("the session's player", c.stored().UserID, user.ID)
		c.forward(16 * time.Minute)
		var animals []any
		s.ok(c.call("animals", nil), &animals)
		s.ok(c.call("animals", nil), nil)
		s.equal("animals", len(animals), 3)
		s.ok(c.call("logout", nil), nil)
		s.ok(c.call("logout", nil), nil)
		registered := user
		s.ok(c.call("login", form), &user)
		s.equal("account", user, registered)
		c.told("sessionStarted", "sessionRefreshed", "sessionEnded:logout", "sessionStarted")
	}},
}

var clocks = []scenario{
	{"clock-wrong", func(s *play) {
		p := s.player()
		for i, ahead := range []time.Duration{time.Hour, -time.Hour} {
			c := s.client(clockAhead(ahead))
			s.ok(c.call("login", credentials(p)), nil)
			s.ok(c.call("animals", nil), nil)
			c.forward(13 * time.Minute)
			s.ok(c.call("animals", nil), nil)
			s.came(i, postRefresh)
			c.forward(90 * time.Second)
			s.ok(c.call("animals", nil), nil)
			s.came(i+1, postRefresh)
		}
	}},
	{"clock-of-the-service", func(s *play) {
		p := s.player()
		for _, ahead := range []time.Duration{0, 2 * time.Hour, -time.Hour} {
			c := s.client(clockAhead(ahead))
			s.ok(c.call("login", credentials(p)), nil)
			s.tellsTheTime(c, 0)
			c.forward(10 * time.Minute) // the service's time goes on as the client's does
			s.tellsTheTime(c, 10*time.Minute)
			again := s.client(sharing(c), clockAhead(ahead))
			var restored session
			s.ok(again.call("session", nil), &restored)
			s.equal("session", [3]string{restored.API, restored.UserID, restored.Username},
				[3]string{s.proxy.URL, string(p.ID), p.Username})
			s.tellsTheTime(again, 0)
			c.forward(-2 * time.Hour)
			s.ok(c.call("animals", nil), nil)
			s.tellsTheTime(c, 0)
		}
		s.came(9, "") // a log-in, a refresh and a read for each clock
	}},
}

// tellsTheTime checks that the client's time is later than this machine's by the given time, to within a minute.
func (s *play) tellsTheTime(c *client, later time.Duration) {
	var ms float64
	s.ok(c.call("serverTime", nil), &ms)
	off := time.Until(time.UnixMilli(int64(ms))) - later
	assert.True(s, off.Abs() <= time.Minute, "the service's time is off by %v", off)
}
