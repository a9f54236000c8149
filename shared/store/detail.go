package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

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
	d := detail{store: s, show: item}
	for attempt := 1; ; attempt++ {
		if err := d.read(ctx); err != nil {
			return game.Show{}, nil, err
		}
		if entries, agree := listEntries(show, d.parts, d.results); agree {
			return show, entries, nil
		}
		if attempt > entryRereads {
			return game.Show{}, nil, errOtherEntries
		}
		if err := s.backoff(ctx, attempt); err != nil {
			return game.Show{}, nil, err
		}
	}
}

// errOtherEntries means that a show is damaged: reading it on and on would cost much, and change nothing.
var errOtherEntries = errors.New("the results are of other entries than there are")

// detail is what has been read of a show.
type detail struct {
	store   *Store
	show    *showItem
	parts   []*part
	results map[game.ID]placings // by player; nil: not judged, or not read yet
}

// read reads the entries and, once, the results of a completed show, at once.
func (d *detail) read(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		var err error
		d.parts, err = d.store.readParts(ctx, d.show.ID, d.show.Gates, claimPrefix, "")
		return err
	})
	if d.show.Status == game.ShowCompleted && d.results == nil {
		group.Go(func() error {
			var err error
			d.results, err = d.store.allResults(ctx, d.show.ID, d.show.Sheets)
			return err
		})
	}
	return group.Wait()
}

// showItem reads a show; nil when there is none, also for the zero ID.
func (s *Store) showItem(ctx context.Context, id game.ID) (*showItem, error) {
	if id == "" {
		return nil, nil
	}
	return get[showItem](ctx, s, showKey(id))
}

// listEntries joins the entries with the results, if there are any, and the receipts of their show. It returns false
// where the results are not those of exactly these entries. Since a judging has read every entry of its show, and who
// reads a completed show reads its entries after that, only a broken table stays so: nothing is shown then, since which
// entry each result belongs to is known by counting.
func listEntries(show game.Show, parts []*part, results map[game.ID]placings) (entries []game.Entry, agree bool) {
	entries, claimed := []game.Entry{}, map[game.ID]bool{}
	for _, p := range parts {
		for i := range p.entries {
			entries = append(entries, p.entries[i].entry())
		}
		for i := range p.claims {
			claimed[idIn(p.claims[i].SK)] = true
		}
	}
	if show.Status == game.ShowCompleted {
		if !place(entries, results) {
			return nil, false
		}
		for i := range entries {
			entries[i].RewardClaimed = claimed[entries[i].PlayerID]
		}
	}
	game.SortEntries(entries)
	return entries, true
}

// place gives the entries their ranks and scores, or returns false: a player's results are those of its entries in the
// order of the animals' ids.
func place(entries []game.Entry, results map[game.ID]placings) bool {
	byPlayer := make(map[game.ID][]*game.Entry, len(results))
	for i := range entries {
		e := &entries[i]
		byPlayer[e.PlayerID] = append(byPlayer[e.PlayerID], e)
	}
	if len(byPlayer) != len(results) {
		return false
	}
	for player, theirs := range byPlayer {
		placings := results[player]
		if placings.len() != len(theirs) {
			return false
		}
		slices.SortFunc(theirs, func(a, b *game.Entry) int { return cmp.Compare(a.AnimalID, b.AnimalID) })
		for i, e := range theirs {
			if p := placings.at(i); p.rank > 0 {
				e.Rank = &p.rank
				if p.score != 0 { // else null: docs/rules.md, S4.6.5
					e.Score = &p.score
				}
			}
		}
	}
	return true
}

// allResults unpacks the results of a completed show, by player.
func (s *Store) allResults(ctx context.Context, show game.ID, sheets int) (map[game.ID]placings, error) {
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
	results := map[game.ID]placings{}
	for _, item := range packed {
		for rest := sheet(item.Results); len(rest) > 0; {
			player, theirs, after, err := rest.cut()
			if err != nil {
				return nil, fmt.Errorf("results of %s: %w", show, err)
			}
			results[game.ID(player.String())], rest = theirs, after
		}
	}
	return results, nil
}
