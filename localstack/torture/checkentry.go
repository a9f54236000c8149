package main

import (
	"slices"

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
