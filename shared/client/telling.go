package client

import "slices"

// notice is an event that has its place among the client's, and is told when it is ready: when what it tells is stored,
// and nothing is locked.
type notice struct {
	event Event
	flown bool // it is a refreshing's, of the session
	ready bool
}

// line gives an event its place. It is called with mu held.
func (c *Client) line(n notice) *notice {
	c.row = append(c.row, &n)
	return &n
}

// overtake gives the event of a log-in or a log-out its place, and drops what a refreshing has to tell of the session
// before. It is called where the store is changed, so that whoever finds the session gone finds the reason. The token
// is the refresh token of the session that has ended, if one has.
func (c *Client) overtake(e Event, token string) *notice {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endedBy, c.endedToken = e.Reason, token
	c.row = slices.DeleteFunc(c.row, func(n *notice) bool { return n.flown })
	return c.line(notice{event: e})
}

// tell says that events are ready, and tells all that are, up to the first one that is not. If somebody does so
// already, that one tells these too: so the listener hears one at a time, also while it calls the client.
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
