package client

import (
	"context"
	"net/http"
	"time"
)

const (
	// doubtedFor is how long nothing but refusals that may be failures of the service's own are put up with: longer
	// than an outage takes that somebody mends.
	doubtedFor = time.Hour
	// longestGap is the longest time between two such refusals that have nothing between them: of a longer one it is
	// not known what would have been answered.
	longestGap = 10 * time.Minute

	messageDead = "Refresh token invalid or expired" // the refresh token is known, and no longer good
)

// renew refreshes the stored session, if nobody has done so before it had the lock.
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

// settle does to the session what came of its refreshing, if it still has the refresh token that was asked about: else
// somebody has logged in or out meanwhile, and the refreshing is of no account. That the session may not be stored is
// for Session to tell. Unbroken says that all attempts were refused doubtfully.
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

// flown notes what a flight has made of the session. It is called where the store is changed, as overtake is.
func (c *Client) flown(f *flight, e Event, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endedBy, c.endedToken = e.Reason, token
	c.announce(f, e)
}

// refused notes a refusal that may be a failure of the service's own, and says whether there has been nothing else for
// as long as that is put up with. Unbroken says that there was nothing else since the refreshing before.
func (s *Session) refused(now time.Time, unbroken bool) bool {
	since, last := s.RefusedSince, s.RefusedLast
	if !unbroken || since == nil || last == nil || now.Before(*since) || now.Before(*last) || now.Sub(*last) > longestGap {
		s.RefusedSince = &now
	}
	s.RefusedLast = &now
	return now.Sub(*s.RefusedSince) >= doubtedFor
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
