package store

import (
	"context"
	"fmt"
	"math"

	"github.com/ranch-game/ranch/shared/game"
)

// The kinds of work that a PendingWork is.
const (
	WorkRefunds = "refunds" // of a cancelled show: Refund goes on
	WorkNames   = "names"   // of a deleted user, in entries: DeleteUser goes on
	WorkJudging = "judging" // of a show that has closed
)

// PendingWork is what was begun, or is due, and not done.
type PendingWork struct {
	Work  string
	Show  game.ID      // "" of names
	User  game.ID      // of names alone
	Since game.Instant // when the show closed or was to close; 0 of names
	Left  int          // entries without a refund, or with a name; 0 of judgings
}

// Pending returns all work that is pending at that instant: judgings and refunds by closing time, then names. It reads
// the whole table to find deleted users: 1 RCU for every 4 KB.
func (s *Store) Pending(ctx context.Context, now game.Instant) ([]PendingWork, error) {
	all := []PendingWork{}
	due, err := s.DueShows(ctx, now, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	for _, show := range due {
		all = append(all, PendingWork{Work: WorkJudging, Show: show.ID, Since: show.ClosedAt})
	}
	refunds, err := s.pendingRefunds(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, refunds...)
	err = s.EachAccount(ctx, func(account game.Account) error {
		if account.Status != game.UserDeleted {
			return nil
		}
		named, err := s.named(ctx, account.ID)
		if named > 0 {
			all = append(all, PendingWork{Work: WorkNames, User: account.ID, Left: named})
		}
		return err
	})
	return all, err
}

// pendingRefunds returns the cancelled shows whose refunds are pending, by closing time, without a scan: 1 RCU for each
// cancelled show and about 16 rows of the board, and for each one that is pending what its entries weigh and 1 for each
// entry.
func (s *Store) pendingRefunds(ctx context.Context) ([]PendingWork, error) {
	cancelled, err := s.AllShows(ctx, game.ShowCancelled)
	if err != nil {
		return nil, err
	}
	var refunds []PendingWork
	for _, show := range cancelled {
		left, pending, err := s.unrefunded(ctx, show.ID)
		if err != nil {
			return nil, fmt.Errorf("refunds of %s: %w", show.ID, err)
		}
		if pending {
			refunds = append(refunds, PendingWork{Work: WorkRefunds, Show: show.ID, Since: show.EntryClosesAt, Left: left})
		}
	}
	return refunds, nil
}

// unrefunded returns how many entries of a cancelled show have not got their fee back, and whether the show's refunds
// are pending.
func (s *Store) unrefunded(ctx context.Context, show game.ID) (left int, pending bool, err error) {
	item, err := s.showItem(ctx, show)
	if err != nil || item == nil || item.RefundedAt > 0 {
		return 0, false, err
	}
	entries, err := s.entriesOf(ctx, show, item.Gates, "PK, SK, u")
	if err != nil {
		return 0, false, err
	}
	var keys []key
	for _, e := range entries {
		keys = append(keys, participationKey(e.Player, item.Season, show, idIn(e.SK)))
	}
	found, err := s.batchGet(ctx, "PK, SK, fe, rf", keys...)
	if err != nil {
		return 0, false, err
	}
	for _, k := range keys {
		part, err := in[participationItem](found, k)
		if err != nil || part == nil || part.Fee != nil && part.Refund == 0 { // a damaged one is not refunded either
			left++
		}
	}
	return left, true, nil
}

// named returns how many entries of a deleted user have a name, in their own item or on a page of results.
func (s *Store) named(ctx context.Context, user game.ID) (n int, err error) {
	shows, _, err := s.participations(ctx, user)
	if err != nil {
		return 0, err
	}
	var keys []key
	var completed []*showItem
	for show, animals := range shows {
		if show.Status == game.ShowCompleted {
			completed = append(completed, show)
		}
		for _, animal := range animals {
			keys = append(keys, entryKey(show.ID, animal, show.Gates))
		}
	}
	named := map[game.ID]bool{} // entries
	found, err := s.batchGet(ctx, "PK, SK, un", keys...)
	if err != nil {
		return 0, err
	}
	for k := range found {
		entry, err := in[entryItem](found, k)
		if err != nil {
			return 0, err
		}
		named[game.EntryID(showIn(k.PK), idIn(k.SK))] = entry.PlayerUsername != game.DeletedPlayer
	}
	placings, err := s.standings(ctx, user, completed)
	if err != nil {
		return 0, err
	}
	for _, show := range completed {
		for _, p := range placings[show.ID] {
			entries, err := s.places(ctx, show, p.place, p.place+1)
			if err != nil {
				return 0, err
			}
			named[entries[0].ID] = named[entries[0].ID] || entries[0].PlayerUsername != game.DeletedPlayer
		}
	}
	for _, is := range named {
		if is {
			n++
		}
	}
	return n, nil
}
