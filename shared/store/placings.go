package store

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// Placings returns the results of a player in completed shows, by show. They are empty if the player has no entry in
// the show. It reads only the player's sheets, usually 1 RCU each, in one round trip for all shows.
func (s *Store) Placings(ctx context.Context, player game.ID, completed []*records.ShowItem) (map[game.ID]records.Placings, error) {
	keys := make(map[game.ID]table.Key)
	var onSheets []table.Key
	for _, show := range completed {
		if show.Sheets > 0 {
			keys[show.ID] = show.Verdict().SheetKey(records.SheetOf(player, show.Sheets))
			onSheets = append(onSheets, keys[show.ID])
		}
	}
	sheets, err := s.Sheets(ctx, onSheets)
	if err != nil {
		return nil, err
	}
	placings := make(map[game.ID]records.Placings, len(completed))
	for _, show := range completed {
		results := show.Results
		if show.Sheets > 0 {
			results = sheets[keys[show.ID]]
		}
		if placings[show.ID], err = results.Find(player); err != nil {
			return nil, fmt.Errorf("results of %s: %w", show.ID, err)
		}
	}
	return placings, nil
}

// shows returns shows by id. Its first reads are eventually consistent, which cost half as much. A completed show does
// not change, so the only error of such a read is to find the show before its completion. So it reads all shows that
// were missing or not completed again, with strong consistency.
func (s *Store) shows(ctx context.Context, ids []game.ID) (map[game.ID]*records.ShowItem, error) {
	shows := make(map[game.ID]*records.ShowItem, len(ids))
	for _, consistent := range []bool{false, true} {
		keys := make([]table.Key, len(ids))
		for i, id := range ids {
			keys[i] = records.ShowKey(id)
		}
		read := s.Table.BatchGetEventually
		if consistent {
			read = s.Table.BatchGet
		}
		found, err := read(ctx, "", keys...)
		if err != nil {
			return nil, err
		}
		var others []game.ID
		for i, id := range ids {
			show, err := table.In[records.ShowItem](found, keys[i])
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
func completed(shows map[game.ID]*records.ShowItem) (completed []*records.ShowItem) {
	for _, show := range shows {
		if show.Status == game.ShowCompleted {
			completed = append(completed, show)
		}
	}
	return completed
}

// Sheets returns sheets of completed shows. It returns table.ErrDamaged if a sheet is missing.
func (s *Store) Sheets(ctx context.Context, keys []table.Key) (map[table.Key]records.Sheet, error) {
	found, err := s.Table.BatchGet(ctx, "", keys...)
	if err != nil {
		return nil, err
	}
	sheets := make(map[table.Key]records.Sheet, len(keys))
	for _, k := range keys {
		item, err := table.In[records.SheetItem](found, k)
		switch {
		case err != nil:
			return nil, err
		case item == nil:
			return nil, fmt.Errorf("%w: sheet %s is missing", table.ErrDamaged, k.PK)
		}
		sheets[k] = item.Results
	}
	return sheets, nil
}
