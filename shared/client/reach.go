package client

// noteReachable tells whether the service can be reached, where that has changed.
func (c *Client) noteReachable(reachable bool) {
	c.mu.Lock()
	changed := c.reach(reachable)
	c.mu.Unlock()
	c.tell(changed...)
}

// reach notes whether the service can be reached, and returns what is to be told of it. It is called with mu held.
func (c *Client) reach(reachable bool) []*notice {
	if c.unreachable != reachable {
		return nil
	}
	c.unreachable = !reachable
	if reachable {
		return []*notice{c.line(notice{event: Event{Kind: Reachable}})}
	}
	return []*notice{c.line(notice{event: Event{Kind: Unreachable}})}
}
