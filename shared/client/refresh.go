package client

import (
	"context"
	"errors"
	"net/http"
	"time"
)

const (
	// doubtedFor is how long nothing but refusals that may be failures of the service's own are put up with.
	doubtedFor = 2 * time.Minute

	messageDead = "Refresh token invalid or expired" // the refresh token is known, and no longer good
)

// renew refreshes the stored session, if nobody has done so before it had the lock.
func (c *Client) renew(ctx context.Context, stale *Session, tell func(Event)) (*Session, error) {
	unlock, err := c.keeper.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s, err := c.load(ctx)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, c.ended()
	case s.Token != stale.Token:
		return s, nil
	}
	request := Request{Method: http.MethodPost, Path: "/auth/refresh", Body: map[string]string{"refreshToken": s.RefreshToken}}
	o := c.repeat(ctx, tell, func(a Answer) bool { return transient(a) || verdictOf(a) == doubtful }, func(ctx context.Context) attempt {
		return c.exchange(ctx, tell, request, c.timeout(defaultTimeout))
	})
	if o.err != nil {
		return nil, o.err
	}
	return c.settle(ctx, *s, o.answer, tell)
}

// settle does what the answer to a refreshing says of a session.
func (c *Client) settle(ctx context.Context, s Session, a Answer, tell func(Event)) (*Session, error) {
	var renewed struct{ Token string }
	refusal := a.Read(http.StatusOK, &renewed)
	verdict, before := verdictOf(a), s.RefusedSince
	if verdict == doubtful {
		now := c.options.Now()
		switch since := s.RefusedSince; {
		case since == nil || now.Before(*since):
			s.RefusedSince = &now
		case now.Sub(*since) >= doubtedFor:
			verdict = ReasonRefused
		}
	} else {
		s.RefusedSince = nil
	}
	switch {
	case refusal == nil && renewed.Token == "":
		return nil, a.unexpected("there is no token in it")
	case refusal == nil:
		c.received(&s, renewed.Token)
		if err := c.keep(ctx, &s, &s); err != nil {
			return nil, err
		}
		tell(Event{Kind: SessionRefreshed})
		return &s, nil
	case verdict == ReasonRefused, verdict == ReasonBanned:
		if err := c.keep(ctx, &s, nil); err != nil {
			return nil, err
		}
		c.end(verdict, tell)
		return nil, &SessionEndedError{verdict}
	}
	if s.RefusedSince != before {
		if err := c.keep(ctx, &s, &s); err != nil {
			return nil, errors.Join(refusal, err)
		}
	}
	return nil, refusal
}

// doubtful is the verdict of an answer that the service gives of a refresh token which it cannot verify, and of an
// unexpected failure of its own alike.
const doubtful = "doubtful"

// verdictOf says what a refusal to refresh means: the reason for which the session has ended, doubtful, or "" where it
// goes on.
func verdictOf(a Answer) string {
	refusal := a.refusal()
	switch {
	case a.Status == http.StatusBadRequest && refusal.Code == MissingToken:
		return ReasonRefused
	case a.Status != http.StatusUnauthorized:
		return ""
	case refusal.Code == Unauthorized:
		return ReasonBanned
	case refusal.Code == InvalidToken && refusal.Message == messageDead:
		return ReasonRefused
	case refusal.Code == InvalidToken:
		return doubtful
	}
	return ""
}
