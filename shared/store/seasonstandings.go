package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// StandingsAt selects a page of a season's standings: at most one of After, Before and Around is set, or none for the
// first page.
type StandingsAt struct {
	Season        game.ID // "" for the active one
	After, Before game.ID // ids of players
	Around        bool    // the caller is in the middle; the first page if the caller is not in the standings
	Limit         int
}

// StandingsPlace is a player's place in a season's standings.
type StandingsPlace struct {
	Rank  int
	Score int64
}

// StandingsPage is a page of a season's standings. All of it is of one snapshot.
type StandingsPage struct {
	Season         game.ID         // "" without an active season
	AsOf           *game.Instant   // every judging that was answered before is in the snapshot; nil: there is no snapshot
	Players        int             // in the snapshot
	Me             *StandingsPlace // of the caller; nil if the caller is not in the snapshot
	Rows           []game.Standing // never nil, if there is no error
	Before, Behind bool            // whether there are players before the first row, and after the last one
}

// errOtherStandings means that a record of the standings is missing or of another fold. Two folds may have ended since
// the head was read; otherwise the table is damaged.
const errOtherStandings = table.Damage("records of the standings are missing, or of another fold: ranchctl season recount computes the standings anew")

// SeasonStandings returns a page of the live snapshot of a season's standings. If After or Before is not in it, the page
// has no rows. SeasonStandings returns game.ErrUnauthorized if the caller was deleted, and game.ErrSeasonUnknown if there
// is no such season. Deleted players have the name game.DeletedPlayer as soon as their entries have it; other names are
// those of the snapshot. Two to five round trips. A page of 100 rows costs at most 15 RCU, in a season of any size.
func (s *Store) SeasonStandings(ctx context.Context, caller game.ID, at StandingsAt) (page StandingsPage, err error) {
	season := at.Season
	if season == "" {
		active, err := s.ActiveSeason(ctx)
		if err != nil {
			return page, err
		}
		if active == nil {
			return StandingsPage{Rows: []game.Standing{}}, s.CheckCaller(ctx, caller)
		}
		season = active.ID
	}
	for look := 1; ; look++ {
		page, err = s.standingsPage(ctx, caller, season, at)
		if !errors.Is(err, errOtherStandings) || look > EntryRereads {
			return page, err
		}
	}
}

func (s *Store) standingsPage(ctx context.Context, caller, season game.ID, at StandingsAt) (StandingsPage, error) {
	found, err := s.Table.BatchGet(ctx, "", records.UserKey(caller), records.SeasonKey(season), records.StandingsKey(season))
	if err != nil {
		return StandingsPage{}, err
	}
	user, userErr := table.In[records.UserItem](found, records.UserKey(caller))
	head, headErr := table.In[records.StandingsItem](found, records.StandingsKey(season))
	page := StandingsPage{Season: season, Rows: []game.Standing{}}
	switch {
	case userErr != nil || headErr != nil:
		return page, errors.Join(userErr, headErr)
	case IsGone(user.Account()):
		return page, game.ErrUnauthorized
	case found[records.SeasonKey(season)] == nil:
		return page, game.ErrSeasonUnknown
	case head == nil || head.Live == 0:
		return page, nil
	}
	page.AsOf, page.Players = &head.AsOf, head.Players
	r := snapshotReader{Store: s, head: head}
	mark := cmp.Or(at.After, at.Before)
	places, err := r.find(ctx, caller, mark)
	if err != nil {
		return page, err
	}
	mine, isIn := places[caller]
	if isIn {
		row := r.row(mine)
		page.Me = &StandingsPlace{row.Rank, row.Score}
	}
	first, end := 0, head.Players
	switch place, is := places[mark]; {
	case mark != "" && !is:
		return page, nil
	case at.After != "":
		first = place + 1
	case at.Before != "":
		first, end = max(place-at.Limit, 0), place
	case at.Around && isIn:
		first = max(mine-at.Limit/2, 0)
	}
	end = min(first+at.Limit, end)
	page.Before, page.Behind = first > 0, end < head.Players
	page.Rows, err = r.rows(ctx, first, end)
	return page, err
}

// TopStandings returns the first rows of the live snapshot of a season's standings, as SeasonStandings does, without a
// caller: at most most rows, or all for 0. 2 RCU for 120 rows.
func (s *Store) TopStandings(ctx context.Context, season game.ID, most int) (StandingsPage, error) {
	page := StandingsPage{Season: season, Rows: []game.Standing{}}
	head, err := table.Get[records.StandingsItem](ctx, s.Table, records.StandingsKey(season))
	if err != nil || head == nil || head.Live == 0 {
		return page, err
	}
	end := head.Players
	if most > 0 {
		end = min(most, end)
	}
	page.AsOf, page.Players, page.Behind = &head.AsOf, head.Players, end < head.Players
	r := snapshotReader{Store: s, head: head}
	page.Rows, err = r.rows(ctx, 0, end)
	return page, err
}

// snapshotReader reads a live snapshot. Its errors are errOtherStandings if the records are not of this snapshot.
type snapshotReader struct {
	*Store
	head  *records.StandingsItem
	pages map[int][]game.Standing // those that were read, by their numbers
}

// load reads pages by their numbers, unless it has read them before.
func (r *snapshotReader) load(ctx context.Context, numbers ...int) error {
	live, keys := r.head.Snapshot(), map[table.Key]int{}
	for _, n := range numbers {
		if r.pages[n] == nil {
			keys[live.PageKey(n)] = n
		}
	}
	found, err := r.Table.BatchGet(ctx, "", slices.Collect(maps.Keys(keys))...)
	if err != nil {
		return err
	}
	if r.pages == nil {
		r.pages = make(map[int][]game.Standing, len(keys))
	}
	for k, n := range keys {
		page, err := table.In[records.StandingsPageItem](found, k)
		if err != nil {
			return err
		}
		if page == nil || page.Number != live.Number {
			return fmt.Errorf("%s: %w", k, errOtherStandings)
		}
		rows, err := page.Unpack()
		if err != nil || len(rows) != min(records.StandingsPlaces, r.head.Players-n*records.StandingsPlaces) {
			return fmt.Errorf("%s: %w", k, cmp.Or(err, error(errOtherStandings)))
		}
		r.pages[n] = rows
	}
	return nil
}

// row returns the row at a place, whose page was read.
func (r *snapshotReader) row(place int) game.Standing {
	return r.pages[place/records.StandingsPlaces][place%records.StandingsPlaces]
}

// find returns the places of players who are in the snapshot. It reads their pages.
func (r *snapshotReader) find(ctx context.Context, players ...game.ID) (map[game.ID]int, error) {
	live, on := r.head.Snapshot(), map[table.Key][]game.ID{} // the players on each index
	for _, player := range players {
		if indexes := live.Indexes(r.head.Players); player != "" && indexes > 0 {
			k := live.IndexKey(records.IndexOf(player, indexes))
			on[k] = append(on[k], player)
		}
	}
	found, err := r.Table.BatchGet(ctx, "", slices.Collect(maps.Keys(on))...)
	if err != nil {
		return nil, err
	}
	candidates, pages := map[game.ID][]int{}, []int(nil)
	for k, theirs := range on {
		index, err := table.In[records.StandingsIndexItem](found, k)
		if err != nil {
			return nil, err
		}
		if index == nil || index.Number != live.Number {
			return nil, fmt.Errorf("%s: %w", k, errOtherStandings)
		}
		for _, player := range theirs {
			if candidates[player], err = index.Of(player); err != nil {
				return nil, err
			}
			for _, place := range candidates[player] {
				pages = append(pages, place/records.StandingsPlaces)
			}
		}
	}
	if err := r.load(ctx, pages...); err != nil {
		return nil, err
	}
	places := map[game.ID]int{}
	for player, of := range candidates {
		for _, place := range of {
			if place < r.head.Players && r.row(place).PlayerID == player {
				places[player] = place
			}
		}
	}
	return places, nil
}

// rows returns the rows at the places from first to end-1.
func (r *snapshotReader) rows(ctx context.Context, first, end int) (rows []game.Standing, err error) {
	var pages []int
	for n := first / records.StandingsPlaces; n*records.StandingsPlaces < end; n++ {
		pages = append(pages, n)
	}
	if err := r.load(ctx, pages...); err != nil {
		return nil, err
	}
	rows = make([]game.Standing, 0, max(end-first, 0))
	hidden := records.PlayersIn(r.head.Hidden)
	for place := first; place < end; place++ {
		row := r.row(place)
		if hidden[row.PlayerID] {
			row.PlayerUsername = game.DeletedPlayer
		}
		rows = append(rows, row)
	}
	return rows, nil
}
