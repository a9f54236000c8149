package conformance

import (
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// timeLimit is the time limit of an attempt. Even a busy machine needs less, unless a rule of the proxy holds the
// request.
const timeLimit = 2 * time.Second

// givenUp begins a call, and cancels it at the wanted point.
func (c *client) givenUp(op string, a args, there func() error) result {
	c.s.Helper()
	call := c.start(op, a)
	c.s.must(there())
	c.cancel(call)
	return c.s.ended(call)
}

func (m *making) givenUp(there func() error) result {
	m.s.Helper()
	return m.client.givenUp(m.op, m.args, there)
}

// through returns a function that waits until an exchange has left the rule. The function that begun returns waits
// until an exchange has met the rule.
func (s *play) through(r *faultyproxy.Rule) func() error {
	return func() error { return r.Ended(s.ctx, 1) }
}

func (s *play) begun(r *faultyproxy.Rule) func() error {
	return func() error { return r.Begun(s.ctx, 1) }
}

var givingUp = []scenario{
	{"cancel-a-read", "A cancelled read ends at once.", func(s *play) {
		c, held := s.anybody(), s.proxy.On("GET", animalsPath, 1, faultyproxy.HoldRequest)
		s.fails(c.givenUp("animals", nil, s.begun(held)), protocol.Cancelled)
		s.must(held.Ended(s.ctx, 1)) // the connection is gone
		s.came(1, "GET", animalsPath)
		s.ok(c.call("animals", nil), nil)
	}},
	{"cancel-a-wait", "A read that is cancelled between attempts ends at once.", func(s *play) {
		c := s.anybody(stuck)
		busy := s.proxy.On("GET", animalsPath, faultyproxy.Always, faultyproxy.Answer(503, unavailable))
		s.fails(c.givenUp("animals", nil, s.through(busy)), protocol.Cancelled)
		s.came(1, "GET", animalsPath)
	}},
	{"cancel-before-sending", "An entry that is cancelled during a refresh was not sent, and is not made.", func(s *play) {
		m, held := s.making(entry, old, timeout(2*patience)), s.proxy.On("POST", refreshPath, 1, faultyproxy.HoldRequest)
		s.fails(m.givenUp(s.begun(held)), protocol.Cancelled)
		s.must(held.Ended(s.ctx, 1)) // no other call waits for the refresh, so it ends, too
		s.ok(m.client.call("animals", nil), nil)
		s.came(0, "POST", enterPath)
		s.entries(m.show, 0)
	}},
	{"cancel-a-sent-change", "If an entry is cancelled after it was sent, the outcome is unknown.", func(s *play) {
		m := s.making(entry)
		held := m.meets(1, faultyproxy.HoldAnswer)
		s.unknown(m.givenUp(func() error { return s.proxy.AwaitForwarded(s.ctx, "POST", enterPath, 1) }), "enter", protocol.Cancelled)
		s.must(held.Ended(s.ctx, 1))
		s.entries(m.show, 1)
		m.again()
	}},
	{"cancel-a-change-in-doubt", "If an entry is cancelled between attempts after a 503, the outcome is unknown.", func(s *play) {
		m := s.making(entry, stuck)
		s.unknown(m.givenUp(s.through(m.meets(1, faultyproxy.AnswerInstead(503, unavailable)))), "enter", protocol.Cancelled)
		s.gold(m.player, 450)
	}},
	{"cancel-a-change-turned-away", "If an entry is cancelled between attempts after a 429, the client knows that it was not made.", func(s *play) {
		m := s.making(entry, stuck)
		m.meets(1, faultyproxy.Answer(429, tooMany))
		waits := func() error { // the client waits between attempts
			for len(m.client.delays()) == 0 && s.ctx.Err() == nil {
			}
			return s.ctx.Err()
		}
		s.fails(m.givenUp(waits), protocol.Cancelled)
		s.came(1, "POST", enterPath)
		s.gold(m.player, 500)
	}},
	{"slow-but-in-time", "The client waits for a slow answer and sends nothing twice.", func(s *play) {
		m := s.making(entry)
		slow := m.meets(1, faultyproxy.Delay(300*time.Millisecond))
		m.succeeds(false)
		s.played(slow, 1)
		s.came(1, "", "")
	}},
	{"time-out-of-a-read", "If a read times out, the client sends it again.", func(s *play) {
		c, held := s.anybody(timeout(timeLimit)), s.proxy.On("GET", animalsPath, 1, faultyproxy.HoldRequest)
		s.ok(c.call("animals", nil), nil)
		s.played(held, 1)
	}},
	{"time-out-of-an-entry", "If an entry times out but was made, it is a success: one fee.", func(s *play) {
		m := s.making(entry, timeout(timeLimit))
		held := m.meets(1, faultyproxy.HoldAnswer)
		m.succeeds(true)
		s.played(held, 1)
	}},
	{"time-out-of-a-refresh", "If a refresh times out, the client refreshes again, and the session goes on.", func(s *play) {
		c, held := s.anybody(timeout(timeLimit), old), s.proxy.On("POST", refreshPath, 1, faultyproxy.HoldAnswer)
		s.ok(c.call("animals", nil), nil)
		s.played(held, 1)
	}},
}
