package main

import (
	"slices"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// checkSessions: a log-in leaves its session, which lives until it is logged out, or its user's sessions are revoked,
// which a ban does, too.
func (e *evidence) checkSessions(user game.ID) {
	calls := e.byUser[user]
	revocations := of(calls, kindRevoke, kindBan)
	for _, c := range of(calls, kindLogin, kindLogout, kindRefresh) {
		if c.Session == "" {
			continue
		}
		s := &session{
			revocations: revocations,
			login:       which(of(calls, kindLogin), func(o *call) bool { return o.Session == c.Session }),
			logouts:     which(of(calls, kindLogout), func(o *call) bool { return o.Session == c.Session }),
		}
		_, kept := e.facts.Sessions[c.Session]
		switch {
		case c.Kind == kindLogout && c.outcome == done && kept:
			e.report(c.subject(), "logout #%d is done, and its session is there", c.N)
		case c.Kind == kindLogin && c.outcome == done && !kept && len(which(s.logouts, (*call).possible)) == 0:
			e.report(c.subject(), "login #%d is done, and its session is not there", c.N)
		case c.Kind == kindRefresh && c.outcome == done:
			if end := s.endedBefore(c); end != nil {
				e.report(c.subject(), "refresh #%d is done, and its session was ended by %s #%d", c.N, end.Kind, end.N)
			}
		case c.Kind == kindRefresh && c.outcome == refused && c.Code == string(game.CodeInvalidToken) && !s.mayHaveEnded(c):
			e.report(c.subject(), "refresh #%d is refused, and nothing has ended its session", c.N)
		}
	}
}

// session is what may have begun and ended a session. Who has been welcomed has one that no log-in began.
type session struct{ login, logouts, revocations []*call }

// endedBefore returns what has ended the session for sure when the call began, nil for nothing.
func (s *session) endedBefore(c *call) *call {
	for _, o := range s.logouts {
		if o.outcome == done && o.before(c) {
			return o
		}
	}
	for _, o := range s.revocations {
		if o.outcome == done && o.before(c) && !slices.ContainsFunc(s.login, func(l *call) bool { return !l.before(o) }) {
			return o
		}
	}
	return nil
}

// instants is what may be one instant by the clock that sessions and revocations go by, and more.
const instants = 10 * time.Millisecond

// mayHaveEnded reports whether anything may have ended the session before the call had ended. A revocation that was
// over before the log-in began has not: it ends what began before it. One of which nobody knows may come late.
func (s *session) mayHaveEnded(c *call) bool {
	may := func(o *call) bool { return o.possible() && o.Began < c.Ended }
	spared := func(o *call) bool {
		return o.outcome == done && slices.ContainsFunc(s.login, func(l *call) bool { return o.Ended+instants < l.Began })
	}
	return slices.ContainsFunc(s.logouts, may) || slices.ContainsFunc(s.revocations, func(o *call) bool { return may(o) && !spared(o) })
}
