package client

import (
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

// outcome is the result of a call: the answer or the error of its last attempt.
type outcome struct {
	answer Answer
	err    error
	doubt  bool   // the change may have been made by one of the attempts
	player string // of a protected call: the player who made it; "" if none did
}

// read decodes the answer, as Answer.Read does. If the answer lacks a required field, the error is an *Error, too.
func (o outcome) read(status int, v any) error {
	if o.err != nil {
		return o.err
	}
	if err := o.answer.Read(status, v); err != nil {
		return err
	}
	if s, ok := v.(shaped); ok {
		if err := s.check(); err != nil {
			return o.answer.unexpected(err.Error())
		}
	}
	return nil
}

// repeat makes attempts until one is final or none is left. If the last attempt is lost, it calls reach(false). It does
// not report events itself, because the listener must not run while the store is locked.
func (c *Client) repeat(ctx context.Context, reach func(bool), again func(Answer) bool, try func(context.Context) attempt) outcome {
	var o outcome
	for n := 1; ; n++ {
		a := try(ctx)
		o = outcome{answer: a.answer, err: a.err, doubt: o.doubt || a.doubt}
		repeated := a.lost || a.err == nil && again(a.answer)
		if !repeated || n >= c.options.Attempts {
			if a.lost {
				reach(false)
			}
			return o
		}
		if err := c.options.Wait(ctx, c.delay(n, a.answer)); err != nil {
			return outcome{err: givenUp(err), doubt: o.doubt}
		}
	}
}

// exchange makes one attempt with a time limit. If the service answers, it calls reach(true).
func (c *Client) exchange(ctx context.Context, reach func(bool), r Request, timeout time.Duration) attempt {
	if err := ctx.Err(); err != nil {
		return attempt{err: givenUp(err)}
	}
	if !c.options.AllowHTTP && !isSafe(c.transport.API) {
		return attempt{err: ErrHTTP}
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var w wire
	answer, err := c.transport.Send(w.watch(limited), r)
	switch {
	case err == nil:
		reach(true)
		return attempt{answer: answer, doubt: answer.Status >= http.StatusInternalServerError}
	case errors.Is(err, errTooLarge):
		reach(true)
		return attempt{err: answer.unexpected(err.Error())}
	case ctx.Err() != nil:
		return attempt{err: givenUp(ctx.Err()), doubt: !w.unused(err)}
	}
	return attempt{err: &NetworkError{err}, lost: true, doubt: !w.unused(err)}
}

// public makes a call that needs no token.
func (c *Client) public(ctx context.Context, r Request) outcome {
	return c.repeat(ctx, c.noteReachable, transient, func(ctx context.Context) attempt {
		return c.exchange(ctx, c.noteReachable, r, c.timeout(defaultTimeout))
	})
}

// protected makes a call with the session's access token. It refreshes a token that is old, and once a token that the
// service refuses. If another player logs in meanwhile, the call fails.
func (c *Client) protected(ctx context.Context, r Request, timeout time.Duration) outcome {
	return c.protectedAs(ctx, "", r, timeout)
}

// protectedAs makes a protected call as the player with the id. "" means the session's player.
func (c *Client) protectedAs(ctx context.Context, player string, r Request, timeout time.Duration) outcome {
	refreshed := false
	o := c.repeat(ctx, c.noteReachable, transient, func(ctx context.Context) attempt {
		s, err := c.current(ctx, player)
		if err != nil {
			return attempt{err: err}
		}
		player, r.Token = s.UserID, s.Token
		a := c.exchange(ctx, c.noteReachable, r, timeout)
		if a.err != nil || a.answer.Status != http.StatusUnauthorized || refreshed {
			return a
		}
		refreshed = true
		if s, err = c.refresh(ctx, s, player); err != nil {
			return attempt{err: err}
		}
		r.Token = s.Token
		return c.exchange(ctx, c.noteReachable, r, timeout)
	})
	o.player = player
	return o
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
