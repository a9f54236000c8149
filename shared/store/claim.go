package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// Claim pays the caller's prize in a completed show, once, for its best-ranked entry, and returns that entry's rank (0: unranked) and the prize. A
// prize of 0 is claimed too, without a ledger row. A zero show names none.
//
// The conditions of the write, and the race each stops:
//
//	receipt        must not exist          simultaneous claims
//	participation  the animals as read     an entry that is still becoming visible: a conflict, not a lost prize
//	user           active                  a ban in between
//	user           ledger number as read   any other change of the balance in between (only with a prize)
//	ledger         must not exist          a gap or a double in the ledger (only with a prize)
//
// Three round trips with one gate, four with more or with sheets; 8 WCU, without a prize 6. Nothing it writes grows with the show.
func (s *Store) Claim(ctx context.Context, caller, show game.ID, now game.Instant) (rank int, prize int64, err error) {
	for attempt := 1; ; attempt++ {
		user, item, err := s.callerAndShow(ctx, caller, show)
		switch {
		case err != nil:
			return 0, 0, err
		case user == nil || user.Status != game.UserActive:
			return 0, 0, game.ErrUnauthorized
		case item == nil || item.Status != game.ShowCompleted:
			return 0, 0, game.ErrNothingToClaim
		}
		animals, rank, judged, err := s.claimable(ctx, caller, item)
		if err != nil {
			return 0, 0, err
		}
		if judged {
			prize := game.Prize(item.Tier, rank)
			err = s.commit(ctx, s.claimTransaction(*user, item, animals, rank, prize, now))
			if err == nil {
				return rank, prize, nil
			}
			if !errors.Is(err, errStale) {
				return 0, 0, err
			}
		}
		if err := backoff(ctx, attempt); err != nil {
			return 0, 0, fmt.Errorf("claiming: %w", err)
		}
	}
}

// claimable reads the caller's animals in the show and the best of their ranks, 0 when none is ranked; judged is false while the judging is
// still becoming visible.
func (s *Store) claimable(ctx context.Context, caller game.ID, item *showItem) (animals []game.ID, best int, judged bool, err error) {
	participation, receipt := participationKey(caller, item.Season, item.ID), claimKey(item.ID, caller, item.Gates)
	keys := []key{participation, receipt}
	if item.Gates == 1 { // known before the animals are
		keys = append(keys, gateKey(item.ID, 0))
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return nil, 0, false, err
	}
	if found[participation] == nil {
		return nil, 0, false, game.ErrNothingToClaim
	}
	if found[receipt] != nil {
		return nil, 0, false, game.ErrAlreadyClaimed
	}
	part, err := in[participationItem](found, participation)
	if err != nil {
		return nil, 0, false, err
	}
	standings, err := s.standings(ctx, part.stakes(), found)
	if err != nil {
		return nil, 0, false, err
	}
	for _, st := range standings {
		if !st.judged {
			return nil, 0, false, nil
		}
		if st.rank > 0 && (best == 0 || st.rank < best) {
			best = st.rank
		}
	}
	return part.Animals, best, true, nil
}

func (s *Store) claimTransaction(caller game.Account, item *showItem, animals []game.ID, rank int, prize int64, now game.Instant) *transaction {
	show := item.show()
	t := s.begin()
	t.create(claimItem{key: claimKey(show.ID, caller.ID, item.Gates), Rank: rank, Prize: prize, ClaimedAt: now}, errStale)
	t.check(participationKey(caller.ID, show.SeasonID, show.ID), "an = :animals", attributes{":animals": stringSet(animals...)}, errStale)
	if prize > 0 {
		s.moveGold(t, caller, game.RewardEntry(caller, show, rank, prize, now))
	} else {
		t.check(userKey(caller.ID), "st = :active", attributes{":active": str(string(game.UserActive))}, errStale)
	}
	return t
}
