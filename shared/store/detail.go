package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// ShowWithEntries returns a show and its entries in the order of its list, or game.ErrShowUnknown if the show does not
// exist. No answer has only a part of the results: they all exist before the item of a completed show points to them.
// While a call has the show's lease, ShowWithEntries waits up to readersPatience, so that its reads do not slow down a
// judging. Two round trips; 1 RCU for about 12 entries, or for about 60 of a completed show.
func (s *Store) ShowWithEntries(ctx context.Context, id game.ID) (game.Show, []game.Entry, error) {
	item, err := s.showItem(ctx, id)
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
		entries, err := s.places(ctx, item, 0, int(item.Count))
		return item.show(), entries, err
	}
	items, err := s.entriesOf(ctx, item.ID, item.Gates, "")
	entries := make([]game.Entry, len(items))
	for i := range items {
		entries[i] = items[i].entry(id)
	}
	game.SortEntries(entries)
	return item.show(), entries, err
}

// showItem returns a show's item, or nil if the show does not exist or the id is "".
func (s *Store) showItem(ctx context.Context, id game.ID) (*showItem, error) {
	if id == "" {
		return nil, nil
	}
	return get[showItem](ctx, s.table, showKey(id))
}

// errOtherEntries means that a completed show is damaged: its pages do not have the entries that its item counts.
const errOtherEntries = damage("pages of results are missing, or have other entries")

// places returns the entries of a completed show at the places from first to end-1. It reads their pages, and the
// receipts of claims for these pages, in parallel. A page costs about 2 RCU, and its receipts 1 to 4.
func (s *Store) places(ctx context.Context, show *showItem, first, end int) ([]game.Entry, error) {
	v, pages := show.verdict(), (int(show.Count)+pagePlaces-1)/pagePlaces
	var spans []span
	if end-first == int(show.Count) {
		for page := range min(pages, pagePartitions) {
			spans = append(spans, span{PK: v.pagePK(page)})
		}
	} else {
		for page := first / pagePlaces; page*pagePlaces < end; page++ {
			from, to := v.claimKey(page*pagePlaces).SK, v.claimKey(min(end, (page+1)*pagePlaces)-1).SK
			spans = append(spans, span{PK: v.pagePK(page), From: v.pageKey(page).SK, To: v.pageKey(page).SK}, span{PK: v.pagePK(page), From: from, To: to})
		}
	}
	found, err := inParallelMax(ctx, parallelReads, spans, s.table.QueryAll)
	if err != nil {
		return nil, err
	}
	claimed, byNumber := map[int]bool{}, map[int][]game.Entry{}
	for _, av := range slices.Concat(found...) {
		k, err := unmarshal[key](av)
		if err != nil {
			return nil, err
		}
		number := numberIn(k.SK)
		if strings.HasPrefix(string(k.SK), string(claimPrefix)) {
			receipt, err := unmarshal[claimItem](av)
			if err != nil {
				return nil, err
			}
			for _, place := range append(receipt.Places, number) {
				claimed[place] = true
			}
			continue
		}
		page, err := unmarshal[pageItem](av)
		if err != nil {
			return nil, err
		}
		if byNumber[number], err = page.unpack(show.ID, number*pagePlaces); err != nil {
			return nil, fmt.Errorf("page %s of %s: %w", k.SK, show.ID, errors.Join(errOtherEntries, err))
		}
	}
	entries := make([]game.Entry, 0, end-first)
	for page := first / pagePlaces; page*pagePlaces < end; page++ {
		theirs, place := byNumber[page], page*pagePlaces
		if len(theirs) != min(pagePlaces, int(show.Count)-place) {
			return nil, fmt.Errorf("page %d of %s: %w", page, show.ID, errOtherEntries)
		}
		entries = append(entries, theirs[max(first-place, 0):min(len(theirs), end-place)]...)
	}
	for i := range entries {
		entries[i].RewardClaimed = claimed[first+i]
	}
	return entries, nil
}
