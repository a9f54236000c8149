package store

import (
	"context"
	"errors"

	"github.com/ranch-game/ranch/shared/game"
)

// listLimit is the size of a list of shows (docs/rules.md, S8.9).
const listLimit = 50

// Shows returns the first 50 shows by closing time, then id, that have the status and the tier; "" is no filter. Values
// no show can have give an empty list without a read. Two round trips: the board, then the gates of the open shows,
// whose counts are right at any time (1 RCU a gate); one where all are completed.
func (s *Store) Shows(ctx context.Context, status game.ShowStatus, tier string) ([]game.ListedShow, error) {
	switch status {
	case "", game.ShowOpen, game.ShowCompleted:
	default:
		return []game.ListedShow{}, nil
	}
	if len(tier) > game.MaxTierBytes {
		return []game.ListedShow{}, nil
	}
	items, _, err := s.query(ctx, span{PK: boardPK(status, tier)}, "", listLimit)
	if err != nil {
		return nil, err
	}
	return s.listShows(ctx, items)
}

// AllShows returns every show that has the status, "" for all, in the order of lists. For operators: it costs what the
// shows weigh.
func (s *Store) AllShows(ctx context.Context, status game.ShowStatus) ([]game.ListedShow, error) {
	items, err := s.queryAll(ctx, span{PK: boardPK(status, "")})
	if err != nil {
		return nil, err
	}
	return s.listShows(ctx, items)
}

// listShows turns rows of a board into shows, with the counts of the gates of the open ones.
func (s *Store) listShows(ctx context.Context, items []attributes) ([]game.ListedShow, error) {
	rows := make([]*boardItem, len(items))
	var gates []key
	for i, av := range items {
		var err error
		if rows[i], err = unmarshal[boardItem](av); err != nil {
			return nil, err
		}
		if rows[i].Status == game.ShowOpen {
			gates = append(gates, gateKeys(rows[i].ID, rows[i].Gates)...)
		}
	}
	counts, err := s.batchGet(ctx, "PK, SK, n", gates...)
	if err != nil {
		return nil, err
	}
	shows := make([]game.ListedShow, len(rows))
	for i, row := range rows {
		shows[i] = game.ListedShow{Show: row.show(), EntryCount: row.Count}
		if row.Status != game.ShowOpen {
			continue
		}
		for _, k := range gateKeys(row.ID, row.Gates) {
			gate, err := in[gateItem](counts, k)
			if err != nil {
				return nil, err
			}
			if gate != nil { // else the show is just becoming visible, and nobody has entered through it
				shows[i].EntryCount += gate.Count
			}
		}
	}
	return shows, nil
}

func gateKeys(show game.ID, gates int) []key {
	keys := make([]key, gates)
	for k := range keys {
		keys[k] = gateKey(show, k)
	}
	return keys
}

// callerAndShow reads both in one round trip, each nil when there is none.
func (s *Store) callerAndShow(ctx context.Context, caller, show game.ID) (*game.Account, *showItem, error) {
	keys := []key{userKey(caller)}
	if show != "" {
		keys = append(keys, showKey(show))
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return nil, nil, err
	}
	user, userErr := in[userItem](found, userKey(caller))
	item, showErr := in[showItem](found, showKey(show))
	return user.account(), item, errors.Join(userErr, showErr)
}
