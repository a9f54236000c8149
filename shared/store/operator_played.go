package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
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

// errNotVisible means that the table is damaged, or that a write takes longer than ever to become visible.
var errNotVisible = errors.New("a part of the data is not visible: repeat the command in a minute; if it fails again, the table is damaged: table verify names the records, show repair repairs a show")

// PlayedShows returns the shows that a user has entries in, by closing time, then id. If records of these shows are
// missing or damaged at three looks, it returns what it can read, and the joined DamagedShow of each record. For
// operators: for each look at most 7 RCU for each entry, 2 for each show, and the size of the participations.
func (s *Store) PlayedShows(ctx context.Context, user game.ID) ([]PlayedShow, error) {
	var shows []PlayedShow
	var lacking []error
	_, err := settled(ctx, 1+entryRereads, func() (complete bool, err error) {
		shows, lacking, err = s.readPlayed(ctx, user)
		return len(lacking) == 0, err
	})
	if err != nil {
		return nil, err
	}
	return shows, errors.Join(lacking...)
}

// EntryCount returns how many entries a user has, in all seasons. For operators: 1 RCU for about 40.
func (s *Store) EntryCount(ctx context.Context, user game.ID) (int, error) {
	span := prefixed(userPK(user), seasonPrefix)
	span.projection = "PK"
	items, err := s.queryAll(ctx, span)
	return len(items), err
}

// participations returns the shows that a user has entries in, each with the user's animals there. lacking has an error
// for each of these shows that is missing or damaged.
func (s *Store) participations(ctx context.Context, user game.ID) (shows map[*showItem][]game.ID, lacking []error, err error) {
	span := prefixed(userPK(user), seasonPrefix)
	span.projection = "PK, SK"
	items, err := queryAs(ctx, s, span, func(i *participationItem) *participationItem { return i })
	if err != nil {
		return nil, nil, err
	}
	animals := map[game.ID][]game.ID{}
	for _, item := range items {
		animals[item.show()] = append(animals[item.show()], idIn(item.SK))
	}
	keys := make([]key, 0, len(animals))
	for show := range animals {
		keys = append(keys, showKey(show))
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return nil, nil, err
	}
	shows = make(map[*showItem][]game.ID, len(animals))
	for _, k := range keys {
		switch item, err := in[showItem](found, k); {
		case err != nil:
			lacking = append(lacking, damagedRecord{missing(k)})
		case item == nil:
			lacking = append(lacking, missing(k))
		default:
			shows[item] = animals[item.ID]
		}
	}
	return shows, lacking, nil
}

// damagedRecord is the DamagedShow of a record that exists but cannot be decoded. errors.Is finds errDamaged in it.
type damagedRecord struct{ error }

func (d damagedRecord) Unwrap() error      { return d.error }
func (damagedRecord) Is(target error) bool { return target == errDamaged }

func missing(k key) error {
	show := showIn(k.PK)
	return DamagedShow{show, fmt.Sprintf("the record %s %s of the show %s is missing or damaged", k.PK, k.SK, show)}
}

// readPlayed reads the shows once. lacking has an error for each record that is damaged, missing or not visible yet.
func (s *Store) readPlayed(ctx context.Context, user game.ID) (played []PlayedShow, lacking []error, err error) {
	shows, lacking, err := s.participations(ctx, user)
	if err != nil {
		return nil, nil, err
	}
	var keys []key
	for show, animals := range shows {
		for _, animal := range animals {
			if show.Status != game.ShowCompleted {
				keys = append(keys, entryKey(show.ID, animal, show.Gates))
			}
		}
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return nil, nil, err
	}
	sorted := slices.SortedFunc(maps.Keys(shows), func(a, b *showItem) int {
		return cmp.Or(cmp.Compare(a.EntryClosesAt, b.EntryClosesAt), cmp.Compare(a.ID, b.ID))
	})
	played = make([]PlayedShow, len(sorted))
	lacks := make([][]error, len(sorted))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for i, show := range sorted {
		of, animals := &played[i], shows[show]
		of.Show, of.Entries = show.show(), []game.Entry{}
		if show.Status != game.ShowCompleted {
			lacks[i] = of.addEntries(show, animals, found)
			continue
		}
		group.Go(func() (err error) {
			lacks[i], err = s.addResults(ctx, show, user, len(animals), of)
			return err
		})
	}
	err = group.Wait()
	return played, append(lacking, slices.Concat(lacks...)...), err
}

// addEntries adds the entries, as found, of a user's animals in a show that is not completed.
func (played *PlayedShow) addEntries(show *showItem, animals []game.ID, found batch) (lacking []error) {
	for _, animal := range animals {
		k := entryKey(show.ID, animal, show.Gates)
		if item, err := in[entryItem](found, k); err != nil || item == nil {
			lacking = append(lacking, missing(k))
		} else {
			played.Entries = append(played.Entries, item.entry(show.ID))
		}
	}
	game.SortEntries(played.Entries)
	return lacking
}

// addResults adds a user's count entries in a completed show, from its results, and the receipt.
func (s *Store) addResults(ctx context.Context, show *showItem, user game.ID, count int, played *PlayedShow) (lacking []error, err error) {
	placings, err := s.standings(ctx, user, []*showItem{show})
	if err != nil && !errors.Is(err, errDamaged) {
		return nil, err
	}
	if results := show.key; len(placings[show.ID]) != count {
		if show.Sheets > 0 {
			results = show.verdict().sheetKey(sheetOf(user, show.Sheets))
		}
		lacking = append(lacking, missing(results))
	}
	for _, p := range placings[show.ID] {
		entries, err := s.places(ctx, show, p.place, p.place+1)
		if errors.Is(err, errDamaged) {
			lacking = append(lacking, missing(show.verdict().pageKey(p.place/pagePlaces)))
		} else if err != nil {
			return nil, err
		}
		played.Entries = append(played.Entries, entries...)
	}
	if len(placings[show.ID]) == 0 {
		return lacking, nil
	}
	k := show.verdict().claimKey(placings[show.ID][0].place)
	receipt, err := get[claimItem](ctx, s, k)
	switch {
	case errors.Is(err, errDamaged):
		lacking = append(lacking, missing(k))
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
