package store

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

// ShowWithEntries returns a show and its entries in the order of its list; game.ErrShowUnknown when there is none. No
// answer shows part of a judging: the show's own item decides whether results count, and where it is completed, the
// results are read until all of them are there. While the show is being judged it waits for that, for some seconds, so
// that it neither starves the judging nor has to read twice. Two round trips; entries cost about 1 RCU for 14.
func (s *Store) ShowWithEntries(ctx context.Context, id game.ID) (game.Show, []game.Entry, error) {
	item, err := s.showItem(ctx, id)
	if err != nil {
		return game.Show{}, nil, err
	}
	if item == nil {
		return game.Show{}, nil, game.ErrShowUnknown
	}
	if item, err = s.awaitJudging(ctx, item, readersPatience); err != nil {
		return game.Show{}, nil, err
	}
	show := item.show()
	var parts []*part
	var results map[game.ID]result
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		var err error
		parts, err = s.readParts(ctx, id, item.Gates, claimPrefix, "")
		return err
	})
	if show.Status == game.ShowCompleted {
		group.Go(func() error {
			var err error
			results, err = s.allResults(ctx, id, item.Sheets)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return game.Show{}, nil, err
	}
	return show, listEntries(show, parts, results), nil
}

// showItem reads a show; nil when there is none, also for the zero ID.
func (s *Store) showItem(ctx context.Context, id game.ID) (*showItem, error) {
	if id == "" {
		return nil, nil
	}
	return get[showItem](ctx, s, showKey(id))
}

// listEntries joins the entries with the results and the receipts of their show.
func listEntries(show game.Show, parts []*part, results map[game.ID]result) []game.Entry {
	entries, claimed := []game.Entry{}, map[game.ID]bool{}
	for _, p := range parts {
		for i := range p.entries {
			entries = append(entries, p.entries[i].entry())
		}
		for i := range p.claims {
			claimed[idIn(p.claims[i].SK)] = true
		}
	}
	for i := range entries {
		e := &entries[i]
		if r, ok := results[e.AnimalID]; ok {
			e.Rank = &r.rank
			if r.score != 0 { // else null: docs/rules.md, S4.6.5
				e.Score = &r.score
			}
		}
		e.RewardClaimed = show.Status == game.ShowCompleted && claimed[e.PlayerID]
	}
	game.SortEntries(entries)
	return entries
}

// allResults unpacks the results of a completed show.
func (s *Store) allResults(ctx context.Context, show game.ID, sheets int) (map[game.ID]result, error) {
	keys := []key{resultsKey(show)}
	if sheets > 1 {
		keys = keys[:0]
		for j := range sheets {
			keys = append(keys, sheetKey(show, j))
		}
	}
	packed, err := s.sheets(ctx, keys)
	if err != nil {
		return nil, err
	}
	results := map[game.ID]result{}
	for _, p := range packed {
		for i := range p.len() {
			r := p.at(i)
			results[r.animal] = r
		}
	}
	return results, nil
}
