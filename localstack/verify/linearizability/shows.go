package linearizability

import (
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func (o Enter) steps(c *Call, _ *history) []step {
	return whole(c, c.Answer, func(w World) ([]result, error) {
		r := game.EntryRequest{Caller: w.user(o.Caller), Now: o.Now}
		show, there := w.Shows[o.Show]
		if there {
			r.Show = &show.Show
			_, r.Entered = show.Entries[o.Animal]
		}
		if a, there := w.Animals[o.Animal]; there && a.Owner == o.Caller {
			r.Animal = &a.Animal
		}
		if err := r.Check(); err != nil {
			return nil, err
		}
		if !show.Free() {
			w = w.withGold(game.FeeEntry(*r.Caller, show.Show, o.Now), c)
		}
		show.Entries = with(show.Entries, o.Animal, Entry{
			Player: o.Caller, Username: r.Caller.Username, AnimalName: r.Animal.Name, Breed: r.Animal.Breed, RarityTier: r.Animal.RarityTier,
			CreatedAt: o.Now, by: c,
		})
		return only(w.withShow(show), show.EntryFee)
	})
}

func (o Claim) steps(c *Call, _ *history) []step {
	return whole(c, c.Answer, func(w World) ([]result, error) {
		caller := w.user(o.Caller)
		if caller == nil || caller.Status != game.UserActive {
			return nil, game.ErrUnauthorized
		}
		show := w.Shows[o.Show]
		rank, entered := show.best(o.Caller)
		if show.Status != game.ShowCompleted || !entered {
			return nil, game.ErrNothingToClaim
		}
		if _, claimed := show.Receipts[o.Caller]; claimed {
			return nil, game.ErrAlreadyClaimed
		}
		prize := game.Prize(show.Tier, rank)
		if prize > 0 {
			w = w.withGold(game.RewardEntry(*caller, show.Show, rank, prize, o.Now), c)
		}
		show.Receipts = with(show.Receipts, o.Caller, Receipt{Rank: rank, Prize: prize, ClaimedAt: o.Now, by: c})
		return only(w.withShow(show), Prize{rank, prize})
	})
}

// best returns the best rank of a player's entries, or 0 for no rank. entered is false if the player has no entry.
func (s Show) best(player game.ID) (rank int, entered bool) {
	for animal, e := range s.Entries {
		if e.Player != player {
			continue
		}
		entered = true
		if p, ranked := s.Results[animal]; ranked && (rank == 0 || p.Rank < rank) {
			rank = p.Rank
		}
	}
	return rank, entered
}

func (o Judge) steps(c *Call, _ *history) []step {
	return judging(c, o.Show, string(o.Caller), o.Now, func(w World, show Show) error {
		caller := w.user(o.Caller)
		switch {
		case caller == nil || caller.Status != game.UserActive:
			return game.ErrUnauthorized
		case show.Status != game.ShowOpen:
			return game.ErrShowNotOpen
		}
		return nil
	})
}

func (o Due) steps(c *Call, _ *history) []step {
	return judging(c, o.Show, store.JudgedByDue, o.Now, func(_ World, show Show) error {
		switch {
		case show.Status != game.ShowOpen:
			return game.ErrShowNotOpen
		case show.AcceptsEntriesAt(o.Now):
			return store.ErrNotDue
		}
		return nil
	})
}

// judging returns the only step of a judging. may returns the refusal of the rules, or nil. If the show does not exist,
// may gets a zero Show.
func judging(c *Call, id game.ID, by string, now game.Instant, may func(w World, show Show) error) []step {
	answered, _ := c.Answer.([]game.Contestant)
	return whole(c, append(contestants{}, answered...), func(w World) ([]result, error) {
		show := w.Shows[id]
		if err := may(w, show); err != nil {
			return nil, err
		}
		show.Status, show.JudgedAt, show.JudgedBy = game.ShowCompleted, &now, by
		var results []result
		for _, ranked := range rankings(w, show, c) {
			judged := show
			judged.Results = map[game.ID]Placing{}
			for _, contestant := range ranked {
				judged.Results[contestant.Animal] = Placing{contestant.Rank, contestant.Score}
			}
			results = append(results, result{w.withRecord(judged, c), ranked})
		}
		return results, nil
	})
}

// contestants is the answer of a judging. If no animal takes part, it is empty, not nil.
type contestants []game.Contestant

// rankings returns the possible results of a judging: several, if animals change during the judging.
func rankings(w World, show Show, c *Call) []contestants {
	scorer := game.NewScorer(show.ID)
	all := []contestants{{}}
	for animal, entry := range show.Entries {
		var longer []contestants
		for _, score := range scores(scorer, w.Animals[animal], c) {
			for _, others := range all {
				others = slices.Clone(others)
				if score != nil {
					others = append(others, game.Contestant{Animal: animal, Player: entry.Player, Entered: entry.CreatedAt, Score: *score})
				}
				longer = append(longer, others)
			}
		}
		all = longer
	}
	for _, ranked := range all {
		game.Rank(ranked)
	}
	return all
}

// scores returns the scores that an animal can get in a judging: by its newest state, and by its states before changes
// that were under way when the judging began. A nil score means that the animal takes no part.
func scores(scorer game.Scorer, a Animal, judging *Call) (scores []*game.Fixed) {
	for {
		var score *game.Fixed
		if a.Phenotype != nil {
			score = new(scorer.Score(a.ID, *a.Phenotype, a.Condition))
		}
		scores = append(scores, score)
		if a.was == nil || !underWay(a.by, judging) {
			return scores
		}
		a = *a.was
	}
}
