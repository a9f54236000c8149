package logcheck

import (
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// checkShow compares the records of one show with each other.
func (c *Checker) checkShow(show game.ID, records []*Record) {
	var judging *Record
	for _, r := range records {
		if (r.Kind != Judge && r.Kind != JudgeDue) || r.Outcome != Done {
			continue
		}
		if judging != nil {
			c.violation("judged twice", fmt.Sprintf("show %s was judged twice", show), *judging, *r)
		}
		judging = r
	}
	if judging != nil {
		c.checkJudged(show, judging, records)
	}
	c.checkAnimals(show, records)
	c.checkClaims(show, judging, records)
}

// checkJudged compares a judging with all else that was asked of its show.
func (c *Checker) checkJudged(show game.ID, judging *Record, records []*Record) {
	first := firstEntry(records)
	entered := map[game.ID]bool{} // players who had an entry when the judging began
	entries := 0
	for _, r := range records {
		if r.Kind == Enter && r.Outcome == Done && c.before(r.Ended, judging.Began) {
			entered[r.User] = true
			entries++
		}
	}
	for _, r := range records {
		switch {
		case r.Kind == Enter && r.Outcome == Done && c.before(judging.Ended, r.Began):
			c.violation("entered after the judging", fmt.Sprintf("show %s was entered after it had been judged", show), *judging, *r)
		case r.Kind == Claim && r.Outcome == Done && c.before(r.Ended, judging.Began):
			c.violation("claimed before the judging", fmt.Sprintf("a prize of show %s was claimed before it was judged", show), *r, *judging)
		case r.Kind == Judge && r.wellKnown(game.ErrShowNotOpen) && first != nil && c.before(first.Ended, r.Began) && c.before(r.Ended, judging.Began):
			c.violation("not open before the judging", fmt.Sprintf("a judge of show %s was told that it is not open, before it was judged", show), *r, *judging)
		case r.Kind == Claim && r.wellKnown(game.ErrNothingToClaim) && c.before(judging.Ended, r.Began) && entered[r.User]:
			c.violation("nothing to claim", fmt.Sprintf("player %s had entered show %s before it was judged, and was told that there is nothing to claim", r.User, show),
				*judging, *r)
		}
	}
	if judging.Kind == Judge && judging.Judged >= 0 && entries > judging.Judged {
		c.violation("left out", fmt.Sprintf("show %s had %d entries when its judging began, which counted %d", show, entries, judging.Judged), *judging)
	}
}

// firstEntry returns the entry that was answered first, nil where none was. From then on every call finds the show: one
// that is just being created may be on the board before that.
func firstEntry(records []*Record) (first *Record) {
	for _, r := range records {
		if r.Kind == Enter && r.Outcome == Done && (first == nil || r.Ended < first.Ended) {
			first = r
		}
	}
	return first
}

// checkAnimals looks for animals that have entered twice, where that is known.
func (c *Checker) checkAnimals(show game.ID, records []*Record) {
	entries := map[game.ID]*Record{}
	for _, r := range records {
		if r.Kind != Enter || r.Outcome != Done || r.Animal == "" {
			continue
		}
		if first := entries[r.Animal]; first != nil {
			c.violation("entered twice", fmt.Sprintf("animal %s has entered show %s twice", r.Animal, show), *first, *r)
		}
		entries[r.Animal] = r
	}
}

// checkClaims looks for prizes that were claimed twice, or that were said to be claimed and were not. The judging is
// nil where it is not among the records.
func (c *Checker) checkClaims(show game.ID, judging *Record, records []*Record) {
	claims := map[game.ID]*Record{} // that may have been done: the first one by when it began
	paid := map[game.ID]*Record{}
	for _, r := range records {
		if r.Kind != Claim || !r.may() {
			continue
		}
		if first := claims[r.User]; first == nil || r.Began < first.Began {
			claims[r.User] = r
		}
		if r.Outcome != Done {
			continue
		}
		if first := paid[r.User]; first != nil {
			c.violation("claimed twice", fmt.Sprintf("player %s has claimed the prize of show %s twice", r.User, show), *first, *r)
		}
		paid[r.User] = r
	}
	for _, r := range records {
		if judging == nil || r.Kind != Claim || !r.wellKnown(game.ErrAlreadyClaimed) {
			continue
		}
		if first := claims[r.User]; (first == nil || c.before(r.Ended, first.Began)) && len(c.lost) == 0 && c.covered(r.Began) {
			c.violation("not claimed", fmt.Sprintf("player %s was told that the prize of show %s is claimed, and had not claimed it", r.User, show), *r)
		}
	}
}

// checkUser compares the records of one user with each other.
func (c *Checker) checkUser(user game.ID, records []*Record) {
	var registration *Record
	for _, r := range records {
		if r.Kind == Register && r.Outcome == Done {
			if registration != nil {
				c.violation("registered twice", fmt.Sprintf("user %s has registered twice", user), *registration, *r)
			}
			registration = r
			if r.Paid != game.StartingGold {
				c.violation("starting gold", fmt.Sprintf("user %s began with %d gold", user, r.Paid), *r)
			}
		}
	}
	if registration == nil {
		return
	}
	for _, r := range records {
		if r.Kind != Register && r.Outcome == Done && c.before(r.Ended, registration.Began) {
			c.violation("before the registration", fmt.Sprintf("user %s did something before registering", user), *r, *registration)
		}
	}
}
