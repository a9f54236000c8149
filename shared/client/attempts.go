package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// attempt is the result of one attempt of a call.
type attempt struct {
	answer Answer
	err    error // the reason why there is no answer, or nil
	lost   bool  // the connection failed: another attempt may succeed
	doubt  bool  // the service may have made the change, but has not confirmed it
}

// repetition says when a call is repeated.
type repetition bool

const (
	repeatedly repetition = true  // after every failure that may pass
	once       repetition = false // only if the service has certainly changed nothing
)

// read decodes the answer, as Answer.Read does. If the answer lacks a required field, the error is an *Error, too.
func (a attempt) read(status int, v any) error {
	if a.err != nil {
		return a.err
	}
	if err := a.answer.Read(status, v); err != nil {
		return err
	}
	if s, ok := v.(shaped); ok {
		if err := s.check(); err != nil {
			return a.answer.unexpected(err.Error())
		}
	}
	return nil
}

// readChange does what read does. If the change may have been made, but is not confirmed, it returns an
// *UnknownOutcomeError.
func (a attempt) readChange(status int, v any) error {
	err := a.read(status, v)
	refusal, refused := errors.AsType[*Error](err)
	if err != nil && (a.doubt || refused && refusal.isUnread()) {
		return &UnknownOutcomeError{err}
	}
	return err
}

// repeat makes attempts until one is final or none is left, and returns the last one.
func (c *Client) repeat(ctx context.Context, how repetition, try func(context.Context) attempt) attempt {
	for n := 1; ; n++ {
		a := try(ctx)
		passes := a.lost || a.err == nil && transient(a.answer)
		if !passes || n >= c.options.Attempts || how == once && a.doubt {
			return a
		}
		if err := c.options.Wait(ctx, c.delay(n, a.answer)); err != nil {
			return attempt{err: givenUp(err)}
		}
	}
}

// exchange makes one attempt with a time limit.
func (c *Client) exchange(ctx context.Context, r Request, usual time.Duration) attempt {
	if err := ctx.Err(); err != nil {
		return attempt{err: givenUp(err)}
	}
	if !c.options.AllowHTTP && !isSafe(c.transport.API) {
		return attempt{err: ErrHTTP}
	}
	limited, cancel := context.WithTimeout(ctx, cmp.Or(c.options.Timeout, usual))
	defer cancel()
	var w wire
	answer, err := c.transport.Send(w.watch(limited), r)
	switch {
	case err == nil && foreign(answer):
		err = fmt.Errorf("another server has answered %d: log in to this network", answer.Status)
		return attempt{err: &NetworkError{err}, lost: true}
	case err == nil:
		return attempt{answer: answer, doubt: answer.Status >= http.StatusInternalServerError}
	case errors.Is(err, errTooLarge):
		return attempt{err: answer.unexpected(err.Error())}
	case ctx.Err() != nil:
		return attempt{err: givenUp(ctx.Err()), doubt: !w.unused(err)}
	}
	return attempt{err: &NetworkError{err}, lost: true, doubt: !w.unused(err)}
}

// foreign reports whether a network's log-in page has answered instead of the service: the API sends no redirect and no
// 511.
func foreign(a Answer) bool {
	return a.Status >= 300 && a.Status < 400 || a.Status == http.StatusNetworkAuthenticationRequired
}

// public makes a call that needs no token.
func (c *Client) public(ctx context.Context, r Request, how repetition) attempt {
	return c.repeat(ctx, how, func(ctx context.Context) attempt { return c.exchange(ctx, r, defaultTimeout) })
}

// protected makes a call with the session's access token. It refreshes a token that is old, and once a token that the
// service refuses. If another player logs in meanwhile, the call fails.
func (c *Client) protected(ctx context.Context, r Request, usual time.Duration, how repetition) attempt {
	refreshed, player := false, ""
	return c.repeat(ctx, how, func(ctx context.Context) attempt {
		s, err := c.current(ctx, player)
		if err != nil {
			return attempt{err: err}
		}
		player, r.Token = s.UserID, s.Token
		a := c.exchange(ctx, r, usual)
		if a.err != nil || a.answer.Status != http.StatusUnauthorized || refreshed {
			return a
		}
		refreshed = true
		if s, err = c.refresh(ctx, s); err != nil {
			return attempt{err: err}
		}
		r.Token = s.Token
		return c.exchange(ctx, r, usual)
	})
}

// transient reports whether the service could not process the request now. A 500 is not transient, because the service
// has already repeated its own requests before it answers 500.
func transient(a Answer) bool {
	switch a.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// givenUp returns the error of a call whose context has ended.
func givenUp(err error) error { return fmt.Errorf("the call was given up: %w", err) }
