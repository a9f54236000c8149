package main

import (
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// mostListed is how many shows a list has at most (docs/rules.md, S8.9). One that has so many may leave others out.
const mostListed = 50

// checkLists: a list has every show that it must have, once, as it may have been just then, with every entry that was
// made before and none that was not made.
func (e *evidence) checkLists() {
	for _, c := range which(of(e.calls, kindList), happened) {
		if c.Status != 200 || e.said.answers[c.Request].damaged { // by its own word not to be believed
			continue
		}
		listed := map[game.ID]bool{}
		for _, row := range c.Got.Listed {
			if listed[row.ID] {
				e.report(subject{show: row.ID}, "list #%d has the show %s twice", c.N, row.ID)
			}
			listed[row.ID] = true
			e.checkListed(c, row)
		}
		if len(c.Got.Listed) >= mostListed {
			continue
		}
		for id, s := range e.shows {
			if !listed[id] && s.isListed(c) {
				e.report(subject{show: id}, "list #%d of %q lacks the show %s", c.N, c.Filter, id)
			}
		}
	}
}

// checkListed compares a show in a list with what it may have been.
func (e *evidence) checkListed(c *call, row listed) {
	s := e.shows[row.ID]
	if s == nil {
		e.report(subject{}, "list #%d has the show %s, which is not there", c.N, row.ID)
		return
	}
	wrong := func(format string, args ...any) {
		e.report(subject{show: row.ID}, "list #%d says that show %s "+format, append([]any{c.N, row.ID}, args...)...)
	}
	before := int64(len(which(s.doneBy(kindEnter), func(o *call) bool { return o.before(c) })))
	entries, begun := int64(len(s.show.Entries)), int64(len(s.enteringUntil(c.Ended)))
	if row.Count < before || row.Count > min(entries, begun) || row.Status != game.ShowOpen && row.Count != entries {
		wrong("is %s and has %d entries: %d were made before, %d were begun, and there are %d", row.Status, row.Count, before, begun, entries)
	}
	switch {
	case c.Filter != "" && string(row.Status) != c.Filter:
		wrong("is %s, and was asked for those that are %s", row.Status, c.Filter)
	case row.Status == game.ShowOpen && s.hadEnded(c):
		wrong("is open, and it was not any more")
	case row.Status != game.ShowOpen && row.Status != s.show.Status:
		wrong("is %s, and it is %s", row.Status, s.show.Status)
	case row.Status != game.ShowOpen && !s.mayHaveEnded(c):
		wrong("is %s, which it was not yet", row.Status)
	}
}

// isListed reports whether a list must have the show: it was there all the while, with the status that is asked for. A
// show that moves to another closing time may be at neither place for a moment.
func (s *showEvidence) isListed(c *call) bool {
	moves := slices.ContainsFunc(of(s.calls, kindSetShow), func(o *call) bool {
		return o.possible() && o.Terms.EntryClosesAt != nil && o.Began < c.Ended && (o.outcome != done || !o.before(c))
	})
	switch {
	case moves || !s.wasThere(c):
		return false
	case c.Filter == "":
		return true
	case c.Filter == string(game.ShowOpen):
		return !s.mayHaveEnded(c)
	}
	return c.Filter == string(s.show.Status) && s.hadEnded(c)
}
