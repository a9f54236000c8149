package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// ShowWithEntries returns a show and its entries in the order of its list, or game.ErrShowUnknown if the show does not
// exist. No answer has only a part of the results: they all exist before the item of a completed show points to them.
// While a call has the show's lease, ShowWithEntries waits up to readersPatience, so that its reads do not slow down a
// judging. Two round trips; 1 RCU for about 12 entries, or for about 60 of a completed show.
func (s *Store) ShowWithEntries(ctx context.Context, id game.ID) (game.Show, []game.Entry, error) {
	item, err := s.ShowItem(ctx, id)
	if err != nil {
		return game.Show{}, nil, err
	}
	if item == nil {
		return game.Show{}, nil, game.ErrShowUnknown
	}
	if item, err = s.awaitLease(ctx, item, readersPatience); err != nil {
		return game.Show{}, nil, err
	}
	if item.Status == game.ShowCompleted {
		entries, err := s.Places(ctx, item, 0, int(item.Count))
		return item.Show(), entries, err
	}
	items, err := s.EntriesOf(ctx, item.ID, item.Gates, "")
	entries := make([]game.Entry, len(items))
	for i := range items {
		entries[i] = items[i].Entry(id)
	}
	game.SortEntries(entries)
	return item.Show(), entries, err
}

// ShowItem returns a show's item, or nil if the show does not exist or the id is "".
func (s *Store) ShowItem(ctx context.Context, id game.ID) (*records.ShowItem, error) {
	if id == "" {
		return nil, nil
	}
	return table.Get[records.ShowItem](ctx, s.Table, records.ShowKey(id))
}

// errOtherEntries means that a completed show is damaged: its pages do not have the entries that its item counts.
const errOtherEntries = table.Damage("pages of results are missing, or have other entries")

// Places returns the entries of a completed show at the places from first to end-1. It reads their pages, and the
// receipts of claims for these pages, in parallel. A page costs about 2 RCU, and its receipts 1 to 4.
func (s *Store) Places(ctx context.Context, show *records.ShowItem, first, end int) ([]game.Entry, error) {
	v, pages := show.Verdict(), (int(show.Count)+records.PagePlaces-1)/records.PagePlaces
	var spans []table.Span
	if end-first == int(show.Count) {
		for page := range min(pages, records.PagePartitions) {
			spans = append(spans, table.Span{PK: v.PagePK(page)})
		}
	} else {
		for page := first / records.PagePlaces; page*records.PagePlaces < end; page++ {
			from, to := v.ClaimKey(page*records.PagePlaces).SK, v.ClaimKey(min(end, (page+1)*records.PagePlaces)-1).SK
			spans = append(spans, table.Span{PK: v.PagePK(page), From: v.PageKey(page).SK, To: v.PageKey(page).SK}, table.Span{PK: v.PagePK(page), From: from, To: to})
		}
	}
	found, err := table.InParallel(ctx, table.ParallelReads, spans, s.Table.QueryAll)
	if err != nil {
		return nil, err
	}
	claimed, byNumber := map[int]bool{}, map[int][]game.Entry{}
	for _, av := range slices.Concat(found...) {
		k, err := table.Unmarshal[table.Key](av)
		if err != nil {
			return nil, err
		}
		number := records.NumberIn(k.SK)
		if strings.HasPrefix(string(k.SK), string(records.ClaimPrefix)) {
			receipt, err := table.Unmarshal[records.ClaimItem](av)
			if err != nil {
				return nil, err
			}
			for _, place := range append(receipt.Places, number) {
				claimed[place] = true
			}
			continue
		}
		page, err := table.Unmarshal[records.PageItem](av)
		if err != nil {
			return nil, err
		}
		if byNumber[number], err = page.Unpack(show.ID, number*records.PagePlaces); err != nil {
			return nil, fmt.Errorf("page %s of %s: %w", k.SK, show.ID, errors.Join(errOtherEntries, err))
		}
	}
	entries := make([]game.Entry, 0, end-first)
	for page := first / records.PagePlaces; page*records.PagePlaces < end; page++ {
		theirs, place := byNumber[page], page*records.PagePlaces
		if len(theirs) != min(records.PagePlaces, int(show.Count)-place) {
			return nil, fmt.Errorf("page %d of %s: %w", page, show.ID, errOtherEntries)
		}
		entries = append(entries, theirs[max(first-place, 0):min(len(theirs), end-place)]...)
	}
	for i := range entries {
		entries[i].RewardClaimed = claimed[first+i]
	}
	return entries, nil
}
