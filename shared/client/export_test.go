package client

// Waiting is how many calls share the refreshing under way.
func (c *Client) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flight == nil {
		return 0
	}
	return c.flight.waiting
}
