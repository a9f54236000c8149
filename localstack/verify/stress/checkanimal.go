package main

import (
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// animalEvidence is what is known of one animal: the changes that operators have made.
type animalEvidence struct{ changes []*call }

func (e *evidence) animalOf(owner, animal game.ID) animalEvidence {
	return animalEvidence{which(of(e.byUser[owner], kindChangeAnimal), func(c *call) bool { return c.Animal == animal })}
}

func (a animalEvidence) to(becomes string) []*call {
	return which(a.changes, func(c *call) bool { return c.Becomes == becomes })
}

// surely reports whether the animal had the flaw from the beginning of the call to its end.
func (a animalEvidence) surely(flaw string, c *call) bool { return surely(a.to(flaw), a.to(fit), c) }

// perhaps reports whether it may have had it at some instant of the call.
func (a animalEvidence) perhaps(flaw string, c *call) bool { return perhaps(a.to(flaw), a.to(fit), c) }

// checkAnimals: whoever asks for their animals gets all of them and no others, as they may have been just then; and in
// the end each is as the last change has left it.
func (e *evidence) checkAnimals(user game.ID) {
	owned := map[game.ID]bool{}
	for id, animal := range e.facts.Animals {
		if owned[id] = animal.Owner == user; !owned[id] {
			delete(owned, id)
			continue
		}
		e.checkAnimal(user, id)
	}
	for _, c := range of(e.byUser[user], kindAnimals) {
		if c.outcome != done || c.Status != 200 {
			continue
		}
		if len(c.Got.Animals) != len(owned) {
			e.report(c.subject(), "animals #%d has %d, and there are %d", c.N, len(c.Got.Animals), len(owned))
		}
		for _, id := range slices.Sorted(maps.Keys(c.Got.Animals)) {
			a := e.animalOf(user, id)
			if !owned[id] {
				e.report(c.subject(), "animals #%d has %s, which is not the player's", c.N, id)
			}
			for _, flaw := range flaws {
				switch has := slices.Contains(c.Got.Animals[id], flaw); {
				case has && !a.perhaps(flaw, c):
					e.report(c.subject(), "animals #%d says that %s is %s, which it was not", c.N, id, flaw)
				case !has && a.surely(flaw, c):
					e.report(c.subject(), "animals #%d does not say that %s is %s, which it was", c.N, id, flaw)
				}
			}
		}
	}
}

// checkAnimal: an animal has been changed as often as operators were told, and perhaps as often more as they were told
// that nobody knows; and it is what the last of these changes makes of it, where that is known.
func (e *evidence) checkAnimal(user, id game.ID) {
	animal, changes := e.facts.Animals[id], e.animalOf(user, id).changes
	made, possible := which(changes, happened), which(changes, (*call).possible)
	about := subject{user: user, animal: id}
	if animal.Changes < len(made) || animal.Changes > len(possible) {
		e.report(about, "animal %s has been changed %d times, and %d to %d changes were made", id, animal.Changes, len(made), len(possible))
	}
	is := flawsOf(animal.Stage, animal.Status, animal.Dead)
	for _, c := range made {
		last := !slices.ContainsFunc(possible, func(o *call) bool { return o != c && !o.before(c) })
		if last && (c.Becomes == fit && len(is) > 0 || c.Becomes != fit && !slices.Contains(is, c.Becomes)) {
			e.report(about, "animal %s is %s by the last change, #%d, and it is %v", id, c.Becomes, c.N, is)
		}
	}
}
