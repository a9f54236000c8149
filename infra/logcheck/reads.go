package logcheck

import (
	"maps"
	"slices"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/shared/game"
)

// mostListed is the most shows in a list (docs/rules.md, S8.2). A list with that many may leave out others.
const mostListed = 50

// checkAnswer compares the answer to a call with the possible states during the call, and with the stored results.
func (c *Checker) checkAnswer(r *Record) {
	switch r.Kind {
	case List:
		if !r.damaged {
			c.checkList(r)
		}
	case Detail:
		if s := c.showOf(r.Show); s.known {
			c.checkDetail(r, s)
		}
	case Me:
		if balances := c.balances(r); r.Answer.Gold != nil && !slices.Contains(balances, *r.Answer.Gold) {
			c.wrong(r, "it has %d gold, and the player had %v", *r.Answer.Gold, balances)
		}
	case Animals:
		c.checkAnimals(r)
	case Season:
		c.checkScore(r)
	case Judge:
		s := c.showOf(r.Show)
		for _, p := range r.Answer.Placed {
			placing := s.stored.Placings[p.Animal]
			if entry := s.stored.Entries[p.Animal]; placing.Rank != p.Rank || placing.Score.String() != p.Score || entry.Player != p.Player {
				c.wrong(r, "it has animal %s of %s on rank %d with the score %s, and the results have it on rank %d with %v", p.Animal, p.Player, p.Rank, p.Score, placing.Rank, placing.Score)
			}
		}
	case Claim:
		if receipt := c.showOf(r.Show).stored.Receipts[r.User]; receipt != (invariants.Receipt{Rank: r.Answer.Rank, Prize: r.Paid}) {
			c.wrong(r, "it was answered rank %d and %d gold, and the receipt has rank %d and %d gold", r.Answer.Rank, r.Paid, receipt.Rank, receipt.Prize)
		}
	}
}

// checkStatus compares the status of a show in an answer with the statuses that the show may have had during the call.
func (c *Checker) checkStatus(r *Record, s *show, status game.ShowStatus) {
	switch {
	case status == game.ShowOpen && c.certain(s.ended, r):
		c.wrong(r, "it has show %s as open, which had ended before", s.id)
	case status != game.ShowOpen && status != s.stored.Status:
		c.wrong(r, "it has show %s as %s, which is %s", s.id, status, s.stored.Status)
	case status != game.ShowOpen && !c.possible(s.ended, r):
		c.wrong(r, "it has show %s as %s, which it was not yet", s.id, status)
	}
}

// checkDetail checks the answer to a read of one show. It must have every entry that was made before the call, no entry
// that was never made, and all results of a judging or none.
func (c *Checker) checkDetail(r *Record, s *show) {
	status := r.Answer.State
	c.checkStatus(r, s, status)
	seen := map[game.ID]bool{}
	for _, p := range r.Answer.Placed {
		seen[p.Animal] = true
		entry, there := s.stored.Entries[p.Animal]
		rank := 0
		if status == game.ShowCompleted {
			rank = s.stored.Placings[p.Animal].Rank
		}
		switch {
		case !there || entry.Player != p.Player:
			c.wrong(r, "it has an entry of animal %s that is not there", p.Animal)
		case !c.possible(s.entered(p.Animal), r):
			c.wrong(r, "it has an entry of animal %s that no call had begun to make", p.Animal)
		case p.Rank != rank:
			c.wrong(r, "it is %s and has animal %s on rank %d, not %d", status, p.Animal, p.Rank, rank)
		}
	}
	for animal := range s.stored.Entries {
		if !seen[animal] && (status != game.ShowOpen || c.certain(s.entered(animal), r)) {
			c.wrong(r, "it is %s and lacks the entry of animal %s", status, animal)
		}
	}
}

// checkList checks a list of shows. It must have every show that certainly existed during the call, once, with values
// that the show may have had.
func (c *Checker) checkList(r *Record) {
	listed := map[game.ID]bool{}
	for _, row := range r.Answer.Listed {
		s := c.showOf(row.ID)
		switch {
		case !s.known:
			c.wrong(r, "it has show %s, which is not there", row.ID)
			continue
		case listed[row.ID]:
			c.wrong(r, "it has show %s twice", row.ID)
		case r.Answer.Filter != "" && row.Status != r.Answer.Filter:
			c.wrong(r, "it has show %s as %s, and was asked for those that are %s", row.ID, row.Status, r.Answer.Filter)
		}
		listed[row.ID] = true
		c.checkStatus(r, s, row.Status)
		c.checkCount(r, s, row)
	}
	for id := range c.facts.Shows {
		if len(r.Answer.Listed) < mostListed && !listed[id] && c.mustList(r, c.showOf(id)) {
			c.wrong(r, "it lacks show %s", id)
		}
	}
}

// checkCount checks the number of a show's entries in a list. It must include the entries that were certainly made
// before the call, and may include those that were possibly made.
func (c *Checker) checkCount(r *Record, s *show, row Listed) {
	least, most := int64(0), int64(0)
	for animal := range s.stored.Entries {
		entered := s.entered(animal)
		if row.Status != game.ShowOpen || c.certain(entered, r) {
			least++
		}
		if row.Status != game.ShowOpen || c.possible(entered, r) {
			most++
		}
	}
	if row.Count < least || row.Count > most {
		c.wrong(r, "it has show %s as %s with %d entries, not %d to %d", s.id, row.Status, row.Count, least, most)
	}
}

// mustList reports whether a list must have the show, because the show had the requested status during the whole call.
// The list may lack a show that is being created, or whose closing time an operator is changing.
func (c *Checker) mustList(r *Record, s *show) bool {
	moves := c.meets(r, which(of(s.calls, SetShow), func(o *Record) bool { return o.Answer.Terms.EntryClosesAt != nil }))
	switch filter := r.Answer.Filter; {
	case moves || !c.certain(state{makers: of(s.calls, CreateShow)}, r):
		return false
	case filter == "":
		return true
	case filter == game.ShowOpen:
		return !c.possible(s.ended, r)
	default:
		return filter == s.stored.Status && c.certain(s.ended, r)
	}
}

// checkAnimals checks a player's list of animals. It must have all animals of the player and no others, with values
// that they may have had during the call.
func (c *Checker) checkAnimals(r *Record) {
	for id, animal := range c.facts.Animals {
		if _, listed := r.Answer.Animals[id]; listed != (animal.Owner == r.User) {
			c.wrong(r, "it has animal %s of player %s: %v", id, animal.Owner, listed)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.Answer.Animals)) {
		for _, flaw := range Flaws {
			flawed := c.flawed(r.User, id, flaw)
			switch has := slices.Contains(r.Answer.Animals[id], flaw); {
			case has && !c.possible(flawed, r):
				c.wrong(r, "it has animal %s as %s, which it was not", id, flaw)
			case !has && c.certain(flawed, r):
				c.wrong(r, "it does not have animal %s as %s, which it was", id, flaw)
			}
		}
	}
}

// checkScore checks a player's season score. It must include the points of all judgings that ended before the call. Of
// a judging during the call, it includes all points or none.
func (c *Checker) checkScore(r *Record) {
	sums := map[int64]bool{0: true}
	for id, stored := range c.facts.Shows {
		if stored.Status != game.ShowCompleted {
			continue
		}
		points := int64(0)
		for animal, entry := range stored.Entries {
			if entry.Player == r.User {
				points += game.SeasonPoints(stored.Placings[animal].Rank)
			}
		}
		if points == 0 {
			continue
		}
		s := c.showOf(id)
		counts := c.certain(s.ended, r) && c.certain(s.by(Enter, r.User), r)
		with := map[int64]bool{}
		for sum := range sums {
			with[sum+points] = true
			if !counts {
				with[sum] = true
			}
		}
		sums = with
	}
	if !sums[r.Answer.Score] {
		c.wrong(r, "the score of %d is no sum of whole judgings", r.Answer.Score)
	}
}
