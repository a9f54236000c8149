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

// ActiveSeason returns the active season, or nil. If several are active, it returns the first by start, then id. One
// round trip, 1 RCU.
func (s *Store) ActiveSeason(ctx context.Context) (*game.Season, error) {
	seasons, err := s.activeSeasons(ctx)
	if err != nil || len(seasons) == 0 {
		return nil, err
	}
	return &seasons[0], nil
}

// activeSeasons returns a list with the active season, or an empty one.
func (s *Store) activeSeasons(ctx context.Context) ([]game.Season, error) {
	active := table.Prefixed(records.SeasonsPK, records.ActiveSeasonPrefix)
	seasons, _, err := table.QueryPage(ctx, s.Table, active, "", 1, (*records.SeasonItem).Season)
	return seasons, err
}

// SeasonScore returns the sum of the points of the user's entries in completed shows of the season. It computes the sum
// from the results, so that the sum is right as soon as a judging has committed. If an entry of the user is not visible
// yet, its call has not returned yet, and the entry may not count. Two round trips, one more if a show is not
// completed, and one more if a completed show has sheets. 1 RCU for about 20 entries of the user; half an RCU for each
// completed show, and 1 more if it has sheets; 1.5 RCU for each other show.
func (s *Store) SeasonScore(ctx context.Context, user, season game.ID) (int64, error) {
	parts := table.Prefixed(records.UserPK(user), records.ParticipationPrefix(season))
	parts.Projection = records.ProjectKeys
	ids, err := table.QueryAs(ctx, s.Table, parts, (*records.ParticipationItem).Show) // in the order of their ids, once for each entry
	if err != nil {
		return 0, err
	}
	shows, err := s.shows(ctx, slices.Compact(ids))
	if err != nil {
		return 0, err
	}
	placings, err := s.Placings(ctx, user, completed(shows))
	if err != nil {
		return 0, err
	}
	score := int64(0)
	for _, theirs := range placings {
		for _, p := range theirs {
			score += game.SeasonPoints(p.Rank())
		}
	}
	return score, nil
}

// Season returns the season with the id, or nil. One round trip, 1 RCU.
func (s *Store) Season(ctx context.Context, id game.ID) (*game.Season, error) {
	item, err := table.Get[records.SeasonItem](ctx, s.Table, records.SeasonKey(id))
	if err != nil || item == nil {
		return nil, err
	}
	return new(item.Season()), nil
}

// seasonLimit is the size of a list of seasons (docs/rules.md, R-beyond-12).
const seasonLimit = 50

// LatestSeasons returns at most 50 seasons, the latest start first, then by id. It returns game.ErrUnauthorized if the
// caller was deleted. One round trip, 1 RCU, and 1 for about 20 seasons of the table.
func (s *Store) LatestSeasons(ctx context.Context, caller game.ID) ([]game.Season, error) {
	var account *game.Account
	var seasons []game.Season
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { account, err = s.Account(ctx, caller); return err })
	group.Go(func() (err error) { seasons, err = s.latestSeasons(ctx); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if IsGone(account) {
		return nil, game.ErrUnauthorized
	}
	return seasons[:min(seasonLimit, len(seasons))], nil
}

// latestSeasons returns all seasons, the latest start first, then by id. One round trip, 1 RCU for about 20 seasons.
func (s *Store) latestSeasons(ctx context.Context) ([]game.Season, error) {
	seasons, err := s.Seasons(ctx)
	slices.SortStableFunc(seasons, func(a, b game.Season) int { return cmp.Compare(b.StartDate, a.StartDate) })
	return seasons, err
}

// Seasons returns all seasons by start, then id.
func (s *Store) Seasons(ctx context.Context) ([]game.Season, error) {
	seasons, err := table.QueryAs(ctx, s.Table, table.Prefixed(records.SeasonsPK, records.SeasonPrefix), (*records.SeasonItem).Season)
	slices.SortFunc(seasons, func(a, b game.Season) int {
		return cmp.Or(cmp.Compare(a.StartDate, b.StartDate), cmp.Compare(a.ID, b.ID))
	})
	return seasons, err
}
