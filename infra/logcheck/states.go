package logcheck

import (
	"slices"
	"time"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// state is something that calls make so, and that others end.
type state struct{ makers, enders []*Record }

// precedes reports whether a call had ended when another one began: by the clock of their caller, or by any clocks.
func (c *Checker) precedes(a, b *Record) bool {
	if a.Answer != nil && b.Answer != nil {
		return a.Ended < b.Began
	}
	return c.before(a.Ended, b.Began)
}

// certainBy returns a call by which it was so from the beginning of another call to its end: the one was over before,
// and nothing can have ended its effect since. It returns nil if no such state exists.
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

// possible reports whether it may have been so at some instant of the call: another call may have made it so, and
// nothing has ended it for certain before this one began.
func (c *Checker) possible(s state, r *Record) bool {
	return slices.ContainsFunc(s.makers, func(maker *Record) bool {
		return maker != r && maker.may() && !c.precedes(r, maker) && !slices.ContainsFunc(s.enders, func(ender *Record) bool {
			return maker.Outcome == Done && ender.Outcome == Done && c.precedes(maker, ender) && c.precedes(ender, r)
		})
	})
}

// of returns the calls of some kinds.
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

// show is what is known of one show.
type show struct {
	id       game.ID
	calls    []*Record
	byAnimal map[game.ID][]*Record // entries
	stored   invariants.Show
	known    bool // that it is stored so
	ended    state
	endKnown bool // no other call can have ended it
}

// showOf returns what is known of a show.
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

// mayEnd reports whether the call may have ended the show in the way that is stored.
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

// judged reports whether the show was completed, as far as that is known.
func (s *show) judged() bool {
	if s.known {
		return s.stored.Status == game.ShowCompleted
	}
	return len(which(of(s.calls, Judge, JudgeShow, JudgeDue), isDone)) > 0
}

// exists is that calls find the show: one that is just being created may be on a board before that.
func (s *show) exists() state {
	return state{makers: which(of(s.calls, CreateShow, Enter), isDone)}
}

// closed is that the show had closed for entries at an instant, by the closing times that operators set.
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

// entered is that the animal has an entry.
func (s *show) entered(animal game.ID) state { return state{makers: s.byAnimal[animal]} }

// by is that a player has entered the show, or has claimed in it.
func (s *show) by(kind Kind, user game.ID) state {
	return state{makers: which(of(s.calls, kind), func(r *Record) bool { return r.User == user })}
}

// hasEntryOf reports whether an entry of the player is stored.
func (s *show) hasEntryOf(user game.ID) bool {
	for _, entry := range s.stored.Entries {
		if entry.Player == user {
			return true
		}
	}
	return false
}

// banned is that the user is banned, or deleted.
func (c *Checker) banned(user game.ID) state {
	calls := c.byUser[user]
	return state{of(calls, Ban, DeleteUser), of(calls, Unban)}
}

// meets reports whether one of the calls may have been under way with this one.
func (c *Checker) meets(r *Record, calls []*Record) bool {
	return slices.ContainsFunc(calls, func(o *Record) bool {
		return o.may() && !c.precedes(r, o) && (o.Outcome != Done || !c.precedes(o, r))
	})
}

// flawed is that an animal has a flaw.
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

// sameInstant is what may be one instant by the clock that sessions and revocations go by, and more.
const sameInstant = 10 * time.Millisecond

// sessionEnds returns that the caller's session has ended: by a log-out, or by a revocation of all sessions, which a
// ban and a new password are, too. A revocation ends the sessions that began before it. surely has only the ends that
// certainly came after the log-in, maybe also those that may have. Some sessions have no log-in.
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

// named means that another player has the e-mail address or the username of a registration.
func (c *Checker) named(r *Record) state {
	return state{makers: which(c.registrations, func(o *Record) bool {
		return o != r && (o.Answer.Username == r.Answer.Username || o.Answer.Email == r.Answer.Email)
	})}
}
