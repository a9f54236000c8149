package store

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// Claim pays the caller's prize in a completed show, once, for its best-ranked entry, and returns that entry's rank (0:
// unranked) and the prize. A prize of 0 is claimed too, without a ledger row. A zero show names none.
//
// The conditions of the write, and the race each stops:
//
//	receipt  must not exist          simultaneous claims
//	user     status as read          a ban in between, also one that is taken back
//	user     ledger number as read   any other change of the balance in between (only with a prize)
//	ledger   must not exist          a gap or a double in the ledger (only with a prize)
//
// What is claimed needs no condition: the results that say so cannot be stale. A judging alone writes them, once, with
// every entry of the show, in the transaction that completes it, and nothing changes them after. What is not visible of
// them while the show is completed is waited for, so that who is not in them has no entry.
//
// Three round trips, one more with sheets; 6 WCU, without a prize 4. Nothing it writes grows with the show.
func (s *Store) Claim(ctx context.Context, caller, show game.ID, now game.Instant) (rank int, prize int64, err error) {
	c := claiming{store: s, caller: caller, show: show, now: now, id: game.NewID()}
	if err := s.decide(ctx, "claiming", c.try); err != nil {
		return 0, 0, err
	}
	tally.Add(ctx, tally.GoldPaid, c.receipt.Prize)
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
	receipt, first, err := s.receiptAndResults(ctx, c.caller, item)
	switch {
	case err != nil:
		return err
	case receipt != nil && receipt.ID == c.id:
		// An attempt that was given up as lost has been applied since.
		c.receipt = *receipt
		return nil
	case first == nil: // the judging is still becoming visible
		return errStale
	}
	standings, err := s.standings(ctx, c.caller, map[game.ID]*sheetItem{c.show: first})
	if err != nil {
		return err
	}
	placings := standings[c.show]
	switch {
	case placings.len() == 0:
		return game.ErrNothingToClaim
	case receipt != nil:
		return game.ErrAlreadyClaimed
	}
	rank := placings.best()
	c.receipt = claimItem{
		key: claimKey(c.show, c.caller, item.Gates), ID: c.id, Rank: rank, Prize: game.Prize(item.Tier, rank), ClaimedAt: c.now,
	}
	c.tried = true
	return s.commit(ctx, s.claimTransaction(*user, item.show(), c.receipt))
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

// receiptAndResults reads the caller's receipt and the first item of the show's results, each nil when it is not there.
func (s *Store) receiptAndResults(ctx context.Context, caller game.ID, show *showItem) (*claimItem, *sheetItem, error) {
	receipt, results := claimKey(show.ID, caller, show.Gates), resultsKey(show.ID)
	found, err := s.batchGet(ctx, "", receipt, results)
	if err != nil {
		return nil, nil, err
	}
	claimed, claimedErr := in[claimItem](found, receipt)
	first, firstErr := in[sheetItem](found, results)
	return claimed, first, errors.Join(claimedErr, firstErr)
}

func (s *Store) claimTransaction(caller game.Account, show game.Show, receipt claimItem) *transaction {
	t := s.begin()
	t.create(receipt, errStale)
	if receipt.Prize > 0 {
		row := game.RewardEntry(caller, show, receipt.Rank, receipt.Prize, receipt.ClaimedAt)
		s.moveGold(t, caller, row)
		t.create(newLedgerItem(row), errStale)
	} else {
		t.checkStatus(caller)
	}
	return t
}
