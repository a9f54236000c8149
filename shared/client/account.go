package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Register creates a player with a ranch, gold and three animals, and logs in as that player. A refusal is an *Error:
// its code is ValidationError, with Details for each field, or Conflict if the address or the name is taken.
func (c *Client) Register(ctx context.Context, r Registration) (User, error) {
	var made sessionAnswer
	request := Request{Method: http.MethodPost, Path: "/auth/register", Body: r}
	err := resolve(ctx, "register", c.public(ctx, request), http.StatusCreated, &made, func() (bool, error) {
		var err error
		made, err = c.authenticate(ctx, r.Email, r.Password)
		if refusal, refused := errors.AsType[*Error](err); refused && refusal.isRule() {
			return false, nil // no player has this address and password
		}
		return err == nil && made.User.Username == r.Username, err
	})
	if err != nil {
		return User{}, err
	}
	c.start(ctx, made)
	return made.user(), nil
}

// Login logs in and returns the account. The new session replaces this client's old session, which Login does not end
// in the service. A refusal is an *Error with the code InvalidCredentials, OAuthAccount or Banned.
func (c *Client) Login(ctx context.Context, email, password string) (Account, error) {
	answer, err := c.authenticate(ctx, email, password)
	if err != nil {
		return Account{}, err
	}
	c.start(ctx, answer)
	return answer.User, nil
}

func (c *Client) authenticate(ctx context.Context, email, password string) (answer sessionAnswer, err error) {
	request := Request{Method: http.MethodPost, Path: "/auth/login", Body: map[string]string{"email": email, "password": password}}
	err = c.public(ctx, request).read(http.StatusOK, &answer)
	return answer, err
}

// start replaces the client's session by a new one.
func (c *Client) start(ctx context.Context, a sessionAnswer) {
	s := &Session{API: c.transport.API, UserID: a.User.ID, Username: a.User.Username, RefreshToken: a.RefreshToken}
	c.received(s, a.Token)
	c.abandon()
	var started *notice
	_ = c.keeper.update(ctx, func(*Session) *Session { // Client.Session returns the store's error
		started = c.overtake(Event{Kind: SessionStarted}, "")
		return s
	})
	c.tell(started)
}

// Logout ends the session of this client in any case, and asks the service to revoke the refresh token. If the service
// does not confirm, Logout returns an error: the token may stay valid until it expires. If the Store still has the
// session, Logout returns an error, too. Without a session, Logout does nothing.
func (c *Client) Logout(ctx context.Context) error {
	c.abandon()
	var over *Session
	var ended *notice
	kept := c.keeper.update(ctx, func(current *Session) *Session {
		if current != nil {
			over, ended = current, c.overtake(Event{Kind: SessionEnded, Reason: ReasonLogout}, current.RefreshToken)
		}
		return nil
	})
	if over == nil {
		return nil
	}
	c.tell(ended)
	if kept != nil {
		kept = fmt.Errorf("the session is still stored: %w", kept)
	}
	request := Request{Method: http.MethodPost, Path: "/auth/logout", Body: map[string]string{"refreshToken": over.RefreshToken}}
	err := c.public(ctx, request).read(http.StatusOK, &doneAnswer{})
	if err != nil {
		err = fmt.Errorf("logged out here, but not in the service, where the session lives on until it expires: %w", err)
	}
	return errors.Join(kept, err)
}
