package conformance

import (
	"context"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// timeLimit is the time limit of an attempt. Even a busy machine answers earlier, unless a rule holds the request.
const timeLimit = 2 * time.Second

// givenUp begins a call, cancels it when there returns, and returns its result.
func (c *client) givenUp(op string, a args, there func(context.Context) error) result {
	call := c.start(op, a)
	c.s.must(there(c.s.ctx))
	c.cancel(call)
	return c.s.ended(call)
}

func (m *making) givenUp(there func(context.Context) error) result {
	return m.client.givenUp(m.op, m.args, there)
}

var givingUp = []scenario{
	{"cancel-a-read", func(s *play) {
		c, held := s.anybody(), s.proxy.On("GET", animalsPath, 1, faultyproxy.HoldRequest)
		s.fails(c.givenUp("animals", nil, held.Begun), protocol.Cancelled)
		s.must(held.Ended(s.ctx)) // the connection is gone
		s.came(1, "GET", animalsPath)
		s.ok(c.call("animals", nil), nil)
	}},
	{"cancel-a-wait", func(s *play) {
		c := s.anybody(stuck)
		busy := s.proxy.On("GET", animalsPath, faultyproxy.Always, faultyproxy.Answer(503, unavailable))
		s.fails(c.givenUp("animals", nil, busy.Ended), protocol.Cancelled)
		s.came(1, "GET", animalsPath)
	}},
	{"cancel-before-sending", func(s *play) {
		m, held := s.making(entry, old, timeout(2*patience)), s.proxy.On("POST", refreshPath, 1, faultyproxy.HoldRequest)
		s.fails(m.givenUp(held.Begun), protocol.Cancelled)
		s.must(held.Ended(s.ctx)) // no other call waits for the refresh, so it ends, too
		s.ok(m.client.call("animals", nil), nil)
		s.came(0, "POST", enterPath)
		s.entries(m.show, 0)
	}},
	{"cancel-a-sent-change", func(s *play) {
		m := s.making(entry)
		held := m.meets(1, faultyproxy.HoldAnswer)
		s.unknown(m.givenUp(held.Forwarded), "enter", protocol.Cancelled)
		s.must(held.Ended(s.ctx))
		s.entries(m.show, 1)
		m.again()
	}},
	{"cancel-a-change-in-doubt", func(s *play) {
		m := s.making(entry, stuck)
		s.unknown(m.givenUp(m.meets(1, faultyproxy.AnswerInstead(503, unavailable)).Ended), "enter", protocol.Cancelled)
		s.gold(m.player, 450)
	}},
	{"cancel-a-change-turned-away", func(s *play) {
		m := s.making(entry, stuck)
		m.meets(1, faultyproxy.Answer(429, tooMany))
		waits := func(ctx context.Context) error { // the client waits between attempts
			for len(m.client.delays()) == 0 && ctx.Err() == nil {
			}
			return ctx.Err()
		}
		s.fails(m.givenUp(waits), protocol.Cancelled)
		s.came(1, "POST", enterPath)
		s.gold(m.player, 500)
	}},
	{"time-out-of-a-read", func(s *play) {
		c := s.anybody(timeout(timeLimit))
		s.proxy.On("GET", animalsPath, 1, faultyproxy.HoldRequest)
		s.ok(c.call("animals", nil), nil)
	}},
	{"time-out-of-an-entry", func(s *play) {
		m := s.making(entry, timeout(timeLimit))
		m.meets(1, faultyproxy.HoldAnswer)
		m.succeeds(true)
	}},
}
