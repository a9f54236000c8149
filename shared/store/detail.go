package store

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// ShowWithEntries returns a show and its entries in the order of its list; game.ErrShowUnknown when there is none. No
// answer shows part of a judging: the show's own item decides whether results count, and where it is completed, every
// gate must be closed and every sheet there, else they are read again. Two round trips, three where results are on
// sheets; entries cost about 1 RCU for 14.
func (s *Store) ShowWithEntries(ctx context.Context, id game.ID) (game.Show, []game.Entry, error) {
	item, err := s.showItem(ctx, id)
	if err != nil {
		return game.Show{}, nil, err
	}
	if item == nil {
		return game.Show{}, nil, game.ErrShowUnknown
	}
	show := item.show()
	for attempt := 1; ; attempt++ {
		gates, err := s.readGates(ctx, id, item.Gates, claimPrefix, "")
		if err != nil {
			return game.Show{}, nil, err
		}
		if show.Status == game.ShowOpen || allClosed(gates) {
			entries, err := s.listEntries(ctx, show, gates)
			return show, entries, err
		}
		if err := backoff(ctx, attempt); err != nil {
			return game.Show{}, nil, fmt.Errorf("show %s is completed and a gate still open: %w", id, err)
		}
	}
}

// showItem reads a show; nil when there is none, also for the zero ID.
func (s *Store) showItem(ctx context.Context, id game.ID) (*showItem, error) {
	if id == "" {
		return nil, nil
	}
	return get[showItem](ctx, s, showKey(id))
}

func allClosed(gates []*gateContents) bool {
	for _, g := range gates {
		if g.gate.Open {
			return false
		}
	}
	return true
}

// listEntries joins the entries with the results and the receipts of their show.
func (s *Store) listEntries(ctx context.Context, show game.Show, gates []*gateContents) ([]game.Entry, error) {
	entries := []game.Entry{}
	for _, g := range gates {
		for i := range g.entries {
			entries = append(entries, g.entries[i].entry())
		}
	}
	if show.Status == game.ShowCompleted {
		results, err := s.allResults(ctx, show.ID, gates)
		if err != nil {
			return nil, err
		}
		claimed := map[game.ID]bool{}
		for _, g := range gates {
			for i := range g.claims {
				claimed[idIn(g.claims[i].SK)] = true
			}
		}
		for i := range entries {
			e := &entries[i]
			e.RewardClaimed = claimed[e.PlayerID]
			if r, ok := results[e.AnimalID]; ok {
				e.Rank = &r.rank
				if r.score != 0 { // else null: docs/rules.md, S4.6.5
					e.Score = &r.score
				}
			}
		}
	}
	game.SortEntries(entries)
	return entries, nil
}

// allResults unpacks the results of closed gates, reading their sheets.
func (s *Store) allResults(ctx context.Context, show game.ID, gates []*gateContents) (map[game.ID]result, error) {
	results := map[game.ID]result{}
	collect := func(packed sheet) {
		for i := range packed.len() {
			r := packed.at(i)
			results[r.animal] = r
		}
	}
	var keys []key
	for k, g := range gates {
		collect(g.gate.Results)
		for j := range g.gate.Sheets {
			keys = append(keys, sheetKey(show, k, j))
		}
	}
	sheets, err := s.sheets(ctx, keys)
	if err != nil {
		return nil, err
	}
	for _, packed := range sheets {
		collect(packed)
	}
	return results, nil
}
