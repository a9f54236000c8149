package client

import (
	"context"
	"net/http"
	"time"
)

// Session has the tokens that keep a player logged in. Anyone who has a Session can act as the player for 30 days.
type Session struct {
	UserID       string    `json:"userId"`
	Username     string    `json:"username"`
	Token        string    `json:"token"`        // the access token, valid for 15 minutes
	RefreshToken string    `json:"refreshToken"` // valid for 30 days
	ReceivedAt   time.Time `json:"receivedAt"`   // when the access token came, by this machine's clock
}

// String returns the player without tokens, so that tokens do not get into logs.
func (s Session) String() string { return "session of " + s.Username }

// GoString returns the result of String.
func (s Session) GoString() string { return s.String() }

// The reasons why a session ended.
const (
	ReasonLogout  = "logout"  // the player logged out
	ReasonRefused = "refused" // the refresh token was revoked or expired
	ReasonBanned  = "banned"  // the player is banned or deleted
	ReasonNone    = "none"    // there was no session, or another player has logged in
)

// refreshBefore is how long before its end the client refreshes an access token, but at most a tenth of its lifetime.
const refreshBefore = time.Minute

// messageDead is the message of a refusal if the service knows the refresh token: the token is revoked or expired.
const messageDead = "Refresh token invalid or expired"

// Session returns the current session, or false if the player must log in. It sends nothing.
func (c *Client) Session() (Session, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil {
		return Session{}, false
	}
	return *c.session, true
}

// Register creates a player with a ranch, gold and three animals, and logs in as that player. A refusal is an *Error:
// its code is ValidationError, with Details for each field, or Conflict if the address or the name is taken.
func (c *Client) Register(ctx context.Context, r Registration) (User, error) {
	var made sessionAnswer
	request := Request{Method: http.MethodPost, Path: "/auth/register", Body: r}
	if err := c.public(ctx, request, once).readChange(http.StatusCreated, &made); err != nil {
		return User{}, err
	}
	c.start(made)
	return made.user(), nil
}

// Login logs in and returns the account. The new session replaces this client's old session, which Login does not end
// in the service. A refusal is an *Error with the code InvalidCredentials, OAuthAccount or Banned.
func (c *Client) Login(ctx context.Context, email, password string) (Account, error) {
	var answer sessionAnswer
	body := map[string]string{"email": email, "password": password}
	request := Request{Method: http.MethodPost, Path: "/auth/login", Body: body}
	if err := c.public(ctx, request, repeatedly).read(http.StatusOK, &answer); err != nil {
		return Account{}, err
	}
	c.start(answer)
	return answer.User, nil
}

// Logout ends the session of this client in any case, and asks the service to revoke the refresh token. If the service
// does not confirm, Logout returns an error: the token may stay valid until it expires. Without a session, Logout does
// nothing.
func (c *Client) Logout(ctx context.Context) error {
	c.mu.Lock()
	over := c.session
	if over != nil {
		c.session, c.endedBy = nil, ReasonLogout
	}
	c.mu.Unlock()
	if over == nil {
		return nil
	}
	request := Request{Method: http.MethodPost, Path: "/auth/logout", Body: map[string]string{"refreshToken": over.RefreshToken}}
	return c.public(ctx, request, repeatedly).read(http.StatusOK, &doneAnswer{})
}

// start replaces the client's session by a new one.
func (c *Client) start(a sessionAnswer) {
	now := c.options.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endedBy = ReasonNone
	c.session = &Session{a.User.ID, a.User.Username, a.Token, a.RefreshToken, now}
}

// current returns the session of a player with a fresh access token. "" means the session's player. A token from the
// future is not fresh: the clock was set back.
func (c *Client) current(ctx context.Context, player string) (Session, error) {
	s, there := c.Session()
	if !there || player != "" && s.UserID != player {
		return Session{}, c.ended()
	}
	lifetime, known := lifetimeOf(s.Token)
	age := c.options.Now().Sub(s.ReceivedAt)
	if !known || age >= 0 && lifetime-age >= min(refreshBefore, lifetime/10) {
		return s, nil
	}
	return c.refresh(ctx, s)
}

// ended returns the error of a call that has no session.
func (c *Client) ended() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &SessionEndedError{c.endedBy}
}

// refresh returns a session of the player with another access token than stale has. One call refreshes at a time. The
// others wait, and use its token.
func (c *Client) refresh(ctx context.Context, stale Session) (Session, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return Session{}, givenUp(ctx.Err())
	}
	if s, there := c.Session(); !there || s.UserID != stale.UserID {
		return Session{}, c.ended()
	} else if s.Token != stale.Token {
		return s, nil
	}
	var renewed tokenAnswer
	body := map[string]string{"refreshToken": stale.RefreshToken}
	o := c.public(ctx, Request{Method: http.MethodPost, Path: "/auth/refresh", Body: body}, repeatedly)
	err, now := o.read(http.StatusOK, &renewed), c.options.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	reason := ""
	if err != nil && o.err == nil {
		reason = endOf(o.answer)
	}
	switch {
	case c.session == nil || c.session.UserID != stale.UserID:
		return Session{}, &SessionEndedError{c.endedBy}
	case c.session.RefreshToken != stale.RefreshToken: // the player has logged in again
		return *c.session, nil
	case reason != "":
		c.session, c.endedBy = nil, reason
		return Session{}, &SessionEndedError{reason}
	case err != nil:
		return Session{}, err
	}
	c.session.Token, c.session.ReceivedAt = renewed.Token, now
	return *c.session, nil
}

// endOf returns why an answer to a refresh ends the session, or "" if the session goes on.
func endOf(a Answer) string {
	refusal := a.refusal()
	switch {
	case a.Status == http.StatusBadRequest && refusal.Code == MissingToken:
		return ReasonRefused
	case a.Status == http.StatusUnauthorized && refusal.Code == Unauthorized:
		return ReasonBanned
	case a.Status == http.StatusUnauthorized && refusal.Code == InvalidToken && refusal.Message == messageDead:
		return ReasonRefused
	}
	return ""
}
