package client

import "context"

// flight is a refresh that is under way. Calls share a flight. If none of them waits any more, the flight is cancelled.
type flight struct {
	cancel  context.CancelFunc
	waiting int    // the number of waiting calls; guarded by Client.mu
	begun   int    // the value of Client.begun when the flight began
	reached []bool // whether the service answered, for each call of reach. announce turns them into events
	row     []*notice
	done    chan struct{}

	// The fields below are set before done is closed.
	session   *Session
	err       error
	abandoned bool // a log-in or log-out came before the flight ended
}

// refresh returns a session of the player with another access token than stale has. Concurrent calls share one flight.
// If the context of a call ends, only that call stops waiting.
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
		case f.abandoned || f.err == nil && c.isOvertaken(f): // after a log-in or log-out: try again
		case f.err != nil:
			return nil, f.err
		case f.session.UserID != player:
			return nil, c.ended()
		default:
			return f.session, nil
		}
	}
}

// join starts a flight, or joins the one that is under way.
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

// abandon cancels the flight, because a log-in or log-out is about to change the session.
func (c *Client) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	if f := c.flight; f != nil {
		c.land(f)
		f.cancel()
	}
}

// isOvertaken reports whether a log-in or log-out has come since the flight began.
func (c *Client) isOvertaken(f *flight) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return f.begun != c.begun
}

// land lets the next call that needs a token start another flight. The caller holds mu.
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

// announce queues the events of a flight. The caller holds mu.
func (c *Client) announce(f *flight, events ...Event) {
	for _, reachable := range f.reached {
		if f.begun == c.begun { // otherwise its events would follow the event of a log-in or log-out
			f.row = append(f.row, c.reach(reachable)...)
		}
	}
	f.reached = nil
	for _, e := range events {
		f.row = append(f.row, c.line(notice{event: e, flown: true}))
	}
}
