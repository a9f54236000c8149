package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// Register makes a player, and logs in as that one. Where the player is made and the context ends before the session
// begins, there is a User beside the error.
func (c *Client) Register(ctx context.Context, r Registration) (User, error) {
	var made struct {
		Tokens
		User User `json:"user"`
	}
	request := Request{Method: http.MethodPost, Path: "/auth/register", Body: r}
	err := resolve(ctx, "register", c.public(ctx, request), http.StatusCreated, &made, func() (bool, error) {
		t, account, err := c.authenticate(ctx, r.Email, r.Password)
		if refusal, refused := errors.AsType[*Error](err); refused && refusal.isRule() {
			return false, nil // nobody has this address with this password
		}
		made.Tokens, made.User = t, account.User
		return err == nil && account.Username == r.Username, err
	})
	if err != nil {
		return User{}, err
	}
	return made.User, c.start(ctx, made.Tokens, made.User)
}

// Login logs in; the session before is forgotten, and not logged out.
func (c *Client) Login(ctx context.Context, email, password string) (Account, error) {
	t, account, err := c.authenticate(ctx, email, password)
	if err != nil {
		return Account{}, err
	}
	return account, c.start(ctx, t, account.User)
}

func (c *Client) authenticate(ctx context.Context, email, password string) (Tokens, Account, error) {
	var answer struct {
		Tokens
		User Account `json:"user"`
	}
	request := Request{Method: http.MethodPost, Path: "/auth/login", Body: map[string]string{"email": email, "password": password}}
	err := c.public(ctx, request).read(http.StatusOK, &answer)
	return answer.Tokens, answer.User, err
}

// start keeps a new session in the place of the one before.
func (c *Client) start(ctx context.Context, t Tokens, u User) error {
	s := &Session{API: c.transport.API, UserID: u.ID, Username: u.Username, RefreshToken: t.RefreshToken}
	c.received(s, t.Token)
	c.abandon()
	unlock, err := c.keeper.lock(ctx)
	if err != nil {
		return err
	}
	_ = c.keeper.save(ctx, s) // Session tells
	unlock()
	c.mu.Lock()
	c.endedBy = ""
	c.mu.Unlock()
	c.options.Events(Event{Kind: SessionStarted})
	return nil
}

// Logout ends the session here in any case, and in the service as far as it can be reached: an error says that it could
// not, and that the refresh token lives on there until it expires; or that the Store still has the session. Without a
// session it does nothing.
func (c *Client) Logout(ctx context.Context) error {
	c.abandon()
	s, kept := c.forget(ctx)
	if s == nil {
		return nil
	}
	c.end(ReasonLogout, c.options.Events)
	request := Request{Method: http.MethodPost, Path: "/auth/logout", Body: map[string]string{"refreshToken": s.RefreshToken}}
	err := c.public(ctx, request).read(http.StatusOK, nil)
	if err != nil {
		err = fmt.Errorf("logged out here, but not in the service, where the session lives on until it expires: %w", err)
	}
	return errors.Join(kept, err)
}

// forget removes the session, and returns it. Whoever cannot wait for the lock does it all the same: a refreshing that
// is under way elsewhere sees that before it stores anything. The error says that the store still has it.
func (c *Client) forget(ctx context.Context) (*Session, error) {
	if unlock, err := c.keeper.lock(ctx); err == nil {
		defer unlock()
	}
	s, _ := c.load(context.WithoutCancel(ctx)) // no context, no error
	if s == nil {
		return nil, nil
	}
	if err := c.keeper.save(ctx, nil); err != nil {
		return s, fmt.Errorf("the session is still stored: %w", err)
	}
	return s, nil
}
