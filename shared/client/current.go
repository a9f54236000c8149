package client

import (
	"cmp"
	"context"
	"time"
)

// refreshBefore is how long before its end the client refreshes an access token, but at most a tenth of its lifetime.
const refreshBefore = time.Minute

// load returns the stored session, or nil if the store has no session of this API.
func (c *Client) load(ctx context.Context) (*Session, error) {
	s, err := c.keeper.load(ctx)
	if s != nil {
		c.noteAhead(s.Ahead)
		c.noteSession(s)
	}
	return s, err
}

func (c *Client) noteAhead(ahead time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = &ahead
}

// current returns the session of a player with a fresh access token. "" means the session's player.
func (c *Client) current(ctx context.Context, player string) (*Session, error) {
	s, err := c.load(ctx)
	if err != nil {
		return nil, err
	}
	if s == nil || player != "" && s.UserID != player {
		return nil, c.ended()
	}
	if !c.old(s) {
		return s, nil
	}
	return c.refresh(ctx, s, s.UserID)
}

// old reports whether an access token is so near to its end that the client must refresh it first. It compares the
// token's age, by this machine's clock, with its lifetime. If the clock was set back, the client uses the token until
// the service refuses it.
func (c *Client) old(s *Session) bool {
	left := s.Lifetime - c.now().Sub(s.ReceivedAt)
	return s.Lifetime > 0 && left < min(refreshBefore, s.Lifetime/10)
}

// now returns a time without a monotonic reading, which would stand still while the machine sleeps.
func (c *Client) now() time.Time { return c.options.Now().Round(0) }

// noteSession forgets why the last session ended: another client of the store may have begun a new one.
func (c *Client) noteSession(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.RefreshToken != c.endedToken { // otherwise s is the ended session, loaded just before its end
		c.endedBy, c.endedToken = "", ""
	}
}

// ended returns the error of a call that has no session.
func (c *Client) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &SessionEndedError{cmp.Or(c.endedBy, ReasonNone)}
}

// received stores a new access token in a session.
func (c *Client) received(s *Session, token string) {
	now := c.now()
	s.Token, s.ReceivedAt, s.Lifetime, s.RefusedSince, s.RefusedLast = token, now, 0, nil, nil
	if issued, lifetime, ok := tokenTimes(token); ok {
		s.Lifetime, s.Ahead = lifetime, issued.Sub(now)
	}
	c.noteAhead(s.Ahead)
}
