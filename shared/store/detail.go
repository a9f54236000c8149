package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

// ShowWithEntries returns a show and its entries in the order of its list; game.ErrShowUnknown when there is none. No
// answer shows part of a judging: the show's own item leads to the results of a completed show, which are all there.
// While the show is being judged it waits for that, for some seconds, so that it neither starves the judging nor has to
// read twice. Two round trips; 1 RCU for about 12 entries, of a completed show for about 60.
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

// showItem reads a show; nil when there is none, also for the zero ID.
func (s *Store) showItem(ctx context.Context, id game.ID) (*showItem, error) {
	if id == "" {
		return nil, nil
	}
	return get[showItem](ctx, s, showKey(id))
}

// errOtherEntries means that a show is damaged.
var errOtherEntries = errors.New("the pages of results are not all there, or have other entries")

// places reads the entries of a completed show with the places from first to, and without, end: the pages that they are
// on and the receipts of these pages, in one round trip. It costs what both weigh, partition by partition.
func (s *Store) places(ctx context.Context, show *showItem, first, end int) ([]game.Entry, error) {
	v := show.verdict()
	var spans []span
	for from := first; from < end; {
		until := min((from/partitionPlaces+1)*partitionPlaces, int(show.Count))
		to := min(end, until)
		if from%partitionPlaces == 0 && to == until {
			spans = append(spans, span{PK: v.pagePK(from)})
		} else {
			spans = append(spans, span{PK: v.pagePK(from), from: v.pageKey(from / pagePlaces).SK, to: v.pageKey((to - 1) / pagePlaces).SK},
				span{PK: v.pagePK(from), from: v.claimKey(from / pagePlaces * pagePlaces).SK, to: v.claimKey(to - 1).SK})
		}
		from = to
	}
	found := make([][]attributes, len(spans))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for i, sp := range spans {
		group.Go(func() error {
			var err error
			found[i], err = s.queryAll(ctx, sp)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	entries, claimed := make([]game.Entry, 0, end-first), map[int]bool{}
	place := first / pagePlaces * pagePlaces // of the next page
	for _, av := range slices.Concat(found...) {
		k, err := unmarshal[key](av)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(k.SK), string(claimPrefix)) {
			receipt, err := unmarshal[claimItem](av)
			if err != nil {
				return nil, err
			}
			for _, place := range append(receipt.Places, numberIn(k.SK)) {
				claimed[place] = true
			}
			continue
		}
		page, err := unmarshal[pageItem](av)
		if err != nil {
			return nil, err
		}
		theirs, err := page.unpack(show.ID, place)
		if err != nil || page.key != v.pageKey(place/pagePlaces) {
			return nil, fmt.Errorf("page %s of %s: %w", k.SK, show.ID, errors.Join(errOtherEntries, err))
		}
		entries = append(entries, theirs[max(first-place, 0):min(len(theirs), max(end-place, 0))]...)
		place += len(theirs)
	}
	if len(entries) != end-first {
		return nil, fmt.Errorf("%s has %d entries of %d: %w", show.ID, len(entries), end-first, errOtherEntries)
	}
	for i := range entries {
		entries[i].RewardClaimed = claimed[first+i]
	}
	return entries, nil
}
