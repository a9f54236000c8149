package conformance

import (
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// timeLimit is one of single attempts that a busy machine keeps with ease where nothing is held.
const timeLimit = 2 * time.Second

var givingUp = []scenario{
	{"cancel-a-read", "A read that is given up ends at once.", func(s *play) {
		c, held := s.playing(s.player()), s.proxy.On("GET", animalsPath, 1, faultyproxy.HoldRequest)
		call := c.start("animals", nil)
		s.must(held.Begun(s.ctx, 1))
		c.cancel(call)
		s.fails(s.ended(call), protocol.Cancelled)
		s.must(held.Ended(s.ctx, 1)) // the connection is gone
		s.came(1, "GET", animalsPath)
		s.ok(c.call("animals", nil), nil)
	}},
	{"cancel-a-wait", "A read that is given up between attempts ends at once.", func(s *play) {
		c := s.playing(s.player(), stuck)
		busy := s.proxy.On("GET", animalsPath, faultyproxy.Always, faultyproxy.Answer(503, unavailable))
		call := c.start("animals", nil)
		s.must(busy.Ended(s.ctx, 1))
		c.cancel(call)
		s.fails(s.ended(call), protocol.Cancelled)
		s.came(1, "GET", animalsPath)
	}},
	{"cancel-before-sending", "An entry that is given up while its token is refreshed was not sent, and is not made.", func(s *play) {
		p, show, a := s.entry()
		c, held := s.playing(p, old), s.proxy.On("POST", refreshPath, 1, faultyproxy.HoldRequest)
		call := c.start("enter", a)
		s.must(held.Begun(s.ctx, 1))
		c.cancel(call)
		s.fails(s.ended(call), protocol.Cancelled)
		held.Release()
		s.ok(c.call("animals", nil), nil)
		s.came(0, "POST", enterPath)
		s.entries(show, 0)
	}},
	{"cancel-a-sent-change", "An entry that is given up when it has been sent is said to be unknown, for it may be made.", func(s *play) {
		p, show, a := s.entry()
		c, held := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.HoldAnswer)
		call := c.start("enter", a)
		s.must(s.proxy.AwaitForwarded(s.ctx, "POST", enterPath, 1))
		c.cancel(call)
		s.unknown(s.ended(call), "enter", protocol.Cancelled)
		s.must(held.Ended(s.ctx, 1))
		s.entries(show, 1)
		s.refused(c.call("enter", a), 409, "DUPLICATE", "Animal already entered")
		s.gold(p, 450)
	}},
	{"cancel-a-change-in-doubt", "An entry that is given up between attempts after a 503 is said to be unknown.", func(s *play) {
		p, _, a := s.entry()
		c, busy := s.playing(p, stuck), s.proxy.On("POST", enterPath, 1, faultyproxy.AnswerInstead(503, unavailable))
		call := c.start("enter", a)
		s.must(busy.Ended(s.ctx, 1))
		c.cancel(call)
		s.unknown(s.ended(call), "enter", protocol.Cancelled)
		s.gold(p, 450)
	}},
	{"cancel-a-change-turned-away", "An entry that is given up between attempts after a 429 is given up, and known not to be made.", func(s *play) {
		p, _, a := s.entry()
		c, busy := s.playing(p, stuck), s.proxy.On("POST", enterPath, 1, faultyproxy.Answer(429, tooMany))
		call := c.start("enter", a)
		s.must(busy.Ended(s.ctx, 1))
		s.awaitWait(c)
		c.cancel(call)
		s.fails(s.ended(call), protocol.Cancelled)
		s.came(1, "POST", enterPath)
		s.gold(p, 500)
	}},
	{"slow-but-in-time", "An answer that takes its time is waited for, and nothing is sent twice.", func(s *play) {
		p, show, a := s.entry()
		c, slow := s.playing(p), s.proxy.On("POST", enterPath, 1, faultyproxy.Delay(300*time.Millisecond))
		s.entersOnce(c, p, show, a, false)
		s.played(slow, 1)
		s.came(1, "", "")
	}},
	{"time-out-of-a-read", "A read that is not answered in time is made again.", func(s *play) {
		c, held := s.playing(s.player(), timeout(timeLimit)), s.proxy.On("GET", animalsPath, 1, faultyproxy.HoldRequest)
		s.ok(c.call("animals", nil), nil)
		s.played(held, 1)
	}},
	{"time-out-of-an-entry", "An entry that is not answered in time, though it was made, is a success: one fee.", func(s *play) {
		p, show, a := s.entry()
		c, held := s.playing(p, timeout(timeLimit)), s.proxy.On("POST", enterPath, 1, faultyproxy.HoldAnswer)
		s.entersOnce(c, p, show, a, true)
		s.played(held, 1)
	}},
	{"time-out-of-a-refresh", "A refresh that is not answered in time is made again, and the session goes on.", func(s *play) {
		c, held := s.playing(s.player(), timeout(timeLimit), old), s.proxy.On("POST", refreshPath, 1, faultyproxy.HoldAnswer)
		s.ok(c.call("animals", nil), nil)
		s.played(held, 1)
	}},
}

// awaitWait returns when the client waits between attempts.
func (s *play) awaitWait(c *client) {
	s.Helper()
	for len(c.delays()) == 0 {
		s.must(s.ctx.Err())
	}
}
