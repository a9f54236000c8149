package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// stake is an animal's entry in a show.
type stake struct{ show, animal game.ID }

// standing is what the results say of a stake.
type standing struct {
	judged bool // the show's results are there
	rank   int  // 0: unranked
}

// standings reads what the results say of the stakes. One item decides whether a show is judged: the first of its
// results. One round trip, two where results are on sheets; each item is read once, for 1 RCU per 4 KB. First items
// that the caller has looked for just now are taken from known, where nil stands for one that is not there.
func (s *Store) standings(ctx context.Context, stakes []stake, known map[game.ID]*sheetItem) (map[stake]standing, error) {
	firsts := maps.Clone(known)
	if firsts == nil {
		firsts = map[game.ID]*sheetItem{}
	}
	var unread []game.ID
	for _, st := range stakes {
		if _, seen := firsts[st.show]; !seen {
			firsts[st.show] = nil
			unread = append(unread, st.show)
		}
	}
	if err := s.readFirsts(ctx, firsts, unread); err != nil {
		return nil, err
	}
	sheets, err := s.sheets(ctx, sheetKeys(stakes, firsts))
	if err != nil {
		return nil, err
	}
	standings := make(map[stake]standing, len(stakes))
	for _, st := range stakes {
		first := firsts[st.show]
		if first == nil {
			standings[st] = standing{}
			continue
		}
		results := sheet(first.Results)
		if first.Sheets > 1 {
			results = sheets[sheetKey(st.show, sheetOf(st.animal, first.Sheets))]
		}
		r, _ := results.find(st.animal)
		standings[st] = standing{judged: true, rank: r.rank}
	}
	return standings, nil
}

// readFirsts puts the first items of the results of shows into firsts, where they are there.
func (s *Store) readFirsts(ctx context.Context, firsts map[game.ID]*sheetItem, shows []game.ID) error {
	keys := make([]key, len(shows))
	for i, show := range shows {
		keys[i] = resultsKey(show)
	}
	found, err := s.batchGet(ctx, "", keys...)
	if err != nil {
		return err
	}
	for i, show := range shows {
		if firsts[show], err = in[sheetItem](found, keys[i]); err != nil {
			return err
		}
	}
	return nil
}

// sheetKeys names the sheets that the stakes are on, where there are any beside the first item.
func sheetKeys(stakes []stake, firsts map[game.ID]*sheetItem) []key {
	keys := map[key]bool{}
	for _, st := range stakes {
		if first := firsts[st.show]; first != nil && first.Sheets > 1 {
			keys[sheetKey(st.show, sheetOf(st.animal, first.Sheets))] = true
		}
	}
	return slices.Collect(maps.Keys(keys))
}

// sheets reads the results of judged shows, and reads again until all are there: they were written together with what
// named them.
func (s *Store) sheets(ctx context.Context, keys []key) (map[key]sheet, error) {
	sheets := make(map[key]sheet, len(keys))
	for attempt := 1; len(keys) > 0; attempt++ {
		found, err := s.batchGet(ctx, "", keys...)
		if err != nil {
			return nil, err
		}
		keys = slices.DeleteFunc(keys, func(k key) bool { return found[k] != nil })
		for k := range found {
			item, err := in[sheetItem](found, k)
			if err != nil {
				return nil, err
			}
			sheets[k] = item.Results
		}
		if len(keys) > 0 {
			if err := backoff(ctx, attempt); err != nil {
				return nil, fmt.Errorf("%d sheets of a judged show are missing: %w", len(keys), err)
			}
		}
	}
	return sheets, nil
}
