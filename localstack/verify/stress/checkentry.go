package main

import (
	"slices"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// checkEntries: each entry was made by one call that may have happened; each call that is done has its entry.
func (s *showEvidence) checkEntries() {
	byAnimal := map[game.ID][]*call{}
	for _, c := range of(s.calls, kindEnter) {
		byAnimal[c.Animal] = append(byAnimal[c.Animal], c)
	}
	for animal, entry := range s.show.Entries {
		if len(which(byAnimal[animal], (*call).possible)) == 0 {
			s.report(subject{user: entry.Player, show: s.id, animal: animal}, "show %s has an entry of %s, which nobody has entered", s.id, animal)
		}
	}
	for animal, calls := range byAnimal {
		all := which(calls, happened)
		if len(all) > 1 {
			s.report(all[0].subject(), "show %s: %d players were told that they have entered %s", s.id, len(all), animal)
		}
		entry, entered := s.show.Entries[animal]
		for _, c := range calls {
			switch {
			case c.outcome == done && (!entered || entry.Player != c.User):
				s.report(c.subject(), "show %s: enter #%d is done, and there is no such entry", s.id, c.N)
			case c.outcome == done && c.Status == 201 && c.Got.Fee != entry.Paid:
				s.report(c.subject(), "show %s: enter #%d was told a fee of %d, and has paid %d", s.id, c.N, c.Got.Fee, entry.Paid)
			case c.Code == string(game.CodeDuplicate) && !entered:
				s.report(c.subject(), "show %s: enter #%d is a duplicate, and there is no entry", s.id, c.N)
			case c.Code == string(game.CodeDuplicate) && !slices.ContainsFunc(calls, func(o *call) bool { return o != c && o.possible() && o.Began < c.Ended }):
				s.report(c.subject(), "show %s: enter #%d is a duplicate of nothing", s.id, c.N)
			}
		}
	}
}

// enteringUntil returns the calls that may have made an entry by then.
func (s *showEvidence) enteringUntil(at time.Duration) []*call {
	return which(of(s.calls, kindEnter), func(c *call) bool { return c.possible() && c.Began < at })
}

// checkRefusedEntries: what an entry is refused for may have been so while it was under way, and what keeps an animal
// from entering has kept it.
func (s *showEvidence) checkRefusedEntries() {
	for _, c := range of(s.calls, kindEnter) {
		a := s.animalOf(c.User, c.Animal)
		for _, flaw := range flaws {
			if c.outcome == done && a.surely(flaw, c) {
				s.report(c.subject(), "show %s: enter #%d is done, and the animal was %s all the while", s.id, c.N, flaw)
			}
		}
		if c.outcome == done && s.wasClosed(c) {
			s.report(c.subject(), "show %s: enter #%d is done, and the show was closed all the while", s.id, c.N)
		}
		if c.outcome != refused {
			continue
		}
		flaw := ""
		switch c.Message {
		case game.ErrShowClosed.Message:
			if s.wasThere(c) && !s.mayHaveEnded(c) && !s.mayHaveClosed(c) {
				s.report(c.subject(), "show %s: enter #%d found it closed, and it was open", s.id, c.N)
			}
		case game.ErrAnimalUnknown.Message:
			flaw = dead
		case game.ErrPregnant.Message:
			flaw = pregnant
		case game.ErrCalf.Message:
			flaw = calf
		}
		if flaw != "" && !a.perhaps(flaw, c) {
			s.report(c.subject(), "show %s: enter #%d was told that the animal is %s, which it was not", s.id, c.N, flaw)
		}
		if c.Code == string(game.CodeInsufficientGold) {
			s.checkShortOfGold(c)
		}
	}
}

// closings returns the calls that have set closing times up to an instant of the clock, and those that have set others.
func (s *showEvidence) closings(until game.Instant) (closing, opening []*call) {
	for _, c := range of(s.calls, kindCreateShow, kindSetShow) {
		switch {
		case c.Terms.EntryClosesAt == nil:
		case *c.Terms.EntryClosesAt <= until:
			closing = append(closing, c)
		default:
			opening = append(opening, c)
		}
	}
	return closing, opening
}

// wasClosed reports whether the show was closed for entries from the beginning of the call to its end.
func (s *showEvidence) wasClosed(c *call) bool {
	closing, opening := s.closings(s.wall(c.Began - logSkew))
	return surely(closing, opening, c)
}

// mayHaveClosed reports whether the show may have been closed for entries before the call had ended.
func (s *showEvidence) mayHaveClosed(c *call) bool {
	closing, opening := s.closings(s.wall(c.Ended + logSkew))
	return perhaps(closing, opening, c)
}

// checkShortOfGold: who is told of too little gold was told of a fee that the show may have had, and had less than that
// at some instant of the call.
func (s *showEvidence) checkShortOfGold(c *call) {
	i := slices.IndexFunc(s.calls, func(o *call) bool {
		return o.Terms != nil && o.Terms.EntryFee != nil && o.possible() && o.Began < c.Ended && game.InsufficientGold(*o.Terms.EntryFee).Message == c.Message
	})
	if i < 0 {
		s.report(c.subject(), "show %s: enter #%d was told %q, of a fee that the show has never had", s.id, c.N, c.Message)
		return
	}
	fee := *s.calls[i].Terms.EntryFee
	if balances := s.balances(c); !slices.ContainsFunc(balances, func(gold int64) bool { return gold < fee }) {
		s.report(c.subject(), "show %s: enter #%d was told %q, and there were %d gold", s.id, c.N, c.Message, balances)
	}
}
