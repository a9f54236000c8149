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
// Three round trips with one gate, one more with several, and one more with sheets; 8 WCU, without a prize 6. Nothing it writes grows with the show.
func (s *Store) Claim(ctx context.Context, caller, show game.ID, now game.Instant) (rank int, prize int64, err error) {
	id := game.NewID() // the receipt's id, by which this call knows its own
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
		claim, err := s.claimable(ctx, caller, item)
		if receipt := claim.receipt; err == nil && receipt != nil {
			if receipt.ID == id { // an attempt that was given up as lost has been applied since
				return receipt.Rank, receipt.Prize, nil
			}
			err = game.ErrAlreadyClaimed
		}
		if err != nil {
			return 0, 0, err
		}
		if claim.judged {
			prize := game.Prize(item.Tier, claim.rank)
			receipt := claimItem{key: claimKey(show, caller, item.Gates), ID: id, Rank: claim.rank, Prize: prize, ClaimedAt: now}
			err = s.commit(ctx, s.claimTransaction(*user, item.show(), claim.animals, receipt))
			if err == nil {
				return claim.rank, prize, nil
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
	keys := []key{participation, receipt}
	if item.Gates == 1 { // known before the animals are
		keys = append(keys, gateKey(item.ID, 0))
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return claimable{}, err
	}
	part, partErr := in[participationItem](found, participation)
	claimed, claimedErr := in[claimItem](found, receipt)
	if err := errors.Join(partErr, claimedErr); err != nil {
		return claimable{}, err
	}
	if part == nil {
		return claimable{}, game.ErrNothingToClaim
	}
	if claimed != nil {
		return claimable{receipt: claimed}, nil
	}
	standings, err := s.standings(ctx, part.stakes(), found)
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
