package conformance

import (
	"time"
)

// timeLimit is the time limit of an attempt. Even a busy machine answers earlier, unless a rule holds the request.
const timeLimit = 4 * time.Second

// givenUp begins a call, cancels it when there returns, and returns its result.
func (c *client) givenUp(op string, a args, there func()) result {
	call := c.start(op, a)
	there()
	c.cancel(call)
	return c.s.ended(call)
}

func (m *making) givenUp(there func()) result { return m.client.givenUp(m.op, m.args, there) }

// isHeld returns a function that waits until the rule holds an exchange.
func isHeld(r *rule) func() { return func() { r.holds(1) } }

// waits waits until the client waits between attempts.
func (c *client) waits() {
	for len(c.delays()) == 0 {
	}
}

var givingUp = []scenario{
	{"cancel-a-read", func(s *play) {
		c, held := s.anybody(), s.proxy.on(getAnimals, 1, holdRequest)
		s.fails(c.givenUp("animals", nil, isHeld(held)), cancelled)
		held.holds(0) // the connection is gone
		s.came(1, getAnimals)
		s.ok(c.call("animals", nil), nil)
	}},
	{"cancel-a-wait", func(s *play) {
		c := s.anybody(stuck)
		s.proxy.on(getAnimals, always, answer(503, unavailable))
		s.fails(c.givenUp("animals", nil, c.waits), cancelled)
		s.came(1, getAnimals)
	}},
	{"cancel-before-sending", func(s *play) {
		m, held := s.making(entry, old, timeout(2*patience)), s.proxy.on(postRefresh, 1, holdRequest)
		s.fails(m.givenUp(isHeld(held)), cancelled)
		held.holds(0) // no other call waits for the refresh, so it ends, too
		s.ok(m.client.call("animals", nil), nil)
		s.came(0, postEnter)
		s.entries(m.show, 0)
	}},
	{"cancel-a-sent-change", func(s *play) {
		m := s.making(entry)
		held := m.meets(1, holdAnswer)
		s.unknown(m.givenUp(isHeld(held)), "enter", cancelled)
		held.holds(0)
		s.entries(m.show, 1)
		m.again()
	}},
	{"cancel-a-change-in-doubt", func(s *play) {
		m := s.making(entry, stuck)
		m.meets(1, instead(503, unavailable)[0])
		s.unknown(m.givenUp(m.client.waits), "enter", cancelled)
		s.gold(m.player, 450)
	}},
	{"cancel-a-change-turned-away", func(s *play) {
		m := s.making(entry, stuck)
		m.meets(1, answer(429, tooMany))
		s.fails(m.givenUp(m.client.waits), cancelled)
		s.came(1, postEnter)
		s.gold(m.player, 500)
	}},
	{"time-out-of-an-entry", func(s *play) {
		m := s.making(entry, timeout(timeLimit))
		m.meets(1, holdAnswer)
		m.succeeds(true)
		s.came(2, postEnter)
	}},
}
