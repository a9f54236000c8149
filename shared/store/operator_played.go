package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// PlayedShow is a show that a user has entries in, with all that it has of theirs.
type PlayedShow struct {
	Show    game.Show
	Entries []game.Entry // in the order of the show's list
	Receipt *Receipt     // nil: nothing is claimed
}

// Receipt says what a user has claimed in a show.
type Receipt struct {
	Rank      *int         `json:"rank"` // null: unranked
	Prize     int64        `json:"prize"`
	ClaimedAt game.Instant `json:"claimedAt"`
}

// errNotVisible means that a table is damaged, or that what is on its way takes longer than anything does.
var errNotVisible = errors.New("the table does not show all of it: see whether it does in a minute")

// PlayedShows returns the shows that a user has entries in, by closing time, then id. For operators: 2 RCU for each
// show and its results, 1 for each entry, and what the participations weigh.
func (s *Store) PlayedShows(ctx context.Context, user game.ID) ([]PlayedShow, error) {
	for attempt := 1; ; attempt++ {
		shows, complete, err := s.readPlayed(ctx, user)
		if err != nil || complete {
			return shows, err
		}
		if attempt > entryRereads {
			return nil, errNotVisible
		}
		if err := pause(ctx, settling); err != nil {
			return nil, err
		}
	}
}

// participations returns the shows that a user takes part in, each with the animals. It returns false where a show is
// not there, although the user takes part in it.
func (s *Store) participations(ctx context.Context, user game.ID) (shows map[*showItem][]game.ID, complete bool, err error) {
	span := prefixed(userPK(user), seasonPrefix)
	span.projection = "PK, SK"
	items, err := s.queryAll(ctx, span)
	if err != nil {
		return nil, false, err
	}
	animals := map[game.ID][]game.ID{}
	for _, av := range items {
		item, err := unmarshal[participationItem](av)
		if err != nil {
			return nil, false, err
		}
		animals[item.show()] = append(animals[item.show()], idIn(item.SK))
	}
	keys := make([]key, 0, len(animals))
	for show := range animals {
		keys = append(keys, showKey(show))
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return nil, false, err
	}
	shows = make(map[*showItem][]game.ID, len(animals))
	for k := range found {
		item, err := in[showItem](found, k)
		if err != nil {
			return nil, false, err
		}
		shows[item] = animals[item.ID]
	}
	return shows, len(shows) == len(animals), nil
}

// readPlayed returns false where something is not visible yet that must be there.
func (s *Store) readPlayed(ctx context.Context, user game.ID) (played []PlayedShow, complete bool, err error) {
	shows, complete, err := s.participations(ctx, user)
	if err != nil || !complete {
		return nil, false, err
	}
	var keys, results []key
	showOf := map[key]game.ID{} // of results
	for show, animals := range shows {
		keys = append(keys, claimKey(show.ID, user, show.Gates))
		for _, animal := range animals {
			keys = append(keys, entryKey(show.ID, animal, show.Gates))
		}
		if show.Status == game.ShowCompleted {
			results = append(results, resultsKey(show.ID))
			showOf[resultsKey(show.ID)] = show.ID
		}
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return nil, false, err
	}
	firsts, err := s.sheets(ctx, results)
	if err != nil {
		return nil, false, err
	}
	byShow := make(map[game.ID]*sheetItem, len(firsts))
	for k, first := range firsts {
		byShow[showOf[k]] = first
	}
	placings, err := s.standings(ctx, user, byShow)
	if err != nil {
		return nil, false, err
	}
	for _, show := range slices.SortedFunc(maps.Keys(shows), func(a, b *showItem) int {
		return cmp.Or(cmp.Compare(a.EntryClosesAt, b.EntryClosesAt), cmp.Compare(a.ID, b.ID))
	}) {
		of, complete, err := newPlayedShow(user, show, shows[show], found, placings[show.ID])
		if err != nil || !complete {
			return nil, false, err
		}
		played = append(played, of)
	}
	return played, true, nil
}

// newPlayedShow puts together what has been found of the user's animals in a show. It returns false where that is not
// all.
func newPlayedShow(user game.ID, show *showItem, animals []game.ID, found batch, theirs placings) (played PlayedShow, complete bool, err error) {
	played = PlayedShow{Show: show.show(), Entries: []game.Entry{}}
	receipt, err := in[claimItem](found, claimKey(show.ID, user, show.Gates))
	if err != nil {
		return PlayedShow{}, false, err
	}
	if receipt != nil {
		played.Receipt = &Receipt{Prize: receipt.Prize, ClaimedAt: receipt.ClaimedAt}
		if receipt.Rank > 0 {
			played.Receipt.Rank = &receipt.Rank
		}
	}
	for _, animal := range animals {
		item, err := in[entryItem](found, entryKey(show.ID, animal, show.Gates))
		if err != nil || item == nil {
			return PlayedShow{}, false, err
		}
		entry := item.entry()
		entry.RewardClaimed = receipt != nil
		played.Entries = append(played.Entries, entry)
	}
	if show.Status == game.ShowCompleted && !place(played.Entries, map[game.ID]placings{user: theirs}) {
		return PlayedShow{}, false, nil
	}
	game.SortEntries(played.Entries)
	return played, true, nil
}
