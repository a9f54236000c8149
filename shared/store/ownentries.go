package store

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// OwnEntries is a page of a user's entries.
type OwnEntries struct {
	Entries []game.OwnEntry
	Last    game.ID // the next page is after this entry
	More    bool    // there are older entries
}

// OwnQuery selects a page of a user's entries.
type OwnQuery struct {
	Season game.ID // "" for the active one
	Show   game.ID // if set, entries in this show, whatever Season is
	After  game.ID // the page begins after this entry; "" for the first page
	Limit  int
}

// OwnEntries returns a page of a user's entries in a season or a show, newest first, or game.ErrUnauthorized if the
// user was deleted. The page is empty if the user has no entries there, if there is no such show or no active season,
// and if After is not one of the entries.
//
// It costs 2 RCU, plus 1 RCU for about 20 of the user's entries in the season or the show. Each entry of the page costs
// at most 1.5 RCU more, or 2.5 if the show has more than 100 entries. Up to six round trips.
func (s *Store) OwnEntries(ctx context.Context, user game.ID, q OwnQuery) (OwnEntries, error) {
	prefix, err := s.ownPrefix(ctx, user, q)
	if err != nil || prefix == "" {
		return OwnEntries{Entries: []game.OwnEntry{}}, err
	}
	entries, err := table.QueryAs(ctx, s.Table, table.Prefixed(records.UserPK(user), prefix), (*records.ParticipationItem).Entry)
	if err != nil {
		return OwnEntries{}, err
	}
	slices.SortFunc(entries, func(a, b game.OwnEntry) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	if q.After != "" {
		at := slices.IndexFunc(entries, func(e game.OwnEntry) bool { return e.ID == q.After })
		if at < 0 {
			at = len(entries) - 1
		}
		entries = entries[at+1:]
	}
	page := OwnEntries{More: len(entries) > q.Limit}
	entries = entries[:min(q.Limit, len(entries))]
	if len(entries) > 0 {
		page.Last = entries[len(entries)-1].ID
	}
	page.Entries, err = s.withShows(ctx, user, entries)
	return page, err
}

// ownPrefix returns the beginning of the sort keys of the selected participations, or "" if they cannot exist.
func (s *Store) ownPrefix(ctx context.Context, user game.ID, q OwnQuery) (table.SK, error) {
	if q.Show != "" {
		account, show, err := s.callerAndShow(ctx, user, q.Show)
		if err == nil && IsGone(account) {
			err = game.ErrUnauthorized
		}
		if err != nil || show == nil {
			return "", err
		}
		return records.ParticipationPrefix(show.Season) + table.SK(q.Show) + "#", nil
	}
	var account *game.Account
	active := &game.Season{ID: q.Season}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { account, err = s.Account(ctx, user); return err })
	if q.Season == "" {
		group.Go(func() (err error) { active, err = s.ActiveSeason(ctx); return err })
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	switch {
	case IsGone(account):
		return "", game.ErrUnauthorized
	case active == nil:
		return "", nil
	}
	return records.ParticipationPrefix(active.ID), nil
}

// CheckCaller returns game.ErrUnauthorized if the caller was deleted. One round trip, 1 RCU.
func (s *Store) CheckCaller(ctx context.Context, caller game.ID) error {
	account, _, err := s.callerAndShow(ctx, caller, "")
	if err == nil && IsGone(account) {
		err = game.ErrUnauthorized
	}
	return err
}

// IsGone reports whether an account was deleted or never existed.
func IsGone(account *game.Account) bool { return account == nil || account.Status == game.UserDeleted }

// withShows adds the shows' values to entries of a user. It leaves out an entry whose show is missing, or whose
// completed show has no result for it: the table is damaged.
func (s *Store) withShows(ctx context.Context, user game.ID, entries []game.OwnEntry) ([]game.OwnEntry, error) {
	ids := make([]game.ID, len(entries))
	for i := range entries {
		ids[i] = entries[i].ShowID
	}
	slices.Sort(ids)
	shows, err := s.shows(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	standings, err := s.Standings(ctx, user, completed(shows))
	if err != nil {
		return nil, err
	}
	receipts := map[game.ID]table.Key{} // one for each show: a claim has all of its receipts, or none
	var keys []table.Key
	for id, theirs := range standings {
		if len(theirs) > 0 {
			receipts[id] = shows[id].Verdict().ClaimKey(theirs[0].Place)
			keys = append(keys, receipts[id])
		}
	}
	claims, err := s.Table.BatchGet(ctx, records.ProjectKeys, keys...)
	if err != nil {
		return nil, err
	}
	listed := make([]game.OwnEntry, 0, len(entries))
	for _, e := range entries {
		show := shows[e.ShowID]
		if show == nil {
			continue
		}
		e.ShowName, e.Tier, e.EntryFee, e.EntryClosesAt = show.Name, show.Tier, show.EntryFee, show.EntryClosesAt
		e.ShowStatus, e.JudgedAt = show.Status, show.JudgedAt
		if show.Status == game.ShowCompleted {
			theirs := standings[show.ID]
			p, is, err := s.placingOf(ctx, show, theirs, e.AnimalID)
			if err != nil {
				return nil, err
			}
			if !is {
				continue
			}
			reward := int64(0)
			if p.Place == theirs[0].Place {
				reward = game.Prize(show.Tier, p.Rank())
			}
			var result game.Entry
			p.GiveTo(&result)
			e.Score, e.Rank, e.GoldReward = result.Score, result.Rank, &reward
			_, e.RewardClaimed = claims[receipts[show.ID]]
		}
		listed = append(listed, e)
	}
	return listed, nil
}

// placingOf finds the animal's placing among its player's in a completed show, or returns false. It reads pages only if
// several animals of the player in the show have the same mark. One pair in 65,536 has, by chance.
func (s *Store) placingOf(ctx context.Context, show *records.ShowItem, theirs records.Placings, animal game.ID) (records.Placing, bool, error) {
	candidates := theirs.Of(animal)
	if len(candidates) == 1 {
		return candidates[0], true, nil
	}
	for _, p := range candidates {
		entries, err := s.Places(ctx, show, p.Place, p.Place+1)
		if err != nil {
			return records.Placing{}, false, err
		}
		if entries[0].AnimalID == animal {
			return p, true, nil
		}
	}
	return records.Placing{}, false, nil
}
