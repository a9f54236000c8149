package client

// noteReachable tells whether the service can be reached, where that has changed.
func (c *Client) noteReachable(reachable bool, tell func(Event)) {
	c.mu.Lock()
	changed := c.unreachable == reachable
	c.unreachable = !reachable
	c.mu.Unlock()
	switch {
	case changed && reachable:
		tell(Event{Kind: Reachable})
	case changed:
		tell(Event{Kind: Unreachable})
	}
}
