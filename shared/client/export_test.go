package client

// Waiting returns how many calls share the refresh under way.
func (c *Client) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flight == nil {
		return 0
	}
	return c.flight.waiting
}
