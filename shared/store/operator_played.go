package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// PlayedShow is a show that a user has entries in, with those entries and the user's claim.
type PlayedShow struct {
	Show    game.Show
	Entries []game.Entry // in the order of the show's list
	Receipt *Receipt     // nil: the user has claimed nothing
}

// Receipt says what a user has claimed in a show.
type Receipt struct {
	Rank      *int         `json:"rank"` // null: unranked
	Prize     int64        `json:"prize"`
	ClaimedAt game.Instant `json:"claimedAt"`
}

// errNotVisible means that the table is damaged, or that a write takes longer than ever to become visible.
var errNotVisible = errors.New("a part of the data is not visible: repeat the command in a minute; if it fails again, the table is damaged: table verify names the records, show repair repairs a show")

// PlayedShows returns the shows that a user has entries in, by closing time, then id. It returns an error if a part of
// an entry stays invisible after several reads. For operators: at most 7 RCU for each entry, 2 for each show, and the
// size of the participations.
func (s *Store) PlayedShows(ctx context.Context, user game.ID) (shows []PlayedShow, err error) {
	complete, err := settled(ctx, 1+entryRereads, func() (complete bool, err error) {
		shows, complete, err = s.readPlayed(ctx, user)
		return complete, err
	})
	if err == nil && !complete {
		return nil, errNotVisible
	}
	return shows, err
}

// EntryCount returns how many entries a user has, in all seasons. For operators: 1 RCU for about 40.
func (s *Store) EntryCount(ctx context.Context, user game.ID) (int, error) {
	span := prefixed(userPK(user), seasonPrefix)
	span.projection = "PK"
	items, err := s.queryAll(ctx, span)
	return len(items), err
}

// participations returns the shows that a user takes part in, each with the animals. complete is false if one of these
// shows is missing.
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

// readPlayed reads the shows once. complete is false if a part of them is not visible yet.
func (s *Store) readPlayed(ctx context.Context, user game.ID) (played []PlayedShow, complete bool, err error) {
	shows, complete, err := s.participations(ctx, user)
	if err != nil || !complete {
		return nil, false, err
	}
	var keys []key
	var completed []*showItem
	for show, animals := range shows {
		if show.Status == game.ShowCompleted {
			completed = append(completed, show)
			continue
		}
		for _, animal := range animals {
			keys = append(keys, entryKey(show.ID, animal, show.Gates))
		}
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return nil, false, err
	}
	placings, err := s.standings(ctx, user, completed)
	if err != nil {
		return nil, false, err
	}
	for _, show := range slices.SortedFunc(maps.Keys(shows), func(a, b *showItem) int {
		return cmp.Or(cmp.Compare(a.EntryClosesAt, b.EntryClosesAt), cmp.Compare(a.ID, b.ID))
	}) {
		var of PlayedShow
		var err error
		if show.Status == game.ShowCompleted {
			of, err = s.playedResults(ctx, show, placings[show.ID])
		} else {
			of, err = playedEntries(show, shows[show], found)
		}
		if err != nil {
			return nil, false, err
		}
		if len(of.Entries) != len(shows[show]) {
			return nil, false, nil
		}
		played = append(played, of)
	}
	return played, true, nil
}

// playedEntries returns the entries, as found, of a user's animals in a show that is not completed.
func playedEntries(show *showItem, animals []game.ID, found batch) (PlayedShow, error) {
	played := PlayedShow{Show: show.show(), Entries: []game.Entry{}}
	for _, animal := range animals {
		item, err := in[entryItem](found, entryKey(show.ID, animal, show.Gates))
		if err != nil {
			return PlayedShow{}, err
		}
		if item != nil {
			played.Entries = append(played.Entries, item.entry(show.ID))
		}
	}
	game.SortEntries(played.Entries)
	return played, nil
}

// playedResults reads the entries of a user in a completed show, and their receipt.
func (s *Store) playedResults(ctx context.Context, show *showItem, theirs placings) (PlayedShow, error) {
	played := PlayedShow{Show: show.show(), Entries: []game.Entry{}}
	for i, p := range theirs {
		entries, err := s.places(ctx, show, p.place, p.place+1)
		if err != nil {
			return PlayedShow{}, err
		}
		played.Entries = append(played.Entries, entries...)
		if i > 0 {
			continue
		}
		receipt, err := get[claimItem](ctx, s, show.verdict().claimKey(p.place))
		switch {
		case err != nil:
			return PlayedShow{}, err
		case receipt != nil:
			played.Receipt = &Receipt{Prize: receipt.Prize, ClaimedAt: receipt.ClaimedAt}
			if receipt.Rank > 0 {
				played.Receipt.Rank = &receipt.Rank
			}
		}
	}
	return played, nil
}
