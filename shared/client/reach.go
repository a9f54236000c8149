package client

// noteReachable reports an event if the service became reachable or unreachable.
func (c *Client) noteReachable(reachable bool) {
	c.mu.Lock()
	changed := c.reach(reachable)
	c.mu.Unlock()
	c.tell(changed...)
}

// reach notes whether the service can be reached, and returns the event if that has changed. The caller holds mu.
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
