package store

import (
	"cmp"
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

// OwnEntries is a page of a user's entries.
type OwnEntries struct {
	Entries []game.OwnEntry
	Last    game.ID // the entry that the next page is behind
	More    bool    // there are older entries
}

// OwnQuery says which page of a user's entries is asked for.
type OwnQuery struct {
	Season game.ID // "" for the active one
	Show   game.ID // in place of a season
	After  game.ID // the entry behind which the page begins; "" for the first page
	Limit  int
}

// OwnEntries returns a page of a user's entries in a season or a show, newest first; game.ErrUnauthorized if there is
// no such user any more. A season or a show without entries of the user, and an After that is none of these entries,
// lead to an empty page.
//
// It costs 2 RCU, plus 1 RCU for about 20 of the user's entries in the season or the show, plus at most 1.5 RCU for
// each entry of the page (2.5 if the show has more than 100 entries). Up to six round trips.
func (s *Store) OwnEntries(ctx context.Context, user game.ID, q OwnQuery) (OwnEntries, error) {
	prefix, err := s.ownPrefix(ctx, user, q)
	if err != nil || prefix == "" {
		return OwnEntries{Entries: []game.OwnEntry{}}, err
	}
	items, err := s.queryAll(ctx, prefixed(userPK(user), prefix))
	if err != nil {
		return OwnEntries{}, err
	}
	entries, err := decodeAll(items, (*participationItem).entry)
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

// ownPrefix is what the sort keys of the participations that are asked for begin with; "" if there can be none.
func (s *Store) ownPrefix(ctx context.Context, user game.ID, q OwnQuery) (sk, error) {
	if q.Show != "" {
		account, show, err := s.callerAndShow(ctx, user, q.Show)
		if err == nil && isGone(account) {
			err = game.ErrUnauthorized
		}
		if err != nil || show == nil {
			return "", err
		}
		return participationPrefix(show.Season) + sk(q.Show) + "#", nil
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
	case isGone(account):
		return "", game.ErrUnauthorized
	case active == nil:
		return "", nil
	}
	return participationPrefix(active.ID), nil
}

// isGone reports whether an account was deleted, or never was.
func isGone(account *game.Account) bool { return account == nil || account.Status == game.UserDeleted }

// withShows adds to entries of a user what their shows say. It leaves out an entry whose show, or whose result, is not
// there: that is of a damaged table.
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
	standings, err := s.standings(ctx, user, completed(shows))
	if err != nil {
		return nil, err
	}
	receipts := map[game.ID]key{} // one for each show: all of a claim are there, or none
	var keys []key
	for id, theirs := range standings {
		if len(theirs) > 0 {
			receipts[id] = shows[id].verdict().claimKey(theirs[0].place)
			keys = append(keys, receipts[id])
		}
	}
	claims, err := s.batchGet(ctx, "PK, SK", keys...)
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
			if p.place == theirs[0].place {
				reward = game.Prize(show.Tier, p.rank())
			}
			var result game.Entry
			p.giveTo(&result)
			e.Score, e.Rank, e.GoldReward = result.Score, result.Rank, &reward
			_, e.RewardClaimed = claims[receipts[show.ID]]
		}
		listed = append(listed, e)
	}
	return listed, nil
}

// entry returns the entry that the participation is of, without what its show says.
func (i *participationItem) entry() game.OwnEntry {
	show, animal := i.show(), idIn(i.SK)
	return game.OwnEntry{
		ID: game.EntryID(show, animal), ShowID: show, AnimalID: animal, AnimalName: i.AnimalName, CreatedAt: i.CreatedAt,
	}
}

// placingOf finds the animal's placing among those of its player in a completed show; false if it has no placing. It
// reads pages only if the player has several animals of the same mark in the show, which chance makes of one pair in
// 65,536.
func (s *Store) placingOf(ctx context.Context, show *showItem, theirs placings, animal game.ID) (placing, bool, error) {
	candidates := theirs.of(animal)
	if len(candidates) == 1 {
		return candidates[0], true, nil
	}
	for _, p := range candidates {
		entries, err := s.places(ctx, show, p.place, p.place+1)
		if err != nil {
			return placing{}, false, err
		}
		if entries[0].AnimalID == animal {
			return p, true, nil
		}
	}
	return placing{}, false, nil
}
