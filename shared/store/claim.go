package store

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
)

// Claim pays the caller's prize in a completed show, once, for its best-ranked entry, and returns that entry's rank (0:
// unranked) and the prize. A prize of 0 is claimed too, without a ledger row. A zero show names none.
//
// The conditions of the write, and the race each stops:
//
//	receipt        must not exist          simultaneous claims
//	participation  the animals as read     an entry that is still becoming visible: a conflict, not a lost prize
//	user           active                  a ban in between
//	user           ledger number as read   any other change of the balance in between (only with a prize)
//	ledger         must not exist          a gap or a double in the ledger (only with a prize)
//
// Three round trips, one more with sheets; 8 WCU, without a prize 6. Nothing it writes grows with the show.
func (s *Store) Claim(ctx context.Context, caller, show game.ID, now game.Instant) (rank int, prize int64, err error) {
	c := claiming{store: s, caller: caller, show: show, now: now, id: game.NewID()}
	if err := decide(ctx, "claiming", c.try); err != nil {
		return 0, 0, err
	}
	return c.receipt.Rank, c.receipt.Prize, nil
}

// claiming is one call of Claim.
type claiming struct {
	store        *Store
	caller, show game.ID
	now          game.Instant
	id           game.ID   // of the receipt, by which the call knows its own
	receipt      claimItem // once it is written
	tried        bool      // to write it
}

// try reads, decides and writes once.
func (c *claiming) try(ctx context.Context) error {
	s := c.store
	user, item, err := s.callerAndShow(ctx, c.caller, c.show)
	if err != nil {
		return err
	}
	if refusal := claimRefusal(user, item); refusal != nil {
		if !c.tried || item == nil {
			return refusal
		}
		// What is in the way may have come after an attempt of this call that was given up as lost, and has paid.
		receipt, err := get[claimItem](ctx, s, claimKey(c.show, c.caller, item.Gates))
		switch {
		case err != nil:
			return err
		case receipt == nil || receipt.ID != c.id:
			return refusal
		}
		c.receipt = *receipt
		return nil
	}
	found, err := s.claimable(ctx, c.caller, item)
	switch {
	case err != nil:
		return err
	case found.receipt != nil && found.receipt.ID == c.id:
		// An attempt that was given up as lost has been applied since.
		c.receipt = *found.receipt
		return nil
	case found.receipt != nil:
		return game.ErrAlreadyClaimed
	case !found.judged:
		return errStale
	}
	c.receipt = claimItem{
		key: claimKey(c.show, c.caller, item.Gates), ID: c.id, Rank: found.rank, Prize: game.Prize(item.Tier, found.rank), ClaimedAt: c.now,
	}
	c.tried = true
	return s.commit(ctx, s.claimTransaction(*user, item.show(), found.animals, c.receipt))
}

// claimRefusal is why the caller may not claim anything in the show, nil where it may have something to claim.
func claimRefusal(user *game.Account, item *showItem) error {
	switch {
	case user == nil || user.Status != game.UserActive:
		return game.ErrUnauthorized
	case item == nil || item.Status != game.ShowCompleted:
		return game.ErrNothingToClaim
	}
	return nil
}

// claimable is what a caller's claim goes by.
type claimable struct {
	receipt *claimItem // of a claim that was made before; then nothing else is known
	animals []game.ID  // the caller's, in the show
	rank    int        // the best of theirs, 0 when none is ranked
	judged  bool       // false while the judging is still becoming visible
}

// claimable reads what the caller has in the show.
func (s *Store) claimable(ctx context.Context, caller game.ID, item *showItem) (claimable, error) {
	participation, receipt := participationKey(caller, item.Season, item.ID), claimKey(item.ID, caller, item.Gates)
	results := resultsKey(item.ID)
	found, err := s.batchGet(ctx, "", participation, receipt, results)
	if err != nil {
		return claimable{}, err
	}
	part, partErr := in[participationItem](found, participation)
	claimed, claimedErr := in[claimItem](found, receipt)
	first, firstErr := in[sheetItem](found, results)
	if err := errors.Join(partErr, claimedErr, firstErr); err != nil {
		return claimable{}, err
	}
	if part == nil {
		return claimable{}, game.ErrNothingToClaim
	}
	if claimed != nil {
		return claimable{receipt: claimed}, nil
	}
	standings, err := s.standings(ctx, part.stakes(), map[game.ID]*sheetItem{item.ID: first})
	if err != nil {
		return claimable{}, err
	}
	claim := claimable{animals: part.Animals, judged: true}
	for _, st := range standings {
		claim.judged = claim.judged && st.judged
		if st.rank > 0 && (claim.rank == 0 || st.rank < claim.rank) {
			claim.rank = st.rank
		}
	}
	return claim, nil
}

func (s *Store) claimTransaction(caller game.Account, show game.Show, animals []game.ID, receipt claimItem) *transaction {
	t := s.begin()
	t.create(receipt, errStale)
	t.check(participationKey(caller.ID, show.SeasonID, show.ID), "an = :animals", attributes{":animals": stringSet(animals...)}, errStale)
	if receipt.Prize > 0 {
		s.moveGold(t, caller, game.RewardEntry(caller, show, receipt.Rank, receipt.Prize, receipt.ClaimedAt))
	} else {
		t.check(userKey(caller.ID), "st = :active", attributes{":active": str(string(game.UserActive))}, errStale)
	}
	return t
}
