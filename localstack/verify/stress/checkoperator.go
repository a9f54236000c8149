package main

import (
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// checkChanges: a change that is done has its record, and one that was refused has none.
func (e *evidence) checkChanges() {
	for _, c := range e.calls {
		if c.Change == "" {
			continue
		}
		switch _, recorded := e.facts.Changes[c.Change]; {
		case c.outcome == done && !recorded:
			e.report(c.subject(), "%s #%d is done, and has no record", c.Kind, c.N)
		case c.outcome == refused && recorded:
			e.report(c.subject(), "%s #%d failed, and has a record", c.Kind, c.N)
		}
	}
}

// checkTerms: each of a show's terms is what one of the operators has set last; they have been changed as often as
// operators were told, and perhaps as often more as they were told that nobody knows; and who was told of entries was
// not the first to be there.
func (s *showEvidence) checkTerms() {
	setters := which(of(s.calls, kindCreateShow, kindSetShow), (*call).possible)
	checkTerm(s, setters, "name", s.show.Name, func(t terms) *string { return t.Name })
	checkTerm(s, setters, "fee", s.show.Fee, func(t terms) *int64 { return t.EntryFee })
	checkTerm(s, setters, "closing time", s.show.ClosesAt, func(t terms) *game.Instant { return t.EntryClosesAt })
	sets := of(setters, kindSetShow)
	if made := len(which(sets, happened)); s.show.Terms < made || s.show.Terms > len(sets) {
		s.report(subject{show: s.id}, "the terms of show %s have been changed %d times, and %d to %d changes were made", s.id, s.show.Terms, made, len(sets))
	}
	for _, c := range of(s.calls, kindSetShow) {
		entering := func(o *call) bool { return o.possible() && o.Began < c.Ended }
		if c.outcome == done && s.hadEnded(c) {
			s.report(c.subject(), "show %s: set show #%d is done, after the show had ended", s.id, c.N)
		}
		if c.Code == store.ErrHasEntries.Error() && c.outcome == refused && !slices.ContainsFunc(of(s.calls, kindEnter), entering) {
			s.report(c.subject(), "show %s: set show #%d was told of entries, and there were none", s.id, c.N)
		}
	}
}

// checkTerm looks for the setter of one of the terms, whom nobody has come after for sure.
func checkTerm[T comparable](s *showEvidence, setters []*call, name string, is T, of func(terms) *T) {
	setters = which(setters, func(c *call) bool { return of(*c.Terms) != nil })
	last := func(c *call) bool { return !slices.ContainsFunc(which(setters, happened), c.before) }
	if !slices.ContainsFunc(setters, func(c *call) bool { return *of(*c.Terms) == is && last(c) }) {
		s.report(subject{show: s.id}, "show %s: its %s is %v, which nobody has set last", s.id, name, is)
	}
}

// checkRefunds: refunds that are done have given back everything, and nothing is given back that nobody wanted to.
func (s *showEvidence) checkRefunds() {
	refunds := of(s.calls, kindRefund)
	for _, c := range refunds {
		switch {
		case c.outcome == done && !s.show.Refunded:
			s.report(c.subject(), "show %s: refund #%d is done, and the show does not say so", s.id, c.N)
		case c.outcome == refused && c.Code == store.ErrNotCancelled.Error() && s.show.Status == game.ShowCancelled && s.hadEnded(c):
			s.report(c.subject(), "show %s: refund #%d was told that it is not cancelled, and it was", s.id, c.N)
		}
	}
	refunded := s.show.Refunded
	for _, entry := range s.show.Entries {
		refunded = refunded || entry.Refunded
	}
	if refunded && len(which(refunds, (*call).possible)) == 0 {
		s.report(subject{show: s.id}, "show %s has refunds, and nobody has refunded anything", s.id)
	}
}
