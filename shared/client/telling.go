package client

import "slices"

// notice is an event in the client's queue. It is ready once the change that it reports is stored and no lock is held.
type notice struct {
	event Event
	flown bool // it reports a change of the session by a refresh
	ready bool
}

// line appends an event to the queue. The caller holds mu.
func (c *Client) line(n notice) *notice {
	c.row = append(c.row, &n)
	return &n
}

// overtake queues the event of a log-in or log-out, and drops queued events about refreshes of the old session. It runs
// inside the store's update, so that a call that finds no session also finds the reason. token is an ended session's
// refresh token, or "".
func (c *Client) overtake(e Event, token string) *notice {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endedBy, c.endedToken = e.Reason, token
	c.row = slices.DeleteFunc(c.row, func(n *notice) bool { return n.flown })
	return c.line(notice{event: e})
}

// tell marks events as ready and delivers the queue up to the first event that is not ready. If another goroutine is
// delivering, that one delivers these events. So the listener gets one event at a time, and may call the client.
func (c *Client) tell(ready ...*notice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range ready {
		n.ready = true
	}
	if c.telling {
		return
	}
	c.telling = true
	defer func() { c.telling = false }()
	for len(c.row) > 0 && c.row[0].ready {
		next := c.row[0]
		c.row = c.row[1:]
		func() {
			c.mu.Unlock()
			defer c.mu.Lock()
			c.options.Events(next.event)
		}()
	}
}
