package conformance

import (
	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

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
