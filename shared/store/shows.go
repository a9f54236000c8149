package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/tally"
)

// listLimit is the size of a list of shows (docs/rules.md, S8.2).
const listLimit = 50

// ShowQuery selects shows.
type ShowQuery struct {
	Status game.ShowStatus // "" for any
	Tier   string          // "" for any
	After  game.ID         // the page begins after this show; "" for the first page
}

// ListedShows is a page of a list of shows.
type ListedShows struct {
	Shows []game.ListedShow
	More  bool // there are shows after the last one
}

// Shows returns at most 50 shows by closing time, then id. For an impossible status or tier it returns an empty list
// without a read. If After is not a show, or is a show of another tier than Tier, the list is empty. If the show After
// no longer has the status, the page still begins at its place.
//
// Two round trips: the board, then the gates of the open shows. So an entry counts as soon as it has committed. 50 open
// shows cost 11 RCU in one tier and 15 in three tiers. One round trip if no show is open, and one more with After, 1
// RCU.
func (s *Store) Shows(ctx context.Context, q ShowQuery) (ListedShows, error) {
	page := ListedShows{Shows: []game.ListedShow{}}
	switch q.Status {
	case "", game.ShowOpen, game.ShowCompleted, game.ShowCancelled:
	default:
		return page, nil
	}
	if len(q.Tier) > game.MaxTierBytes {
		return page, nil
	}
	after := table.SK("")
	if q.After != "" {
		last, err := s.ShowItem(ctx, q.After)
		if err != nil || last == nil || q.Tier != "" && q.Tier != last.Tier {
			return page, err
		}
		after = records.BoardKey(q.Status, q.Tier, last.Show()).SK
	}
	var err error
	page.Shows, err = s.listShows(ctx, func() ([]table.Attributes, error) {
		items, _, err := s.Table.Query(ctx, table.Span{PK: records.BoardPK(q.Status, q.Tier)}, after, listLimit+1)
		page.More = len(items) > listLimit
		return items[:min(len(items), listLimit)], err
	})
	return page, err
}

// AllShows returns every show with the status, or all shows for "", in the order of lists. It is for operators: it
// reads the board rows and gates of all these shows.
func (s *Store) AllShows(ctx context.Context, status game.ShowStatus) ([]game.ListedShow, error) {
	return s.listShows(ctx, func() ([]table.Attributes, error) {
		return s.Table.QueryAll(ctx, table.Span{PK: records.BoardPK(status, "")})
	})
}

// DueShow is an open show that accepts no more entries.
type DueShow struct {
	ID       game.ID
	ClosedAt game.Instant
}

// DueShows returns the first open shows, up to a limit, whose closing time is at that instant or before. They are in
// the order of lists: by closing time, then id. A show that another call is judging may be one of them. One round trip,
// 1 RCU for about 16 shows.
func (s *Store) DueShows(ctx context.Context, now game.Instant, limit int) ([]DueShow, error) {
	due := table.Span{PK: records.BoardPK(game.ShowOpen, ""), From: table.SK(game.Instant(0).String()), To: records.DueUntil(now), Projection: records.ProjectClosing}
	shows, _, err := table.QueryPage(ctx, s.Table, due, "", int32(limit), func(i *records.BoardItem) DueShow { return DueShow{records.IdIn(i.SK), i.EntryClosesAt} })
	return shows, err
}

// listPatience is how long a list waits for a show that is open on the board and lacks some of its gates. A transaction
// is visible as a whole within milliseconds. A show that lacks a gate for longer is damaged, and must not keep the others
// out of the list.
const listPatience = time.Second

// listShows turns rows of a board into shows, with the counts of the open shows' gates. An open show may lack a gate,
// or have two rows, because it is just becoming visible, or is being judged, cancelled or moved to another closing
// time. Then listShows reads the board again until rows and gates agree, for listPatience. If other shows get into this
// state meanwhile, it goes on up to the deadline: no list is better than a wrong one. A show that is being moved may be
// visible at neither place, and is then missing in the list.
func (s *Store) listShows(ctx context.Context, readBoard func() ([]table.Attributes, error)) ([]game.ListedShow, error) {
	var incomplete map[game.ID]time.Time // since when a show lacks a gate or has two rows
	for attempt := 1; ; attempt++ {
		began := s.Clock()
		items, err := readBoard()
		if err != nil {
			return nil, err
		}
		rows, err := table.UnmarshalAll(items, func(i *records.BoardItem) *records.BoardItem { return i })
		if err != nil {
			return nil, err
		}
		shows, missing, err := s.withCounts(ctx, rows)
		if err != nil {
			return nil, err
		}
		before := incomplete
		incomplete = make(map[game.ID]time.Time, len(missing))
		passing := false // a later look may differ
		for show := range missing {
			since, known := before[show]
			if !known {
				since = s.Clock()
			}
			incomplete[show] = since
			passing = passing || began.Sub(since) < listPatience
		}
		if !passing {
			tally.Add(ctx, tally.DamagedShows, int64(len(missing)))
			return shows, nil
		}
		if err := s.Table.Backoff(ctx, attempt); err != nil {
			return nil, fmt.Errorf("a show on the board lacks some of its gates: %w", err)
		}
	}
}

// withCounts adds the counts of the open shows' gates to the rows. missing has the shows that lack a gate or have two
// rows.
func (s *Store) withCounts(ctx context.Context, rows []*records.BoardItem) (shows []game.ListedShow, missing map[game.ID]bool, err error) {
	var keys []table.Key
	keysOf := make([][]table.Key, len(rows)) // of the open shows
	rowsOf := make(map[game.ID]int, len(rows))
	for i, row := range rows {
		rowsOf[row.ID]++
		if row.Status == game.ShowOpen {
			keysOf[i] = records.GateKeys(row.Show(), row.Gates)
			keys = append(keys, keysOf[i]...)
		}
	}
	gates, err := s.readGates(ctx, keys)
	if err != nil {
		return nil, nil, err
	}
	shows, missing = make([]game.ListedShow, len(rows)), map[game.ID]bool{}
	for i, row := range rows {
		shows[i] = game.ListedShow{Show: row.Show(), EntryCount: row.Count}
		whole := rowsOf[row.ID] == 1
		for _, k := range keysOf[i] {
			if gate := gates[k]; gate != nil {
				shows[i].EntryCount += gate.Count
			} else {
				whole = false
			}
		}
		if !whole {
			missing[row.ID] = true
		}
	}
	return shows, missing, nil
}

// callerAndShow returns a user and a show, read in one round trip. Each is nil if it does not exist.
func (s *Store) callerAndShow(ctx context.Context, caller, show game.ID) (*game.Account, *records.ShowItem, error) {
	keys := []table.Key{records.UserKey(caller)}
	if show != "" {
		keys = append(keys, records.ShowKey(show))
	}
	found, err := s.Table.BatchGet(ctx, "", keys...)
	if err != nil {
		return nil, nil, err
	}
	user, userErr := table.In[records.UserItem](found, records.UserKey(caller))
	item, showErr := table.In[records.ShowItem](found, records.ShowKey(show))
	return user.Account(), item, errors.Join(userErr, showErr)
}
