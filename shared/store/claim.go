package store

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/tally"
)

// Claim pays the prize of the caller's best-ranked entry in a completed show, once. It returns the entry's rank (0:
// unranked) and the prize. A prize of 0 is claimed too, without a ledger row. Claim returns game.ErrUnauthorized if the
// caller is not active, game.ErrNothingToClaim if the caller has no entry in a completed show with this id, and
// game.ErrAlreadyClaimed.
//
// The conditions of the write, and the race each stops:
//
//	receipts  must not exist          simultaneous claims; each page with entries of the caller has a receipt
//	user      status as read          a ban in between, even if undone
//	user      ledger number as read   any other change of the balance in between (only with a prize)
//	ledger    must not exist          a gap or a double in the ledger (only with a prize)
//
// The prize needs no condition: all results exist before the show's item points to them, and only usernames in them
// change. So a player without results has no entry.
//
// Two round trips, three in a show of more than 100 entries. 6 WCU, or 4 without a prize, and 2 for each further page
// with entries of the caller. The cost does not grow with the show.
func (s *Store) Claim(ctx context.Context, caller, show game.ID, now game.Instant) (rank int, prize int64, err error) {
	c := claimCall{store: s, caller: caller, show: show, now: now, id: game.NewID()}
	if err := s.Table.Decide(ctx, "claiming", c.try); err != nil {
		return 0, 0, err
	}
	tally.Add(ctx, tally.GoldPaid, c.receipt.Prize)
	return c.receipt.Rank, c.receipt.Prize, nil
}

// claimCall is one call of Claim.
type claimCall struct {
	store        *Store
	caller, show game.ID
	now          game.Instant
	id           game.ID           // of the receipt, by which the call recognises it
	receipt      records.ClaimItem // what the last attempt wrote
	tried        bool              // whether the call has tried to write it
}

// errClaimed is the failed condition of a receipt that must not exist.
var errClaimed = fmt.Errorf("the prize has a receipt: %w", table.ErrAgain)

// try reads, decides and writes once.
func (c *claimCall) try(ctx context.Context) error {
	s := c.store
	user, item, err := s.callerAndShow(ctx, c.caller, c.show)
	if err != nil {
		return err
	}
	if item != nil && item.Status == game.ShowOpen {
		// A list may show the show as completed before its item is visible as completed.
		if item, err = table.GetSettled[records.ShowItem](ctx, s.Table, item.Key); err != nil {
			return err
		}
	}
	refusal := claimRefusal(user, item)
	if refusal != nil && (!c.tried || item == nil) {
		return refusal
	}
	shows, err := s.Placings(ctx, c.caller, []*records.ShowItem{item})
	if err != nil {
		return err
	}
	placings := shows[c.show]
	if len(placings) == 0 {
		return game.ErrNothingToClaim
	}
	if c.tried {
		// A lost attempt of this call may have paid before the reason for the refusal arose.
		receipt, err := table.GetSettled[records.ClaimItem](ctx, s.Table, item.Verdict().ClaimKey(placings[0].Place))
		switch {
		case err != nil:
			return err
		case receipt != nil && receipt.Call == c.id:
			c.receipt = *receipt
			return nil
		case refusal != nil:
			return refusal
		case receipt != nil:
			return game.ErrAlreadyClaimed
		}
	}
	rank := placings[0].Rank()
	c.receipt = records.ClaimItem{Call: c.id, Player: c.caller, Rank: rank, Prize: game.Prize(item.Tier, rank), ClaimedAt: c.now}
	c.tried = true
	return s.claimTransaction(*user, item, placings, c.receipt).Commit(ctx)
}

// claimRefusal returns why the caller may not claim anything in the show, or nil.
func claimRefusal(user *game.Account, item *records.ShowItem) error {
	switch {
	case user == nil || user.Status != game.UserActive:
		return game.ErrUnauthorized
	case item == nil || item.Status != game.ShowCompleted:
		return game.ErrNothingToClaim
	}
	return nil
}

func (s *Store) claimTransaction(caller game.Account, show *records.ShowItem, theirs records.Placings, receipt records.ClaimItem) *table.Transaction {
	t := s.Table.Begin()
	for _, r := range receipt.OnPages(show.Verdict(), theirs) {
		t.Create(r, errClaimed)
	}
	if receipt.Prize > 0 {
		row := game.RewardEntry(caller, show.Show(), receipt.Rank, receipt.Prize, receipt.ClaimedAt)
		MoveGold(t, caller, row)
		t.Create(records.NewLedgerItem(row), table.ErrStale)
	} else {
		t.Check(records.UserKey(caller.ID), records.UserAsRead(caller), table.ErrStale)
	}
	return t
}
