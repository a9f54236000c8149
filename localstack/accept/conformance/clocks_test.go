package conformance

import "time"

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
