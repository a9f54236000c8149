package client

import (
	"cmp"
	"context"
	"time"
)

// refreshBefore is how long before its end an access token is refreshed, a tenth of its lifetime if that is less.
const refreshBefore = time.Minute

// load returns the stored session, nil where there is none of this API.
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

// current returns a session with a token that is not old: of the given player, "" for any.
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

// old says whether a token is so near to its end that it is refreshed before it is used. It goes by the time since the
// token came, never by the service's clock. A clock that was set back says nothing: the token is used until it is
// refused.
func (c *Client) old(s *Session) bool {
	left := s.Lifetime - c.now().Sub(s.ReceivedAt)
	return s.Lifetime > 0 && left < min(refreshBefore, s.Lifetime/10)
}

// now has no monotonic reading, which stands still while a machine sleeps.
func (c *Client) now() time.Time { return c.options.Now().Round(0) }

// noteSession forgets why the session before has ended: others who share the store may have begun another.
func (c *Client) noteSession(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.RefreshToken != c.endedToken { // else it was loaded just before it ended
		c.endedBy, c.endedToken = "", ""
	}
}

// ended is the error of a call for which there is no session.
func (c *Client) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &SessionEndedError{cmp.Or(c.endedBy, ReasonNone)}
}

// received puts an access token that has just come into a session.
func (c *Client) received(s *Session, token string) {
	now := c.now()
	s.Token, s.ReceivedAt, s.Lifetime, s.RefusedSince, s.RefusedLast = token, now, 0, nil, nil
	if issued, lifetime, ok := tokenTimes(token); ok {
		s.Lifetime, s.Ahead = lifetime, issued.Sub(now)
	}
	c.noteAhead(s.Ahead)
}
