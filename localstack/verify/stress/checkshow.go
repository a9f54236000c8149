package main

import (
	"slices"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// checkShow compares what everybody was told of a show with what it has become.
func (e *evidence) checkShow(id game.ID) {
	s := e.shows[id]
	if s == nil {
		for _, c := range which(e.byShow[id], happened) {
			e.report(c.subject(), "%s #%d is done, in the show %s that is not there", c.Kind, c.N, id)
		}
		return
	}
	s.checkEntries()
	s.checkRefusedEntries()
	s.checkClaims()
	s.checkEnd()
	s.checkDetails()
	s.checkTerms()
	s.checkRefunds()
}

// showEvidence is what is known of one show.
type showEvidence struct {
	*evidence
	id     game.ID
	show   invariants.Show
	calls  []*call
	enders []*call // that may have ended it
}

func (e *evidence) ofShow(id game.ID) *showEvidence {
	s := &showEvidence{evidence: e, id: id, show: e.facts.Shows[id], calls: e.byShow[id]}
	s.enders = which(s.endersBy(), (*call).possible)
	return s
}

// endersBy returns the calls of whoever has ended the show, as it says: it ends once and for all.
func (s *showEvidence) endersBy() (calls []*call) {
	switch {
	case s.show.Status == game.ShowCancelled:
		calls = of(s.calls, kindCancel)
	case s.show.Status != game.ShowCompleted:
	case s.show.JudgedBy == store.JudgedByDue:
		calls = of(s.evidence.calls, kindJudgeDue)
	case s.show.JudgedBy == byOperator:
		calls = of(s.calls, kindJudgeShow)
	default:
		calls = which(of(s.calls, kindJudge), func(c *call) bool { return string(c.User) == s.show.JudgedBy })
	}
	return calls
}

// mayHaveEnded reports whether the show may have ended before the call had.
func (s *showEvidence) mayHaveEnded(c *call) bool {
	return slices.ContainsFunc(s.enders, func(o *call) bool { return o.Began < c.Ended })
}

// hadEnded reports whether the show had ended for sure when the call began.
func (s *showEvidence) hadEnded(c *call) bool {
	return slices.ContainsFunc(s.enders, func(o *call) bool { return o.outcome == done && o.before(c) })
}

// wasThere reports whether the show was there for sure when the call began.
func (s *showEvidence) wasThere(c *call) bool {
	return slices.ContainsFunc(s.doneBy(kindCreateShow), func(o *call) bool { return o.before(c) })
}

// checkClaims: each receipt is of one call, and says what that was answered.
func (s *showEvidence) checkClaims() {
	byUser := map[game.ID][]*call{}
	for _, c := range of(s.calls, kindClaim) {
		byUser[c.User] = append(byUser[c.User], c)
	}
	for user, receipt := range s.show.Receipts {
		if len(which(byUser[user], (*call).possible)) == 0 {
			s.report(subject{user: user, show: s.id}, "show %s: %s has a receipt of %d gold and has claimed nothing", s.id, user, receipt.Prize)
		}
	}
	for user, calls := range byUser {
		receipt, claimed := s.show.Receipts[user]
		if all := which(calls, happened); len(all) > 1 {
			s.report(all[0].subject(), "show %s: %s was told %d times that the prize is paid", s.id, user, len(all))
		}
		for _, c := range calls {
			switch {
			case c.outcome == done && !claimed:
				s.report(c.subject(), "show %s: claim #%d is done, and there is no receipt", s.id, c.N)
			case c.outcome == done && c.Status == 200 && (invariants.Receipt{Rank: c.Got.Rank, Prize: c.Got.Prize}) != receipt:
				s.report(c.subject(), "show %s: claim #%d was told rank %d and %d gold, and the receipt is %+v", s.id, c.N, c.Got.Rank, c.Got.Prize, receipt)
			case c.Code == string(game.CodeAlreadyClaimed) && !slices.ContainsFunc(calls, func(o *call) bool { return o != c && o.possible() && o.Began < c.Ended }):
				s.report(c.subject(), "show %s: claim #%d comes after no other", s.id, c.N)
			case c.Code == string(game.CodeAlreadyClaimed) && !claimed:
				s.report(c.subject(), "show %s: claim #%d is told of a receipt that is not there", s.id, c.N)
			case c.outcome == done && !s.mayHaveEnded(c):
				s.report(c.subject(), "show %s: claim #%d is done, before anybody has judged it", s.id, c.N)
			case c.Code == string(game.CodeNotFound) && s.hasEntryOf(user) && s.show.Status == game.ShowCompleted && s.hadEnded(c):
				s.report(c.subject(), "show %s: claim #%d found nothing, in a show that was judged with an entry of %s", s.id, c.N, user)
			}
		}
	}
}

func (s *showEvidence) hasEntryOf(user game.ID) bool {
	for _, entry := range s.show.Entries {
		if entry.Player == user {
			return true
		}
	}
	return false
}

// doneBy returns the calls of those kinds that are done.
func (s *showEvidence) doneBy(kinds ...string) []*call { return which(of(s.calls, kinds...), happened) }

// checkEnd: a show ends once, by whoever says so, and nobody enters after.
func (s *showEvidence) checkEnd() {
	judgings, cancellings := s.doneBy(kindJudge, kindJudgeShow), s.doneBy(kindCancel)
	ends := slices.Concat(judgings, cancellings)
	if len(ends) > 1 {
		s.report(ends[0].subject(), "show %s was ended %d times: %s, %s", s.id, len(ends), ends[0], ends[1])
	}
	for _, c := range judgings {
		by := byOperator
		if c.Kind == kindJudge {
			by = string(c.User)
		}
		if s.show.Status != game.ShowCompleted || s.show.JudgedBy != by {
			s.report(c.subject(), "show %s: %s #%d is done, and the show is %s by %q", s.id, c.Kind, c.N, s.show.Status, s.show.JudgedBy)
		}
		for _, p := range c.Got.Placed {
			if placing := s.show.Placings[p.Animal]; placing.Rank != p.Rank || placing.Score.String() != p.Score || s.show.Entries[p.Animal].Player != p.Player {
				s.report(c.subject(), "show %s: judge #%d was told %+v, and the results are %+v", s.id, c.N, p, placing)
			}
		}
	}
	switch {
	case s.show.Status == game.ShowCancelled && len(s.enders) == 0:
		s.report(subject{show: s.id}, "show %s is cancelled, and nobody has cancelled it", s.id)
	case s.show.Status == game.ShowCompleted && len(s.enders) == 0:
		s.report(subject{show: s.id}, "show %s is judged by %q, who has not judged it", s.id, s.show.JudgedBy)
	case s.show.Status != game.ShowCancelled && len(cancellings) > 0:
		s.report(cancellings[0].subject(), "show %s is cancelled by #%d, and is %s", s.id, cancellings[0].N, s.show.Status)
	}
	for _, end := range ends {
		for _, c := range s.doneBy(kindEnter) {
			if end.before(c) {
				s.report(c.subject(), "show %s: enter #%d is done, after %s #%d", s.id, c.N, end.Kind, end.N)
			}
		}
	}
	for _, c := range s.calls {
		notOpen := c.Kind == kindJudge && c.Code == string(game.CodeNotFound) || c.Code == store.ErrNotOpen.Error() || c.Code == game.ErrShowNotOpen.Error()
		switch {
		case c.outcome != refused:
		case notOpen && s.wasThere(c) && !s.mayHaveEnded(c):
			s.report(c.subject(), "show %s: %s #%d found no open show, and it was open", s.id, c.Kind, c.N)
		case (c.Kind == kindDetail && c.Code == string(game.CodeNotFound) || c.Code == store.ErrUnknownShow.Error()) && s.wasThere(c):
			s.report(c.subject(), "show %s: %s #%d found no show, and it was there", s.id, c.Kind, c.N)
		}
	}
}

// checkDetails: who looks at a show sees every entry that was made before, none that was not made, and no part of a
// judging.
func (s *showEvidence) checkDetails() {
	entered := s.doneBy(kindEnter)
	for _, c := range s.doneBy(kindDetail) {
		if c.Status != 200 {
			continue
		}
		wrong := func(format string, args ...any) {
			s.report(c.subject(), "show %s: detail #%d "+format, append([]any{s.id, c.N}, args...)...)
		}
		seen, begun := map[game.ID]placed{}, s.enteringUntil(c.Ended)
		for _, p := range c.Got.Placed {
			seen[p.Animal] = p
			entry, there := s.show.Entries[p.Animal]
			placing := s.show.Placings[p.Animal]
			switch {
			case !there || entry.Player != p.Player:
				wrong("has an entry of %s that is not there", p.Animal)
			case !slices.ContainsFunc(begun, func(o *call) bool { return o.Animal == p.Animal }):
				wrong("has an entry of %s that nobody had begun to make", p.Animal)
			case c.Got.Status == game.ShowCompleted && placing.Rank != p.Rank:
				wrong("has %s on rank %d, and it is on %d", p.Animal, p.Rank, placing.Rank)
			case c.Got.Status != game.ShowCompleted && p.Rank != 0:
				wrong("is %s and has a rank for %s", c.Got.Status, p.Animal)
			}
		}
		for _, o := range entered {
			if _, listed := seen[o.Animal]; !listed && o.before(c) {
				wrong("lacks the entry #%d", o.N)
			}
		}
		if c.Got.Status != game.ShowOpen && c.Got.Status != s.show.Status {
			wrong("says %s, and it is %s", c.Got.Status, s.show.Status)
		}
		if c.Got.Status != game.ShowOpen && len(seen) != len(s.show.Entries) {
			wrong("is %s with %d entries, and there are %d", c.Got.Status, len(seen), len(s.show.Entries))
		}
		if c.Got.Status == game.ShowOpen && s.hadEnded(c) {
			wrong("says that it is open, and it was not any more")
		}
		if c.Got.Status != game.ShowOpen && !s.mayHaveEnded(c) {
			wrong("says that it is %s, which it was not yet", c.Got.Status)
		}
	}
}
