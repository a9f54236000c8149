package client

import (
	"context"
	"net/http"
	"time"
)

const (
	// doubtedFor is how long a session survives if the service answers nothing but doubtful refusals (see doubtful). It
	// should be longer than any outage.
	doubtedFor = time.Hour
	// longestGap is the longest time between two doubtful refusals of the same hour. After a longer gap the hour starts
	// again, because the service could have given another answer in between.
	longestGap = 10 * time.Minute

	messageDead = "Refresh token invalid or expired" // the service knows the refresh token: it is revoked or expired
)

// renew refreshes the stored session under the store's lock, unless another client has refreshed it before.
func (c *Client) renew(ctx context.Context, f *flight, stale *Session) (*Session, error) {
	unlock, err := c.keeper.lock(ctx, 2*c.timeout(defaultTimeout))
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
	reach := func(reachable bool) { f.reached = append(f.reached, reachable) }
	unbroken := true
	o := c.repeat(ctx, reach, func(a Answer) bool { return transient(a) || verdictOf(a) == doubtful }, func(ctx context.Context) attempt {
		a := c.exchange(ctx, reach, request, c.timeout(defaultTimeout))
		unbroken = unbroken && a.err == nil && verdictOf(a.answer) == doubtful
		return a
	})
	if ctx.Err() != nil && o.err != nil {
		return nil, o.err
	}
	return c.settle(ctx, f, s.RefreshToken, o, unbroken)
}

// settle updates the session with the outcome of its refresh. If the session's refresh token has changed, because of a
// log-in or log-out, settle changes nothing. Client.Session returns the store's errors. unbroken means that all
// attempts got doubtful refusals.
func (c *Client) settle(ctx context.Context, f *flight, asked string, o outcome, unbroken bool) (session *Session, err error) {
	var renewed tokenAnswer
	failure := o.read(http.StatusOK, &renewed)
	verdict := ""
	if failure != nil && o.err == nil {
		verdict = verdictOf(o.answer)
	}
	_ = c.keeper.update(ctx, func(current *Session) *Session {
		switch {
		case current == nil:
			err = c.ended()
			return nil
		case current.RefreshToken != asked:
			session = copied(current)
			return current
		case failure == nil:
			session = copied(current)
			c.received(session, renewed.Token)
			c.flown(f, Event{Kind: SessionRefreshed}, "")
			return session
		}
		next := copied(current)
		if verdict == doubtful && next.refused(c.now(), unbroken) {
			verdict = ReasonRefused
		}
		switch {
		case verdict == ReasonRefused, verdict == ReasonBanned:
			err = &SessionEndedError{verdict}
			c.flown(f, Event{Kind: SessionEnded, Reason: verdict}, asked)
			return nil
		case verdict == "" && current.RefusedSince == nil && current.RefusedLast == nil:
			err = failure
			return current
		case verdict == "":
			next.RefusedSince, next.RefusedLast = nil, nil
		}
		err = failure
		return next
	})
	return session, err
}

// flown queues the event of a flight that has changed the session. Like overtake, it runs inside the store's update.
func (c *Client) flown(f *flight, e Event, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endedBy, c.endedToken = e.Reason, token
	c.announce(f, e)
}

// refused notes a doubtful refusal, and reports whether the service has given no other answer for doubtedFor. unbroken
// means that all attempts of this refresh got doubtful refusals.
func (s *Session) refused(now time.Time, unbroken bool) bool {
	since, last := s.RefusedSince, s.RefusedLast
	if !unbroken || since == nil || last == nil || now.Before(*since) || now.Before(*last) || now.Sub(*last) > longestGap {
		s.RefusedSince = &now
	}
	s.RefusedLast = &now
	return now.Sub(*s.RefusedSince) >= doubtedFor
}

// doubtful is the verdict if the service either cannot verify the refresh token or has an unexpected failure.
const doubtful = "doubtful"

// verdictOf returns why an answer to a refresh ends the session, or doubtful, or "" if the session goes on.
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
