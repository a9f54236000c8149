package store

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// standings returns the results of a player in completed shows, by show. They are empty if the player has no entry in
// the show. It reads only the player's sheets, usually 1 RCU each, in one round trip for all shows.
func (s *Store) standings(ctx context.Context, player game.ID, completed []*showItem) (map[game.ID]placings, error) {
	keys := make(map[game.ID]key)
	var onSheets []key
	for _, show := range completed {
		if show.Sheets > 0 {
			keys[show.ID] = show.verdict().sheetKey(sheetOf(player, show.Sheets))
			onSheets = append(onSheets, keys[show.ID])
		}
	}
	sheets, err := s.sheets(ctx, onSheets)
	if err != nil {
		return nil, err
	}
	standings := make(map[game.ID]placings, len(completed))
	for _, show := range completed {
		results := show.Results
		if show.Sheets > 0 {
			results = sheets[keys[show.ID]]
		}
		if standings[show.ID], err = results.find(player); err != nil {
			return nil, fmt.Errorf("results of %s: %w", show.ID, err)
		}
	}
	return standings, nil
}

// shows returns shows by id. Its first reads are eventually consistent, which cost half as much. A completed show does
// not change, so the only error of such a read is to find the show before its completion. So it reads all shows that
// were missing or not completed again, with strong consistency.
func (s *Store) shows(ctx context.Context, ids []game.ID) (map[game.ID]*showItem, error) {
	shows := make(map[game.ID]*showItem, len(ids))
	for _, consistent := range []bool{false, true} {
		keys := make([]key, len(ids))
		for i, id := range ids {
			keys[i] = showKey(id)
		}
		read := s.table.BatchGetEventually
		if consistent {
			read = s.table.BatchGet
		}
		found, err := read(ctx, "", keys...)
		if err != nil {
			return nil, err
		}
		var others []game.ID
		for i, id := range ids {
			show, err := in[showItem](found, keys[i])
			if err != nil {
				return nil, err
			}
			if show != nil && (consistent || show.Status == game.ShowCompleted) {
				shows[id] = show
			} else {
				others = append(others, id)
			}
		}
		if ids = others; len(ids) == 0 {
			break
		}
	}
	return shows, nil
}

// completed returns those of the shows that are completed.
func completed(shows map[game.ID]*showItem) (completed []*showItem) {
	for _, show := range shows {
		if show.Status == game.ShowCompleted {
			completed = append(completed, show)
		}
	}
	return completed
}

// sheets returns sheets of completed shows. It returns errDamaged if a sheet is missing.
func (s *Store) sheets(ctx context.Context, keys []key) (map[key]sheet, error) {
	found, err := s.table.BatchGet(ctx, "", keys...)
	if err != nil {
		return nil, err
	}
	sheets := make(map[key]sheet, len(keys))
	for _, k := range keys {
		item, err := in[sheetItem](found, k)
		switch {
		case err != nil:
			return nil, err
		case item == nil:
			return nil, fmt.Errorf("%w: sheet %s is missing", errDamaged, k.PK)
		}
		sheets[k] = item.Results
	}
	return sheets, nil
}
