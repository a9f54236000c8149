package client

import (
	"context"
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
	stored, err := c.keeper.load(context.WithoutCancel(ctx))
	switch {
	case err != nil:
		return nil, err
	case stored == nil:
		return nil, c.ended()
	case stored.RefreshToken != s.RefreshToken: // logged in anew by somebody who could not wait for the lock
		return stored, nil
	}
	return c.settle(ctx, *s, o.answer, tell)
}

// settle does to a session what the answer to its refreshing says. That it may not be stored is for Session to tell.
func (c *Client) settle(ctx context.Context, s Session, a Answer, tell func(Event)) (*Session, error) {
	var renewed struct{ Token string }
	refusal := a.Read(http.StatusOK, &renewed)
	if refusal == nil && renewed.Token == "" {
		refusal = a.unexpected("there is no token in it")
	}
	if refusal == nil {
		c.received(&s, renewed.Token)
		_ = c.keeper.save(ctx, &s)
		tell(Event{Kind: SessionRefreshed})
		return &s, nil
	}
	verdict, now, since := verdictOf(a), c.now(), s.RefusedSince
	if verdict == doubtful && since != nil && now.Sub(*since) >= doubtedFor {
		verdict = ReasonRefused
	}
	switch {
	case verdict == ReasonRefused, verdict == ReasonBanned:
		_ = c.keeper.save(ctx, nil)
		c.end(verdict, tell)
		return nil, &SessionEndedError{verdict}
	case verdict == doubtful && (since == nil || now.Before(*since)):
		s.RefusedSince = &now
		_ = c.keeper.save(ctx, &s)
	case verdict == "" && since != nil:
		s.RefusedSince = nil
		_ = c.keeper.save(ctx, &s)
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
