package conformance

import (
	"fmt"
	"net/http"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// withinJitter checks delays against full jitter: below 200 ms, and below a bound that doubles to at most 5 s.
func (s *play) withinJitter(delays []int64, n int) {
	s.Helper()
	s.equal("waits", len(delays), n)
	bound := int64(200)
	for i, delay := range delays {
		if delay < 0 || delay > bound {
			s.Errorf("wait %d of %d ms, want at most %d", i+1, delay, bound)
		}
		bound = min(2*bound, 5000)
	}
}

var repeating = []scenario{
	{"repeats-what-passes", "A call that is answered 502, 503 and 504 is made a fourth time, after waits with jitter that double.", func(s *play) {
		c := s.playing(s.player())
		for _, status := range []int{502, 503, 504} {
			s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(status, unavailable))
		}
		s.ok(c.call("animals", nil), nil)
		s.came(4, "GET", animalsPath)
		s.withinJitter(c.delays(), 3)
		c.told()
	}},
	{"repeats-to-an-end", "A call that is answered 503 each time is made four times, and is an error.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", listPath, faultyproxy.Always, faultyproxy.Answer(503, unavailable))
		s.refused(c.call("shows", args{}), 503, "SERVICE_UNAVAILABLE", "Service Unavailable")
		s.came(4, "GET", listPath)
		s.withinJitter(c.delays(), 3)
	}},
	{"repeats-as-often-as-told", "A call is made as often as the client is told to, with waits of at most five seconds.", func(s *play) {
		c := s.playing(s.player(), attempts(9))
		s.proxy.On("GET", animalsPath, faultyproxy.Always, faultyproxy.LoseRequest)
		s.fails(c.call("animals", nil), protocol.Network)
		s.came(9, "GET", animalsPath)
		s.withinJitter(c.delays(), 8)
	}},
	{"waits-differ", "Clients that were turned away together do not come back together.", func(s *play) {
		p := s.player()
		s.proxy.On("GET", animalsPath, faultyproxy.Always, faultyproxy.Answer(503, unavailable))
		seen := map[string]bool{}
		for range 3 {
			c := s.playing(p, attempts(7))
			s.fails(c.call("animals", nil), protocol.API)
			seen[fmt.Sprint(c.delays())] = true
		}
		s.equal("series of waits", len(seen), 3)
	}},
	{"waits-as-asked", "A client waits as long as Retry-After says.", func(s *play) {
		c := s.playing(s.player())
		s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(429, tooMany, "Retry-After", "7"))
		s.ok(c.call("animals", nil), nil)
		delays := c.delays()
		if len(delays) != 1 || delays[0] < 7000 || delays[0] > 12000 {
			s.Errorf("waits of %v ms", delays)
		}
	}},
	{"waits-until-a-time", "A Retry-After that is a time is measured from the time of the answer, whatever the client's clock says.", func(s *play) {
		c := s.playing(s.player(), clockAhead(-3*time.Hour))
		now := time.Now().UTC()
		s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(503, unavailable,
			"Date", now.Format(http.TimeFormat), "Retry-After", now.Add(20*time.Second).Format(http.TimeFormat)))
		s.ok(c.call("animals", nil), nil)
		s.equal("waits in ms", c.delays(), []int64{20_000})
	}},
	{"waits-not-forever", "A Retry-After of a day, or one that makes no sense, holds nobody up for more than a minute.", func(s *play) {
		c := s.playing(s.player())
		for _, absurd := range []string{"86400", "-1", "soon"} {
			s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(503, unavailable, "Retry-After", absurd))
		}
		s.ok(c.call("animals", nil), nil)
		delays := c.delays()
		s.equal("waits", len(delays), 3)
		for _, delay := range delays {
			if delay < 0 || delay > 60_000 {
				s.Errorf("waits of %v ms", delays)
			}
		}
	}},
	{"never-repeats-500", "A call that the service fails to answer (500) is not repeated.", func(s *play) {
		c := s.playing(s.player())
		failed := s.proxy.On("GET", animalsPath, 1, faultyproxy.Answer(500, `{"error":"INTERNAL_ERROR","message":"Failed to fetch animals"}`))
		s.refused(c.call("animals", nil), 500, "INTERNAL_ERROR", "Failed to fetch animals")
		s.played(failed, 1)
		s.came(1, "GET", animalsPath)
		s.equal("waits", len(c.delays()), 0)
	}},
	{"repeats-log-ins", "A log-in whose answer is lost is made again.", func(s *play) {
		p := s.player()
		c, lost := s.client(), s.proxy.On("POST", loginPath, 1, faultyproxy.LoseAnswer)
		s.ok(c.call("login", credentials(p)), nil)
		s.played(lost, 1)
		s.came(2, "POST", loginPath)
		c.told("sessionStarted")
	}},
	{"repeats-lost-reads", "A read whose answer is lost or cut is made again.", func(s *play) {
		p, show := s.podium("rookie")
		c := s.playing(p)
		lost := s.proxy.On("GET", showPath, 1, faultyproxy.LoseAnswer)
		cut := s.proxy.On("GET", showPath, 1, faultyproxy.CutAnswer)
		var detail struct{ Entries []any }
		s.ok(c.call("show", args{"show": show.ID}), &detail)
		s.equal("entries", len(detail.Entries), 3)
		s.played(lost, 1)
		s.played(cut, 1)
		s.came(3, "GET", showPath)
	}},
}
