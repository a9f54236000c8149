package client

// noteReachable notes whether the service can be reached. If that has changed, it delivers an event.
func (c *Client) noteReachable(reachable bool) {
	c.mu.Lock()
	changed := c.reach(reachable)
	c.mu.Unlock()
	c.tell(changed...)
}

// reach notes whether the service can be reached, and queues and returns an event for a change. The caller holds mu.
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
