package linearizability

import (
	"github.com/ranch-game/ranch/shared/game"
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

// best returns the best rank of a player's entries, 0 where none is ranked; false without an entry.
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
