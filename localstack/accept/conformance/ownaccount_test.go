package conformance

import (
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/accept/world"
)

const (
	newPassword   = "battery staple"
	wrongPassword = "Invalid password"
)

var passwords = args{"current": everybodysPassword, "next": newPassword}

// outage has the events of a call whose answers are lost so many times, before others.
func outage(times int, others ...string) []string {
	if times == always {
		return append([]string{"unreachable", "reachable"}, others...)
	}
	return others
}

// moved checks that the player has the address.
func (s *play) moved(p player, email string) {
	account, err := s.stage.Store.Account(s.ctx, p.ID)
	s.must(err)
	s.equal("address", account.Email, email)
}

var ownAccount = []scenario{
	{"password-changed", func(s *play) {
		c := s.anybody()
		s.ok(c.call("changePassword", passwords), nil)
		s.refreshable(c.player, false)
		c.forward(16 * time.Minute)
		s.ok(c.call("animals", nil), nil)
		c.told("sessionStarted", "sessionRefreshed")
		s.ok(s.client().call("login", args{"email": c.player.Email, "password": newPassword}), nil)
	}},
	{"password-refused", func(s *play) {
		c := s.anybody()
		s.refused(c.call("changePassword", args{"current": "another password", "next": newPassword}), 403, "INVALID_CREDENTIALS", wrongPassword)
		f := s.fails(c.call("changePassword", args{"current": everybodysPassword, "next": "short"}), refusedByAPI)
		assert.True(s, f.Status == 400 && len(f.Details["newPassword"]) > 0, "got %+v", f)
		s.came(2, "")
		s.refreshable(c.player, true)
		c.told()
	}},
	{"password-answer-lost", func(s *play) {
		for _, times := range []int{1, always} {
			c := s.anybody()
			lost := s.proxy.on(putPassword, times, loseAnswer)
			s.ok(c.call("changePassword", passwords), nil)
			lost.stop()
			s.refreshable(c.player, false)
			c.forward(16 * time.Minute)
			s.ok(c.call("animals", nil), nil)
			c.told(outage(times, "sessionStarted", "sessionRefreshed")...)
		}
	}},
	{"password-never-there", func(s *play) {
		c := s.anybody()
		s.proxy.on(putPassword, 4, loseRequest)
		s.unknown(c.call("changePassword", passwords), "changePassword", network)
		s.refreshable(c.player, true)
		c.told(outage(always)...)
	}},
	{"password-lost-then-refused", func(s *play) {
		c := s.anybody()
		s.proxy.on(putPassword, 1, loseRequest)
		s.refused(c.call("changePassword", args{"current": "another password", "next": newPassword}), 403, "INVALID_CREDENTIALS", wrongPassword)
		s.came(1, postLogin)
		c.told()
	}},
	{"address-answer-lost", func(s *play) {
		for i, times := range []int{1, always} {
			c, email := s.anybody(), world.NewName()+"@example.com"
			lost := s.proxy.on(putEmail, times, loseAnswer)
			var user struct{ Email string }
			s.ok(c.call("changeEmail", args{"email": email, "password": everybodysPassword}), &user)
			lost.stop()
			s.equal("address", user.Email, email)
			s.moved(c.player, email)
			s.came(i, getMe)
			s.refreshable(c.player, true)
			c.told(outage(times)...)
		}
	}},
	{"address-refused", func(s *play) {
		c, other := s.anybody(), s.player()
		s.refused(c.call("changeEmail", args{"email": other.Email, "password": "another password"}), 403, "INVALID_CREDENTIALS", wrongPassword)
		s.refused(c.call("changeEmail", args{"email": other.Email, "password": everybodysPassword}), 409, "CONFLICT", "Email or username already taken")
		s.moved(c.player, c.player.Email)
		c.told()
	}},
	{"deletion", func(s *play) {
		c := s.anybody()
		s.refused(c.call("deleteAccount", nil), 403, "INVALID_CREDENTIALS", wrongPassword)
		s.ok(c.call("deleteAccount", args{"password": everybodysPassword}), nil)
		s.equal("session", c.stored(), session{})
		c.told("sessionEnded:logout")
		s.refused(s.client().call("login", credentials(c.player)), 401, "INVALID_CREDENTIALS", "Invalid email or password")
	}},
	{"deletion-answer-lost", func(s *play) {
		for _, times := range []int{1, always} {
			c := s.anybody()
			lost := s.proxy.on(deleteMe, times, loseAnswer)
			s.ok(c.call("deleteAccount", args{"password": everybodysPassword}), nil)
			lost.stop()
			s.equal("session", c.stored(), session{})
			c.told(outage(times, "sessionEnded:banned")...)
		}
	}},
	{"deletion-never-there", func(s *play) {
		c := s.anybody()
		s.proxy.on(deleteMe, 4, loseRequest)
		s.unknown(c.call("deleteAccount", args{"password": everybodysPassword}), "deleteAccount", network)
		s.ok(c.call("animals", nil), nil)
		c.told(outage(always)...)
	}},
}
