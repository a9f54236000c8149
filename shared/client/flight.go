package client

import "context"

// flight is a refreshing under way, which those who need it share. It is given up when nobody waits for it any more.
type flight struct {
	cancel    context.CancelFunc
	waiting   int  // guarded by Client.mu, as abandoned is
	abandoned bool // what it refreshes is no longer the session
	done      chan struct{}
	session   *Session // from here on: once it is done
	err       error
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
		case c.wasAbandoned(f): // somebody has logged in or out: look again
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
		f = &flight{cancel: cancel, done: make(chan struct{})}
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

// abandon ends the refreshing of a session that is about to be another.
func (c *Client) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.flight; f != nil {
		f.abandoned = true
		c.land(f)
		f.cancel()
	}
}

func (c *Client) wasAbandoned(f *flight) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f.abandoned
}

// land lets the next one who needs a token begin another flight. It is called with mu held.
func (c *Client) land(f *flight) {
	if c.flight == f {
		c.flight = nil
	}
}

func (c *Client) fly(ctx context.Context, f *flight, stale *Session) {
	defer f.cancel()
	var events []Event
	f.session, f.err = c.renew(ctx, stale, func(e Event) { events = append(events, e) })
	c.mu.Lock()
	c.land(f)
	c.mu.Unlock()
	for _, e := range events {
		c.options.Events(e)
	}
	close(f.done)
}
