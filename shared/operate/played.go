package operate

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// PlayedShow is a show that a user has entries in, with those entries and the receipt of the user's claim.
type PlayedShow struct {
	Show    game.Show
	Entries []game.Entry // in the order of the show's list
	Receipt *Receipt     // nil: the user has claimed nothing
}

// Receipt is what a user has claimed in a show.
type Receipt struct {
	Rank      *int         `json:"rank"` // null: unranked
	Prize     int64        `json:"prize"`
	ClaimedAt game.Instant `json:"claimedAt"`
}

// PlayedShows returns the shows that a user has entries in, by closing time, then id. If records of these shows are
// missing or damaged at three looks, it returns what it can read, and the joined DamagedShow of each record. For
// operators: for each look at most 7 RCU for each entry, 2 for each show, and the size of the participations.
func (d Desk) PlayedShows(ctx context.Context, user game.ID) ([]PlayedShow, error) {
	var shows []PlayedShow
	var lacking []error
	_, err := table.Settled(ctx, 1+store.EntryRereads, func() (complete bool, err error) {
		shows, lacking, err = d.readPlayed(ctx, user)
		return len(lacking) == 0, err
	})
	if err != nil {
		return nil, err
	}
	return shows, errors.Join(lacking...)
}

// EntryCount returns how many entries a user has, in all seasons. For operators: 1 RCU for about 40.
func (d Desk) EntryCount(ctx context.Context, user game.ID) (int, error) {
	span := table.Prefixed(records.UserPK(user), records.SeasonPrefix)
	span.Projection = records.ProjectCount
	items, err := d.table.QueryAll(ctx, span)
	return len(items), err
}

// readPlayed reads the shows once. lacking has an error for each record that is damaged, missing or not visible yet.
func (d Desk) readPlayed(ctx context.Context, user game.ID) (played []PlayedShow, lacking []error, err error) {
	shows, lacking, err := d.Participations(ctx, user)
	if err != nil {
		return nil, nil, err
	}
	var keys []table.Key
	for show, animals := range shows {
		for _, animal := range animals {
			if show.Status != game.ShowCompleted {
				keys = append(keys, records.EntryKey(show.ID, animal, show.Gates))
			}
		}
	}
	found, err := d.table.BatchGet(ctx, "", keys...)
	if err != nil {
		return nil, nil, err
	}
	sorted := slices.SortedFunc(maps.Keys(shows), func(a, b *records.ShowItem) int {
		return cmp.Or(cmp.Compare(a.EntryClosesAt, b.EntryClosesAt), cmp.Compare(a.ID, b.ID))
	})
	played = make([]PlayedShow, len(sorted))
	lacks := make([][]error, len(sorted))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(table.ParallelReads)
	for i, show := range sorted {
		of, animals := &played[i], shows[show]
		of.Show, of.Entries = show.Show(), []game.Entry{}
		if show.Status != game.ShowCompleted {
			lacks[i] = of.addEntries(show, animals, found)
			continue
		}
		group.Go(func() (err error) {
			lacks[i], err = d.addResults(ctx, show, user, len(animals), of)
			return err
		})
	}
	err = group.Wait()
	return played, append(lacking, slices.Concat(lacks...)...), err
}

// addEntries adds the entries, as found, of a user's animals in a show that is not completed.
func (played *PlayedShow) addEntries(show *records.ShowItem, animals []game.ID, found table.Batch) (lacking []error) {
	for _, animal := range animals {
		k := records.EntryKey(show.ID, animal, show.Gates)
		if item, err := table.In[records.EntryItem](found, k); err != nil || item == nil {
			lacking = append(lacking, store.Missing(k))
		} else {
			played.Entries = append(played.Entries, item.Entry(show.ID))
		}
	}
	game.SortEntries(played.Entries)
	return lacking
}

// addResults adds a user's count entries in a completed show, from its results, and the receipt.
func (d Desk) addResults(ctx context.Context, show *records.ShowItem, user game.ID, count int, played *PlayedShow) (lacking []error, err error) {
	placings, err := d.Placings(ctx, user, []*records.ShowItem{show})
	if err != nil && !errors.Is(err, table.ErrDamaged) {
		return nil, err
	}
	if results := show.Key; len(placings[show.ID]) != count {
		if show.Sheets > 0 {
			results = show.Verdict().SheetKey(records.SheetOf(user, show.Sheets))
		}
		lacking = append(lacking, store.Missing(results))
	}
	for _, p := range placings[show.ID] {
		entries, err := d.Places(ctx, show, p.Place, p.Place+1)
		if errors.Is(err, table.ErrDamaged) {
			lacking = append(lacking, store.Missing(show.Verdict().PageKey(p.Place/records.PagePlaces)))
		} else if err != nil {
			return nil, err
		}
		played.Entries = append(played.Entries, entries...)
	}
	if len(placings[show.ID]) == 0 {
		return lacking, nil
	}
	k := show.Verdict().ClaimKey(placings[show.ID][0].Place)
	receipt, err := table.Get[records.ClaimItem](ctx, d.table, k)
	switch {
	case errors.Is(err, table.ErrDamaged):
		lacking = append(lacking, store.Missing(k))
	case err != nil:
		return nil, err
	case receipt != nil:
		played.Receipt = &Receipt{Prize: receipt.Prize, ClaimedAt: receipt.ClaimedAt}
		if receipt.Rank > 0 {
			played.Receipt.Rank = &receipt.Rank
		}
	}
	return lacking, nil
}
