package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// EntriesAt selects a page of a show's entries: at most one of After, Before and Around is set, or none for the first.
type EntriesAt struct {
	After, Before game.ID // ids of entries
	Around        bool    // the caller's entry (best, if completed) is in the middle; the first page without one
	ByEntry       bool    // in the order and the form that the list had before the judging
	Limit         int
}

// ShowEntries is a page of a show's entries.
type ShowEntries struct {
	Entries        []game.Entry
	Before, Behind bool // whether there are entries before the first one, and after the last one
	ByEntry        bool // the entries are in the order of an open show, without scores
}

// ShowEntries returns a page of a show's entries, for shows of any size. It returns game.ErrShowUnknown if the show
// does not exist, and game.ErrUnauthorized if the caller was deleted. In a completed show, entries are in the order of
// its list. In any other show, or with ByEntry, they are in the order of keys: an entry that is made between two pages
// may be on neither, and no entry is on both. If After or Before is not an entry of the show, the page is empty.
//
// Two to four round trips, or up to three more if the show is not completed. 50 entries cost at most 15 RCU.
func (s *Store) ShowEntries(ctx context.Context, caller, show game.ID, at EntriesAt) (ShowEntries, error) {
	account, item, err := s.callerAndShow(ctx, caller, show)
	switch {
	case err != nil:
		return ShowEntries{}, err
	case IsGone(account):
		return ShowEntries{}, game.ErrUnauthorized
	case item == nil:
		return ShowEntries{}, game.ErrShowUnknown
	}
	var mark *records.EntryItem // the entry that After or Before names
	if id := cmp.Or(at.After, at.Before); id != "" {
		animal := game.EntryID(show, id)
		if mark, err = table.Get[records.EntryItem](ctx, s.Table, records.EntryKey(show, animal, item.Gates)); err != nil {
			return ShowEntries{}, err
		}
		if mark == nil {
			return ShowEntries{Entries: []game.Entry{}}, nil
		}
	}
	if item.Status == game.ShowCompleted && !at.ByEntry {
		return s.pageOfResults(ctx, caller, item, mark, at)
	}
	return s.pageOfEntries(ctx, caller, item, mark, at)
}

func (s *Store) pageOfResults(ctx context.Context, caller game.ID, show *records.ShowItem, mark *records.EntryItem, at EntriesAt) (ShowEntries, error) {
	first, count := 0, int(show.Count)
	end := min(at.Limit, count)
	player := caller
	if mark != nil {
		player = mark.Player
	}
	if mark != nil || at.Around {
		placings, err := s.Placings(ctx, player, []*records.ShowItem{show})
		if err != nil {
			return ShowEntries{}, err
		}
		theirs := placings[show.ID]
		switch {
		case mark != nil:
			p, is, err := s.placingOf(ctx, show, theirs, records.IdIn(mark.SK))
			if err != nil || !is {
				return ShowEntries{Entries: []game.Entry{}}, err
			}
			if at.After != "" {
				first = p.Place + 1
			} else {
				first, end = max(p.Place-at.Limit, 0), p.Place
			}
		case len(theirs) > 0:
			first = max(theirs[0].Place-at.Limit/2, 0)
		}
		if at.Before == "" {
			end = min(first+at.Limit, count)
		}
	}
	page := ShowEntries{Entries: []game.Entry{}, Before: first > 0, Behind: end < count}
	if first >= end {
		return page, nil
	}
	var err error
	page.Entries, err = s.Places(ctx, show, first, end)
	return page, err
}

// pageOfEntries reads a page in the order of keys: partition after partition, by the animals' ids.
func (s *Store) pageOfEntries(ctx context.Context, caller game.ID, show *records.ShowItem, mark *records.EntryItem, at EntriesAt) (ShowEntries, error) {
	var before, behind []records.EntryItem // the page, in two parts
	page := ShowEntries{ByEntry: true}
	from := table.Key{PK: records.PartPK(show.ID, 0)}
	switch {
	case at.Before != "":
		items, more, err := s.entriesFrom(ctx, show, mark.Key, at.Limit, true)
		if err != nil {
			return page, err
		}
		before, page.Before, page.Behind = items, more, true
	case at.After != "":
		from = table.Key{PK: mark.PK, SK: mark.SK + "\x00"} // the next possible key
		page.Before = true
	case at.Around:
		own := table.Prefixed(records.UserPK(caller), records.ParticipationPrefix(show.Season)+table.SK(show.ID)+"#")
		animals, _, err := table.QueryPage(ctx, s.Table, own, "", 1, func(k *table.Key) game.ID { return records.IdIn(k.SK) })
		if err != nil {
			return page, err
		}
		if len(animals) > 0 {
			from = records.EntryKey(show.ID, animals[0], show.Gates)
			if before, page.Before, err = s.entriesFrom(ctx, show, from, at.Limit/2, true); err != nil {
				return page, err
			}
		}
	}
	if at.Before == "" {
		var err error
		if behind, page.Behind, err = s.entriesFrom(ctx, show, from, at.Limit-len(before), false); err != nil {
			return page, err
		}
	}
	page.Entries = make([]game.Entry, 0, len(before)+len(behind))
	for _, item := range slices.Concat(before, behind) {
		page.Entries = append(page.Entries, item.Entry(show.ID))
	}
	return page, nil
}

// entriesFrom returns at most n entries in the order of keys, and whether there are more. They are the first entries
// from this key on or, backward, the last entries before it.
func (s *Store) entriesFrom(ctx context.Context, show *records.ShowItem, from table.Key, n int, backward bool) (found []records.EntryItem, more bool, err error) {
	parts := make([]table.PK, records.ShowParts(show.Gates))
	for number := range parts {
		parts[number] = records.PartPK(show.ID, number)
	}
	i := slices.Index(parts, from.PK)
	if backward {
		parts = parts[:i+1]
		slices.Reverse(parts)
		defer func() { slices.Reverse(found) }()
	} else {
		parts = parts[i:]
	}
	for _, part := range parts {
		sp, after := table.Prefixed(part, records.EntryPrefix), table.SK("")
		sp.Backward = backward
		switch {
		case part != from.PK:
		case backward:
			after = from.SK
		case from.SK != "":
			sp.From = from.SK
		}
		theirs, _, err := table.QueryPage(ctx, s.Table, sp, after, int32(n+1-len(found)), func(i *records.EntryItem) records.EntryItem { return *i })
		if err != nil {
			return nil, false, err
		}
		if found = append(found, theirs...); len(found) > n {
			return found[:n], true, nil
		}
	}
	return found, false, nil
}
