package client

import "context"

// flight is a refreshing under way, which those who need it share. It is given up when nobody waits for it any more.
type flight struct {
	cancel  context.CancelFunc
	waiting int    // guarded by Client.mu
	begun   int    // Client.begun at its begin
	reached []bool // whether the service could be reached, as its attempts showed and nobody was told yet
	row     []*notice
	done    chan struct{}

	// Once it is done.
	session   *Session
	err       error
	abandoned bool // what it refreshed was no longer the session when it came to its end
}

// refresh returns a session of the player whose token is another than the stale one's. All who ask at a time share one
// refreshing; the end of one's context ends one's waiting alone.
func (c *Client) refresh(ctx context.Context, stale *Session, player string) (*Session, error) {
	for {
		f := c.join(ctx, stale)
		select {
		case <-ctx.Done():
			c.leave(f)
			return nil, givenUp(ctx.Err())
		case <-f.done:
		}
		switch {
		case f.abandoned || f.err == nil && c.isOvertaken(f): // somebody has logged in or out: look again
		case f.err != nil:
			return nil, f.err
		case f.session.UserID != player:
			return nil, c.ended()
		default:
			return f.session, nil
		}
	}
}

// join begins a flight, or takes part in the one under way.
func (c *Client) join(ctx context.Context, stale *Session) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flight
	if f == nil {
		flying, cancel := context.WithCancel(context.WithoutCancel(ctx))
		f = &flight{cancel: cancel, begun: c.begun, done: make(chan struct{})}
		c.flight = f
		go c.fly(flying, f, stale)
	}
	f.waiting++
	return f
}

func (c *Client) leave(f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.waiting--
	if f.waiting == 0 {
		c.land(f)
		f.cancel()
	}
}

// abandon ends the refreshing of a session that is about to be another, or none.
func (c *Client) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	if f := c.flight; f != nil {
		c.land(f)
		f.cancel()
	}
}

// isOvertaken says whether somebody has logged in or out since a flight began.
func (c *Client) isOvertaken(f *flight) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f.begun != c.begun
}

// land lets the next one who needs a token begin another flight. It is called with mu held.
func (c *Client) land(f *flight) {
	if c.flight == f {
		c.flight = nil
	}
}

func (c *Client) fly(ctx context.Context, f *flight, stale *Session) {
	defer f.cancel()
	f.session, f.err = c.renew(ctx, f, stale)
	c.mu.Lock()
	c.land(f)
	f.abandoned = f.begun != c.begun
	c.announce(f)
	c.mu.Unlock()
	c.tell(f.row...)
	close(f.done)
}

// announce gives what a flight has to tell its place among the client's events. It is called with mu held.
func (c *Client) announce(f *flight, events ...Event) {
	for _, reachable := range f.reached {
		if f.begun == c.begun { // else it would come after what has overtaken the flight
			f.row = append(f.row, c.reach(reachable)...)
		}
	}
	f.reached = nil
	for _, e := range events {
		f.row = append(f.row, c.line(notice{event: e, flown: true}))
	}
}
