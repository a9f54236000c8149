package conformance

import (
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// maybeBad is the service's word for a token that does not verify, and for a failure of its own.
const maybeBad = `{"error":"INVALID_TOKEN","message":"Invalid refresh token"}`

// inDoubt has the service give that word to every refresh, until it is stopped.
func (s *play) inDoubt() *faultyproxy.Rule {
	s.Helper()
	return s.proxy.On("POST", refreshPath, faultyproxy.Always, faultyproxy.Answer(401, maybeBad))
}

// doubted checks that a call is refused by that word.
func (s *play) doubted(c *client) {
	s.Helper()
	s.refused(c.call("animals", nil), 401, "INVALID_TOKEN", "Invalid refresh token")
}

// doubtedFor has a client ask every eight minutes for so long, at the beginning and at the end, too, and checks that it
// is in doubt each time, and keeps its session.
func (s *play) doubtedFor(c *client, long time.Duration) {
	s.Helper()
	s.doubted(c)
	for passed := time.Duration(0); passed < long; {
		step := min(8*time.Minute, long-passed)
		c.forward(step)
		passed += step
		s.doubted(c)
	}
	if c.stored() == (session{}) {
		s.Fatalf("the session has ended after %v", long)
	}
}

// once is a client's only attempt.
var once = attempts(1)

// doubtsBetween is that of two times of doubt, each below an hour, with something else between them.
func doubtsBetween(between func(s *play, c *client), told ...string) func(s *play) {
	return func(s *play) {
		c, doubtful := s.anybody(old, once), s.inDoubt()
		s.doubtedFor(c, 40*time.Minute)
		doubtful.Stop()
		c.forward(8 * time.Minute)
		between(s, c)
		doubtful = s.inDoubt()
		c.forward(8 * time.Minute)
		s.doubtedFor(c, 40*time.Minute)
		doubtful.Stop()
		s.ok(c.call("animals", nil), nil)
		c.told(append(told, "sessionRefreshed")...)
	}
}

var doubt = []scenario{
	{"refresh-in-doubt", "A refusal that may be a failure of the service's own is asked about again, and keeps the session.", keepsTheSession(401, "INVALID_TOKEN", "Invalid refresh token", 4, faultyproxy.Answer(401, maybeBad))},
	{"refresh-in-doubt-for-minutes", "Such refusals for two minutes, or for the better part of an hour, are an outage: the session goes on after it.", func(s *play) {
		c, doubtful := s.anybody(old, once), s.inDoubt()
		s.doubted(c)
		c.forward(2*time.Minute + time.Second)
		s.doubtedFor(c, 50*time.Minute)
		doubtful.Stop()
		s.ok(c.call("animals", nil), nil)
		c.told("sessionRefreshed")
	}},
	{"refresh-in-doubt-for-long", "Such refusals end the session when there was nothing else for an hour: so with a token that the service never gave.", func(s *play) {
		p := s.player()
		p.refresh = "no.token.ofours"
		c := s.playing(p, old, once)
		s.doubtedFor(c, 55*time.Minute)
		c.forward(5*time.Minute + time.Second)
		s.endedBy(c.call("animals", nil), "refused")
		s.equal("session", c.stored(), session{})
		s.came(0, "GET", animalsPath)
		c.told("sessionEnded:refused")
	}},
	{"refresh-in-doubt-over-restarts", "Such an hour goes on where the application is restarted.", func(s *play) {
		p := s.player()
		p.refresh = "no.token.ofours"
		first := s.playing(p, old, once)
		s.doubted(first)
		for passed := 8 * time.Minute; passed < time.Hour; passed += 8 * time.Minute {
			s.doubted(s.client(sharing(first), once, clockAhead(passed)))
		}
		last := s.client(sharing(first), once, clockAhead(time.Hour+time.Second))
		s.endedBy(last.call("animals", nil), "refused")
		s.equal("session", last.stored(), session{})
	}},
	{"refresh-in-doubt-with-gaps", "Such refusals with more than ten minutes between them do not add up: nobody knows what was between.", func(s *play) {
		c, doubtful := s.anybody(old, once), s.inDoubt()
		for range 8 {
			s.doubted(c)
			c.forward(10*time.Minute + time.Second)
		}
		doubtful.Stop()
		s.ok(c.call("animals", nil), nil)
		c.told("sessionRefreshed")
	}},
	{"refresh-in-doubt-and-silent", "Such refusals with silence between them do not add up.", doubtsBetween(func(s *play, c *client) {
		silent := s.proxy.On("POST", refreshPath, 1, faultyproxy.LoseRequest)
		s.fails(c.call("animals", nil), protocol.Network)
		s.played(silent, 1)
	}, "unreachable", "reachable")},
	{"refresh-in-doubt-and-failing", "Such refusals with another failure between them do not add up either: the service is ill.", doubtsBetween(func(s *play, c *client) {
		failed := s.proxy.On("POST", refreshPath, 1, faultyproxy.Answer(500, `{"error":"INTERNAL_ERROR"}`))
		s.refused(c.call("animals", nil), 500, "INTERNAL_ERROR", "")
		s.played(failed, 1)
	})},
	{"refresh-in-doubt-and-busy", "Nor do they with a 429 between them.", doubtsBetween(func(s *play, c *client) {
		busy := s.proxy.On("POST", refreshPath, 1, faultyproxy.Answer(429, tooMany))
		s.refused(c.call("animals", nil), 429, "TOO_MANY_REQUESTS", "Too Many Requests")
		s.played(busy, 1)
	})},
	{"refresh-in-doubt-now-and-then", "Such refusals with a good refresh between them do not add up.", doubtsBetween(func(s *play, c *client) {
		s.ok(c.call("animals", nil), nil)
		c.forward(8 * time.Minute) // what is refreshed has to be old again
	}, "sessionRefreshed")},
}
