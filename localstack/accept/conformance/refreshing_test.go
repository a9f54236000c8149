package conformance

import (
	"time"

	"github.com/stretchr/testify/require"
)

// old makes the stored access token 14.5 minutes old. It expires after 15 minutes, so the client must refresh it.
var old = aged(14*time.Minute + 30*time.Second)

// keepsTheSession returns a scenario with a refresh for each of the faults. Each refresh must fail after the given
// number of requests, and the client must keep its session. A last refresh, without a fault, must succeed.
func keepsTheSession(status int, code, message string, requests int, faults ...fault) func(s *play) {
	return func(s *play) {
		c := s.anybody(old)
		for _, fault := range faults {
			s.proxy.on(postRefresh, requests, fault)
			s.refused(c.call("animals", nil), status, code, message)
			s.equal("waits", len(c.delays()), requests-1)
			stored := c.stored()
			s.equal("the stored tokens", []string{stored.Token, stored.RefreshToken}, []string{c.player.Access, c.player.Refresh})
			c.told()
		}
		s.ok(c.call("animals", nil), nil)
		c.told("sessionRefreshed")
	}
}

var refreshing = []scenario{
	{"refresh-when-refused-once", func(s *play) {
		c := s.anybody()
		s.proxy.on(getAnimals, always, answer(401, `{"error":"UNAUTHORIZED"}`))
		s.refused(c.call("animals", nil), 401, "UNAUTHORIZED", "")
		s.came(1, postRefresh)
		s.came(2, getAnimals)
	}},
	{"refresh-once-for-ten-refused", func(s *play) {
		c := s.anybody(s.expired)
		together := s.proxy.on(getAnimals, 10, holdAnswer)
		calls := c.reads(10)
		together.holds(10)
		together.release()
		s.succeed(calls)
		s.came(1, postRefresh)
		s.came(20, getAnimals)
		c.told("sessionRefreshed")
	}},
	{"refresh-offline", func(s *play) {
		c := s.anybody(old, s.expired)
		s.proxy.goAway()
		for _, call := range append(c.reads(3), c.start("season", nil)) {
			s.fails(s.ended(call), network)
		}
		s.equal("the stored refresh token", c.stored().RefreshToken, c.player.Refresh)
		c.told("unreachable")
		s.proxy.comeBack()
		s.succeed(c.reads(3))
		c.told("unreachable", "reachable", "sessionRefreshed")
	}},
	{"refresh-answer-lost", func(s *play) {
		c := s.anybody(old)
		for _, fault := range []fault{loseAnswer, cutAnswer, answer(429, tooMany)} {
			s.proxy.on(postRefresh, 1, fault)
		}
		s.ok(c.call("animals", nil), nil)
		s.came(4, postRefresh)
		c.told("sessionRefreshed")
	}},
	{"refresh-busy-for-long", keepsTheSession(429, "TOO_MANY_REQUESTS", "Too Many Requests", 4, answer(429, tooMany))},
	{"refresh-failed", keepsTheSession(500, "INTERNAL_ERROR", "No.", 1, answer(500, `{"error":"INTERNAL_ERROR","message":"No."}`))},
	{"refresh-revoked", func(s *play) {
		p := s.player()
		s.revokes(p)
		c := s.playing(p, old)
		for _, call := range c.reads(10) {
			s.endedBy(s.ended(call), "refused")
		}
		s.endedBy(c.call("animals", nil), "refused")
		s.equal("session", c.stored(), session{})
		s.came(1, "")
		c.told("sessionEnded:refused")
	}},
	{"refresh-banned", func(s *play) {
		p, show, a := s.entry()
		s.bans(p)
		c := s.playing(p)
		s.endedBy(c.call("enter", a), "banned")
		s.entries(show, 0)
		s.equal("session", c.stored(), session{})
		s.came(1, postRefresh)
		c.told("sessionEnded:banned")
	}},
	{"refresh-not-cancelled-by-one", func(s *play) {
		for try := 1; ; try++ {
			c, held := s.anybody(old), s.proxy.on(postRefresh, 1, holdRequest)
			before := s.proxy.requests(postRefresh)
			impatient := c.start("animals", nil)
			held.holds(1)
			patient := c.start("animals", nil)
			s.ok(c.call("session", nil), nil) // the patient call came first, and usually waits for the refresh now
			c.cancel(impatient)
			s.fails(s.ended(impatient), cancelled)
			held.release()
			s.ok(s.ended(patient), nil)
			made := s.proxy.requests(postRefresh) - before
			if made == 1 {
				return
			}
			// If the patient call did not wait yet, the client may refresh twice. Then try again, up to five times.
			require.True(s, made <= 2 && try != 5, "%d refreshes", made)
		}
	}},
	{"refresh-overtaken-by-logout", loggedOutDuring(itself)},
	{"refresh-overtaken-by-login", loggedInDuring(itself)},
}

// maybeBad is a refusal that leaves doubt about the token. The service sends it for a token that it cannot verify, but
// also after a failure of its own.
const maybeBad = `{"error":"INVALID_TOKEN","message":"Invalid refresh token"}`

// inDoubt makes the proxy answer every refresh with the refusal maybeBad, until the caller stops the returned rule.
func (s *play) inDoubt() *rule {
	return s.proxy.on(postRefresh, always, answer(401, maybeBad))
}

// doubted makes a call, which must fail with the refusal maybeBad.
func (s *play) doubted(c *client) {
	s.refused(c.call("animals", nil), 401, "INVALID_TOKEN", "Invalid refresh token")
}

// doubtedFor makes a call every eight minutes, until the client's clock has moved by long. Each call must fail with the
// refusal maybeBad, and the client must keep its session.
func (s *play) doubtedFor(c *client, long time.Duration) {
	s.doubted(c)
	for passed := time.Duration(0); passed < long; {
		step := min(8*time.Minute, long-passed)
		c.forward(step)
		passed += step
		s.doubted(c)
	}
	require.True(s, c.stored() != (session{}), "the session has ended after %v", long)
}

// once allows a client only one attempt.
var once = attempts(1)

// doubtsBetween returns a scenario with two periods of the refusal maybeBad, of 40 minutes each. The function between
// plays something else between the periods. The client must keep its session.
func doubtsBetween(attempts option, between func(s *play, c *client), told ...string) func(s *play) {
	return func(s *play) {
		c, doubtful := s.anybody(old, attempts), s.inDoubt()
		s.doubtedFor(c, 40*time.Minute)
		doubtful.stop()
		c.forward(8 * time.Minute)
		between(s, c)
		doubtful = s.inDoubt()
		c.forward(8 * time.Minute)
		s.doubtedFor(c, 40*time.Minute)
		doubtful.stop()
		s.ok(c.call("animals", nil), nil)
		c.told(append(told, "sessionRefreshed")...)
	}
}

var doubt = []scenario{
	{"refresh-in-doubt", keepsTheSession(401, "INVALID_TOKEN", "Invalid refresh token", 4, answer(401, maybeBad))},
	{"refresh-in-doubt-for-long", func(s *play) {
		p := s.player()
		p.Refresh = "no.token.ofours"
		first := s.playing(p, old, once)
		s.doubtedFor(first, 40*time.Minute)
		s.doubtedFor(s.client(sharing(first), once, clockAhead(48*time.Minute)), 11*time.Minute)
		last := s.client(sharing(first), once, clockAhead(time.Hour+time.Second))
		s.endedBy(last.call("animals", nil), "refused")
		s.equal("session", last.stored(), session{})
		s.came(0, getAnimals)
		last.told("sessionEnded:refused")
	}},
	{"refresh-in-doubt-with-gaps", func(s *play) {
		c, doubtful := s.anybody(old, once), s.inDoubt()
		for range 8 {
			s.doubted(c)
			c.forward(10*time.Minute + time.Second)
		}
		doubtful.stop()
		s.ok(c.call("animals", nil), nil)
		c.told("sessionRefreshed")
	}},
	{"refresh-in-doubt-and-silent", doubtsBetween(once, func(s *play, c *client) {
		s.proxy.on(postRefresh, 1, loseRequest)
		s.fails(c.call("animals", nil), network)
	}, "unreachable", "reachable")},
	{"refresh-in-doubt-now-and-then", doubtsBetween(once, func(s *play, c *client) {
		s.ok(c.call("animals", nil), nil)
		c.forward(8 * time.Minute) // the new token must be old again
	}, "sessionRefreshed")},
	{"refresh-in-doubt-and-lost-on-the-way", doubtsBetween(attempts(3), func(s *play, c *client) {
		s.proxy.on(postRefresh, 1, answer(401, maybeBad))
		s.proxy.on(postRefresh, 1, loseRequest)
		doubtful := s.inDoubt()
		s.doubted(c)
		doubtful.stop()
	})},
	{"refresh-in-doubt-and-clock-set-back", doubtsBetween(once, func(_ *play, c *client) {
		c.forward(-20 * time.Minute)
	})},
}
