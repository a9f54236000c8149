package logcheck

import (
	"slices"
	"time"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// state is a fact that may be true for a time, such as a ban. A maker makes it true, and an ender makes it false.
type state struct{ makers, enders []*Record }

// precedes reports whether call a certainly ended before call b began. The records of callers have times of one clock.
// For other records it allows for the skew.
func (c *Checker) precedes(a, b *Record) bool {
	if a.Answer != nil && b.Answer != nil {
		return a.Ended < b.Began
	}
	return c.before(a.Ended, b.Began)
}

// certainBy returns a call that made the state true before r began, if no call can have ended the state between that
// call and the end of r. If there is no such call, it returns nil.
func (c *Checker) certainBy(s state, r *Record) *Record {
	for _, maker := range s.makers {
		if maker.Outcome == Done && c.precedes(maker, r) && !slices.ContainsFunc(s.enders, func(ender *Record) bool {
			return ender.may() && !c.precedes(r, ender) && (ender.Outcome == Unknown || !c.precedes(ender, maker))
		}) {
			return maker
		}
	}
	return nil
}

func (c *Checker) certain(s state, r *Record) bool { return c.certainBy(s, r) != nil }

// possible reports whether the state may have been true at some instant of the call r.
func (c *Checker) possible(s state, r *Record) bool {
	return slices.ContainsFunc(s.makers, func(maker *Record) bool {
		return maker != r && maker.may() && !c.precedes(r, maker) && !slices.ContainsFunc(s.enders, func(ender *Record) bool {
			return maker.Outcome == Done && ender.Outcome == Done && c.precedes(maker, ender) && c.precedes(ender, r)
		})
	})
}

func of(calls []*Record, kinds ...Kind) []*Record {
	return which(calls, func(r *Record) bool { return slices.Contains(kinds, r.Kind) })
}

func which(calls []*Record, is func(*Record) bool) (found []*Record) {
	for _, r := range calls {
		if is(r) {
			found = append(found, r)
		}
	}
	return found
}

func isDone(r *Record) bool { return r.Outcome == Done }

// show has what the records and the table contain about one show.
type show struct {
	id       game.ID
	calls    []*Record
	byAnimal map[game.ID][]*Record // entries
	stored   invariants.Show
	known    bool // the table has the show; stored is its state
	ended    state
	endKnown bool // no call but the makers of ended can have ended it
}

// showOf returns what the records and the table contain about a show. It computes that once, and caches it.
func (c *Checker) showOf(id game.ID) *show {
	if s := c.shows[id]; s != nil {
		return s
	}
	s := &show{id: id, calls: c.byShow[id], byAnimal: map[game.ID][]*Record{}}
	for _, r := range of(s.calls, Enter) {
		s.byAnimal[r.Animal] = append(s.byAnimal[r.Animal], r)
	}
	s.stored, s.known = c.facts.Shows[id]
	ends := which(slices.Concat(of(s.calls, Judge, JudgeShow, JudgeDue, Cancel), c.runs), (*Record).may)
	done := which(ends, isDone)
	switch {
	case s.known:
		s.ended.makers, s.endKnown = which(ends, s.mayEnd), c.options.Complete
	case len(done) > 0: // a show ends once
		s.ended.makers, s.endKnown = done, true
	default:
		s.ended.makers, s.endKnown = ends, c.options.Complete
	}
	c.shows[id] = s
	return s
}

// mayEnd reports whether the call may have made the change that ended the show, by the stored status and judge.
func (s *show) mayEnd(r *Record) bool {
	_, byPlayer := game.ParseID(s.stored.JudgedBy)
	switch {
	case s.stored.Status == game.ShowCancelled:
		return r.Kind == Cancel
	case s.stored.Status != game.ShowCompleted:
		return false
	case s.stored.JudgedBy == store.JudgedByDue:
		return r.Kind == JudgeDue
	case !byPlayer:
		return r.Kind == JudgeShow
	}
	return r.Kind == Judge && string(r.User) == s.stored.JudgedBy
}

// judged reports whether the show was completed, by the table or, if it lacks the show, by the records.
func (s *show) judged() bool {
	if s.known {
		return s.stored.Status == game.ShowCompleted
	}
	return len(which(of(s.calls, Judge, JudgeShow, JudgeDue), isDone)) > 0
}

// exists returns the state in which calls find the show. A list may have a new show before that.
func (s *show) exists() state {
	return state{makers: which(of(s.calls, CreateShow, Enter), isDone)}
}

// closed returns the state in which the show's closing time, which operators can change, is not after the instant at.
func (s *show) closed(at game.Instant) (closed state) {
	for _, r := range of(s.calls, CreateShow, SetShow) {
		switch {
		case r.Answer.Terms.EntryClosesAt == nil:
		case *r.Answer.Terms.EntryClosesAt <= at:
			closed.makers = append(closed.makers, r)
		default:
			closed.enders = append(closed.enders, r)
		}
	}
	return closed
}

// entered returns the state in which the animal has an entry in the show.
func (s *show) entered(animal game.ID) state { return state{makers: s.byAnimal[animal]} }

// by returns the state in which the player has made a call of the kind in the show: an entry or a claim.
func (s *show) by(kind Kind, user game.ID) state {
	return state{makers: which(of(s.calls, kind), func(r *Record) bool { return r.User == user })}
}

// hasEntryOf reports whether the table has an entry of the player in the show.
func (s *show) hasEntryOf(user game.ID) bool {
	for _, entry := range s.stored.Entries {
		if entry.Player == user {
			return true
		}
	}
	return false
}

// banned returns the state in which the user is banned or deleted.
func (c *Checker) banned(user game.ID) state {
	calls := c.byUser[user]
	return state{of(calls, Ban, DeleteUser), of(calls, Unban)}
}

// meets reports whether one of the calls may have had its effect during r.
func (c *Checker) meets(r *Record, calls []*Record) bool {
	return slices.ContainsFunc(calls, func(o *Record) bool {
		return o.may() && !c.precedes(r, o) && (o.Outcome != Done || !c.precedes(o, r))
	})
}

// flawed returns the state in which the animal has the flaw.
func (c *Checker) flawed(owner, animal game.ID, flaw Flaw) (flawed state) {
	for _, r := range of(c.byUser[owner], ChangeAnimal) {
		switch {
		case r.Animal != animal:
		case r.Answer.Flaw == flaw:
			flawed.makers = append(flawed.makers, r)
		case r.Answer.Flaw == Fit:
			flawed.enders = append(flawed.enders, r)
		}
	}
	return flawed
}

// sameInstant is the largest difference of a session's and a revocation's times that may mean the same instant, with a
// margin: different clocks date them.
const sameInstant = 10 * time.Millisecond

// sessionEnds returns the states in which the caller's session has ended, by a log-out or by a revocation. A ban and a
// new password revoke the sessions that began before. surely has only ends that certainly came after the log-in. maybe
// also has ends that may have come after it. If no record has the session's log-in, both have all ends.
func (c *Checker) sessionEnds(r *Record) (surely, maybe state) {
	var logins []*Record
	for _, o := range of(c.byUser[r.User], Login, Logout) {
		switch {
		case o.Answer == nil || o.Answer.Session != r.Answer.Session:
		case o.Kind == Login:
			logins = append(logins, o)
		default:
			surely.makers, maybe.makers = append(surely.makers, o), append(maybe.makers, o)
		}
	}
	for _, o := range of(c.byUser[r.User], Revoke, Ban, ResetPassword) {
		if !slices.ContainsFunc(logins, func(login *Record) bool { return !c.precedes(login, o) }) {
			surely.makers = append(surely.makers, o)
		}
		if !slices.ContainsFunc(logins, func(login *Record) bool { return o.Outcome == Done && o.Ended.Add(sameInstant) < login.Began }) {
			maybe.makers = append(maybe.makers, o)
		}
	}
	return surely, maybe
}

// named returns the state in which another registration has the e-mail address or the username of registration r.
func (c *Checker) named(r *Record) state {
	return state{makers: which(c.registrations, func(o *Record) bool {
		return o != r && (o.Answer.Username == r.Answer.Username || o.Answer.Email == r.Answer.Email)
	})}
}
