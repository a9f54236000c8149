package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// standings returns what the results say of a player, by judged show: no placings where the player has no entry. One
// item decides whether a show is judged, the first of its results, which the caller has read; nil stands for one that
// is not there. Nothing is read unless results are on sheets: then the one that the player is on, 1 RCU per 4 KB, in
// one round trip for all shows.
func (s *Store) standings(ctx context.Context, player game.ID, firsts map[game.ID]*sheetItem) (map[game.ID]placings, error) {
	var keys []key
	for show, first := range firsts {
		if first != nil && first.Sheets > 1 {
			keys = append(keys, sheetKey(show, sheetOf(player, first.Sheets)))
		}
	}
	sheets, err := s.sheets(ctx, keys)
	if err != nil {
		return nil, err
	}
	standings := make(map[game.ID]placings, len(firsts))
	for show, first := range firsts {
		if first == nil {
			continue
		}
		results := sheet(first.Results)
		if first.Sheets > 1 {
			results = sheets[sheetKey(show, sheetOf(player, first.Sheets))].Results
		}
		if standings[show], err = results.find(player); err != nil {
			return nil, fmt.Errorf("results of %s: %w", show, err)
		}
	}
	return standings, nil
}

// firsts reads the first items of the results of shows, nil where there is none. One round trip, two where a show has
// no results; half an RCU for each show of up to 170 results, at most 3, and for one without results one and a half.
func (s *Store) firsts(ctx context.Context, shows []game.ID) (map[game.ID]*sheetItem, error) {
	keys := make([]key, len(shows))
	for i, show := range shows {
		keys[i] = resultsKey(show)
	}
	found, err := s.batchGetFinal(ctx, keys...)
	if err != nil {
		return nil, err
	}
	firsts := make(map[game.ID]*sheetItem, len(shows))
	for i, show := range shows {
		if firsts[show], err = in[sheetItem](found, keys[i]); err != nil {
			return nil, err
		}
	}
	return firsts, nil
}

// sheets reads the results of judged shows, and reads again until all are there: they were written together with what
// named them.
func (s *Store) sheets(ctx context.Context, keys []key) (map[key]*sheetItem, error) {
	sheets := make(map[key]*sheetItem, len(keys))
	for attempt := 1; len(keys) > 0; attempt++ {
		found, err := s.batchGet(ctx, "", keys...)
		if err != nil {
			return nil, err
		}
		keys = slices.DeleteFunc(keys, func(k key) bool { return found[k] != nil })
		for k := range found {
			if sheets[k], err = in[sheetItem](found, k); err != nil {
				return nil, err
			}
		}
		if len(keys) > 0 {
			if err := s.backoff(ctx, attempt); err != nil {
				return nil, fmt.Errorf("%d sheets of a judged show are missing: %w", len(keys), err)
			}
		}
	}
	return sheets, nil
}
