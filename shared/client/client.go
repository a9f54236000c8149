package client

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
)

// Client calls the API as one player. New returns a Client. It is safe for concurrent use: calls share one refresh.
//
// The error of a call is an *Error if the service refused or failed, ErrLoggedOut, ErrHTTP, or the error of the
// connection.
type Client struct {
	transport Transport

	mu     sync.Mutex // held during a refresh
	tokens Tokens     // of the session; the zero value without one
}

// Tokens are the tokens in the answer to a registration or a log-in.
type Tokens struct {
	Token        string `json:"token"`        // the access token, valid for 15 minutes
	RefreshToken string `json:"refreshToken"` // valid for 30 days
}

// ErrLoggedOut is the error of a call without a session.
var ErrLoggedOut = errors.New("there is no session: log in first")

// ErrHTTP is the error of every call if the API's address begins with http:// and is not on this machine. The client
// then sends nothing.
var ErrHTTP = errors.New("the API's address begins with http://, so that others could read the password: use https://")

// New returns a client without a session. It sends nothing.
func New(t Transport) *Client { return &Client{transport: t} }

// isSafe reports whether no other machine can read requests to an API, because they use TLS or stay on this machine.
func isSafe(api string) bool {
	u, err := url.Parse(api)
	if err != nil || u.Scheme != "http" {
		return true // a call to a wrong address fails anyway
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// Register creates a player with a ranch, gold and three animals, and logs in as that player.
func (c *Client) Register(ctx context.Context, r Registration) (Account, error) {
	return c.start(ctx, "/auth/register", r, http.StatusCreated)
}

// Login logs in, and returns the account. It forgets an earlier session, but does not end it in the service.
func (c *Client) Login(ctx context.Context, email, password string) (Account, error) {
	return c.start(ctx, "/auth/login", map[string]string{"email": email, "password": password}, http.StatusOK)
}

func (c *Client) start(ctx context.Context, path string, body any, status int) (Account, error) {
	var answer struct {
		Tokens
		User Account `json:"user"`
	}
	err := c.send(ctx, Request{Method: http.MethodPost, Path: path, Body: body}, status, &answer)
	if err != nil {
		return Account{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens = answer.Tokens
	return answer.User, nil
}

// Logout ends the session of this client in any case, and asks the service to revoke the refresh token. Without a
// session, it does nothing.
func (c *Client) Logout(ctx context.Context) error {
	c.mu.Lock()
	over := c.tokens
	c.tokens = Tokens{}
	c.mu.Unlock()
	if over.Token == "" {
		return nil
	}
	body := map[string]string{"refreshToken": over.RefreshToken}
	return c.send(ctx, Request{Method: http.MethodPost, Path: "/auth/logout", Body: body}, http.StatusOK, nil)
}

// call sends a request with the session's access token, and decodes the body of an answer with the status into v. If
// the service refuses the token, call refreshes it and sends the request again, once.
func (c *Client) call(ctx context.Context, r Request, status int, v any) error {
	for stale := ""; ; stale = r.Token {
		var err error
		if r.Token, err = c.token(ctx, stale); err != nil {
			return err
		}
		err = c.send(ctx, r, status, v)
		refusal, refused := errors.AsType[*Error](err)
		if stale != "" || !refused || refusal.Status != http.StatusUnauthorized {
			return err
		}
	}
}

// token returns the access token of the session. If that is the stale one, token refreshes it. Other calls then wait.
func (c *Client) token(ctx context.Context, stale string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tokens.Token == "" {
		return "", ErrLoggedOut
	}
	if c.tokens.Token == stale {
		body := map[string]string{"refreshToken": c.tokens.RefreshToken}
		request := Request{Method: http.MethodPost, Path: "/auth/refresh", Body: body}
		if err := c.send(ctx, request, http.StatusOK, &c.tokens); err != nil {
			return "", err
		}
	}
	return c.tokens.Token, nil
}

func (c *Client) send(ctx context.Context, r Request, status int, v any) error {
	if !isSafe(c.transport.API) {
		return ErrHTTP
	}
	answer, err := c.transport.Send(ctx, r)
	if err != nil {
		return err
	}
	return answer.Read(status, v)
}
