package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// tokens are what registration and log-in answer besides the player.
type tokens struct {
	Token        string `json:"token"`
	RefreshToken string `json:"refreshToken"`
}

// Register makes a player, and logs in as that one. Where the player is made and the session cannot be kept, there is a
// User beside the error.
func (c *Client) Register(ctx context.Context, r Registration) (User, error) {
	var made struct {
		tokens
		User User `json:"user"`
	}
	request := Request{Method: http.MethodPost, Path: "/auth/register", Body: r}
	err := resolve(ctx, "register", c.public(ctx, request), http.StatusCreated, &made, func() (bool, error) {
		t, account, err := c.authenticate(ctx, r.Email, r.Password)
		if refusal, refused := errors.AsType[*Error](err); refused && refusal.isRule() {
			return false, nil // nobody has this address with this password
		}
		made.tokens, made.User = t, account.User
		return err == nil && account.Username == r.Username, err
	})
	if err != nil {
		return User{}, err
	}
	return made.User, c.start(ctx, made.tokens, made.User)
}

// Login logs in; the session before is forgotten, and not logged out. Where the session cannot be kept, there is an
// Account beside the error.
func (c *Client) Login(ctx context.Context, email, password string) (Account, error) {
	t, account, err := c.authenticate(ctx, email, password)
	if err != nil {
		return Account{}, err
	}
	return account, c.start(ctx, t, account.User)
}

func (c *Client) authenticate(ctx context.Context, email, password string) (tokens, Account, error) {
	var answer struct {
		tokens
		User Account `json:"user"`
	}
	request := Request{Method: http.MethodPost, Path: "/auth/login", Body: map[string]string{"email": email, "password": password}}
	err := c.public(ctx, request).read(http.StatusOK, &answer)
	return answer.tokens, answer.User, err
}

// start keeps a new session in the place of the one before.
func (c *Client) start(ctx context.Context, t tokens, u User) error {
	c.abandon()
	unlock, err := c.store.Lock(ctx)
	if err != nil {
		return fmt.Errorf("the session could not be locked: %w", err)
	}
	s := &Session{API: c.transport.API, UserID: u.ID, Username: u.Username, RefreshToken: t.RefreshToken}
	c.received(s, t.Token)
	err = c.save(context.WithoutCancel(ctx), s)
	unlock()
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.endedBy = ""
	c.mu.Unlock()
	c.options.Events(Event{Kind: SessionStarted})
	return nil
}

// Logout ends the session here in any case, and in the service as far as it can be reached: an error says that it could
// not, and that the refresh token lives on there until it expires. Without a session it does nothing.
func (c *Client) Logout(ctx context.Context) error {
	c.abandon()
	s, err := c.forget(ctx)
	if s == nil || err != nil {
		return err
	}
	c.end(ReasonLogout, c.options.Events)
	request := Request{Method: http.MethodPost, Path: "/auth/logout", Body: map[string]string{"refreshToken": s.RefreshToken}}
	if err := c.public(ctx, request).read(http.StatusOK, nil); err != nil {
		return fmt.Errorf("logged out here, but not in the service, where the session lives on until it expires: %w", err)
	}
	return nil
}

// forget removes the session, and returns it. Whoever cannot wait for the lock does it all the same: a refreshing that
// is under way elsewhere sees that before it stores anything.
func (c *Client) forget(ctx context.Context) (*Session, error) {
	if unlock, err := c.store.Lock(ctx); err == nil {
		defer unlock()
	}
	ctx = context.WithoutCancel(ctx)
	s, err := c.load(ctx)
	if s == nil {
		return nil, err
	}
	return s, c.save(ctx, nil)
}
