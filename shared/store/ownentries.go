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
	Last    game.OwnEntry // the next page is after this entry, which Unclaimed may have left out
	More    bool          // there are older entries; with Unclaimed, there may be
}

// OwnQuery selects a page of a user's entries.
type OwnQuery struct {
	Season    game.ID // "" for the active one
	Show      game.ID // if set, entries in this show, whatever Season is
	All       bool    // if set, entries of all seasons, whatever Season is
	From      game.ID // with All: the season of After, if the caller knows it; else the search for After costs more
	After     game.ID // the page begins after this entry; "" for the first page
	Unclaimed bool    // only entries with a prize that is not claimed
	Limit     int
}

// mostSeasons is how many seasons a page of unclaimed prizes reads, if one of them has an entry.
const mostSeasons = 7

// OwnEntries returns a page of a user's entries in a season or a show, newest first, or game.ErrUnauthorized if the
// user was deleted. With All, the season with the latest start comes first, then seasons of one start by id. The page
// is empty if the user has no entries there, if there is no such show or no active season, and if After is not one of
// the entries. With Unclaimed, the page has the unclaimed prizes among the next Limit entries, so it may be empty.
//
// It costs 2 RCU, plus 1 RCU for about 20 of the user's entries in each season or the show that it reads. Each entry of
// the page costs at most 1.5 RCU more, or 2.5 if the show has more than 100 entries. Up to six round trips. With All, it
// reads seasons until the page is full, at least 1 RCU each, with Unclaimed at most seven once it has found an entry;
// without From, also all seasons before that of After. That is one round trip more for two seasons, two for six.
func (s *Store) OwnEntries(ctx context.Context, user game.ID, q OwnQuery) (OwnEntries, error) {
	page := OwnEntries{Entries: []game.OwnEntry{}}
	prefixes, err := s.ownPrefixes(ctx, user, q)
	if err != nil {
		return page, err
	}
	var window []game.OwnEntry
	window, page.More, err = s.ownWindow(ctx, user, prefixes, q)
	if err != nil || len(window) == 0 {
		return page, err
	}
	page.Last = window[len(window)-1]
	page.Entries, err = s.withShows(ctx, user, window, q.Unclaimed)
	return page, err
}

// ownWindow returns the next entries of a list, without the values of their shows, and whether there are more. Each
// prefix selects a part of the list. It reads one part, then the next two at once, then four, until it has enough.
func (s *Store) ownWindow(ctx context.Context, user game.ID, prefixes []table.SK, q OwnQuery) (window []game.OwnEntry, more bool, err error) {
	begun := q.After == ""
	for first, n := 0, 1; first < len(prefixes); first, n = first+n, 2*n {
		if q.Unclaimed && first >= mostSeasons && len(window) > 0 {
			return window, true, nil
		}
		parts := make([][]game.OwnEntry, min(n, len(prefixes)-first))
		group, ctx := errgroup.WithContext(ctx)
		for i := range parts {
			group.Go(func() (err error) { parts[i], err = s.ownPart(ctx, user, prefixes[first+i]); return err })
		}
		if err := group.Wait(); err != nil {
			return nil, false, err
		}
		for _, part := range parts {
			if !begun {
				at := slices.IndexFunc(part, func(e game.OwnEntry) bool { return e.ID == q.After })
				if at < 0 {
					continue
				}
				begun, part = true, part[at+1:]
			}
			window = append(window, part...)
		}
		if len(window) > q.Limit {
			return window[:q.Limit], true, nil
		}
	}
	return window, false, nil
}

// ownPart returns the user's entries whose participations have the prefix, newest first.
func (s *Store) ownPart(ctx context.Context, user game.ID, prefix table.SK) ([]game.OwnEntry, error) {
	entries, err := table.QueryAs(ctx, s.Table, table.Prefixed(records.UserPK(user), prefix), (*records.ParticipationItem).Entry)
	slices.SortFunc(entries, func(a, b game.OwnEntry) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return entries, err
}

// ownPrefixes returns the beginnings of the sort keys of the selected participations, in the order of the list.
func (s *Store) ownPrefixes(ctx context.Context, user game.ID, q OwnQuery) ([]table.SK, error) {
	if q.Show != "" {
		account, show, err := s.callerAndShow(ctx, user, q.Show)
		if err == nil && IsGone(account) {
			err = game.ErrUnauthorized
		}
		if err != nil || show == nil {
			return nil, err
		}
		return []table.SK{records.ParticipationPrefix(show.Season) + table.SK(q.Show) + "#"}, nil
	}
	var account *game.Account
	seasons := []game.Season{{ID: q.Season}}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { account, err = s.Account(ctx, user); return err })
	switch {
	case q.All:
		group.Go(func() (err error) { seasons, err = s.latestSeasons(ctx); return err })
	case q.Season == "":
		group.Go(func() (err error) { seasons, err = s.activeSeasons(ctx); return err })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if IsGone(account) {
		return nil, game.ErrUnauthorized
	}
	if q.All && q.From != "" {
		at := slices.IndexFunc(seasons, func(s game.Season) bool { return s.ID == q.From })
		if at < 0 {
			return nil, nil
		}
		seasons = seasons[at:]
	}
	prefixes := make([]table.SK, len(seasons))
	for i, season := range seasons {
		prefixes[i] = records.ParticipationPrefix(season.ID)
	}
	return prefixes, nil
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
// completed show has no result for it: the table is damaged. If unclaimed is true, it leaves out all entries but those
// with a prize that is not claimed.
func (s *Store) withShows(ctx context.Context, user game.ID, entries []game.OwnEntry, unclaimed bool) ([]game.OwnEntry, error) {
	ids := make([]game.ID, len(entries))
	for i := range entries {
		ids[i] = entries[i].ShowID
	}
	slices.Sort(ids)
	shows, err := s.shows(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	placings, err := s.Placings(ctx, user, completed(shows))
	if err != nil {
		return nil, err
	}
	receipts := map[game.ID]table.Key{} // one for each show: a claim has all of its receipts, or none
	var keys []table.Key
	for id, theirs := range placings {
		if len(theirs) > 0 && (!unclaimed || game.Prize(shows[id].Tier, theirs[0].Rank()) > 0) {
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
		if show == nil || unclaimed && show.Status != game.ShowCompleted {
			continue
		}
		e.ShowName, e.Tier, e.EntryFee, e.EntryClosesAt = show.Name, show.Tier, show.EntryFee, show.EntryClosesAt
		e.ShowStatus, e.JudgedAt = show.Status, show.JudgedAt
		if show.Status == game.ShowCompleted {
			theirs := placings[show.ID]
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
			if unclaimed && (reward == 0 || e.RewardClaimed) {
				continue
			}
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
