package main

import (
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// checkSessions: a log-in leaves its session, and a log-out ends it, as a revocation does.
func (e *evidence) checkSessions(user game.ID) {
	calls := e.byUser[user]
	revocations := which(of(calls, kindRevoke, kindBan), happened)
	for _, c := range of(calls, kindLogin, kindLogout, kindRefresh) {
		if c.outcome != done || c.Session == "" {
			continue
		}
		_, kept := e.facts.Sessions[c.Session]
		same := which(of(calls, kindLogout), func(o *call) bool { return o.Session == c.Session })
		switch {
		case c.Kind == kindLogout && kept:
			e.report(c.subject(), "logout #%d is done, and its session is there", c.N)
		case c.Kind == kindLogin && !kept && len(which(same, (*call).possible)) == 0:
			e.report(c.subject(), "login #%d is done, and its session is not there", c.N)
		case c.Kind == kindRefresh && slices.ContainsFunc(same, func(o *call) bool { return o.outcome == done && o.before(c) }):
			e.report(c.subject(), "refresh #%d is done, and its session was over", c.N)
		}
		if c.Kind != kindRefresh {
			continue
		}
		from := which(of(calls, kindLogin), func(o *call) bool { return o.Session == c.Session })
		for _, o := range revocations {
			begun := len(from) == 0 || from[0].before(o) // before the revocation, for sure
			if o.Kind == kindRevoke && begun && o.before(c) {
				e.report(c.subject(), "refresh #%d is done, and its session was revoked by #%d", c.N, o.N)
			}
		}
	}
}
