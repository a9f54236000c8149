package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// The kinds of PendingWork.
const (
	WorkRefunds = "refunds" // refunds of a cancelled show, which Finish and Refund complete
	WorkNames   = "names"   // names in entries, which Finish and the call that has changed them complete
	WorkJudging = "judging" // the judging of a show that has closed
)

// PendingWork is work that was begun or is due, and is not finished.
type PendingWork struct {
	Work  string
	Show  game.ID      // "" for names
	User  game.ID      // only for names
	Since game.Instant // when the show closed or was cancelled, or the names changed; closing time of unnoted refunds
	Name  string       // for names: the name that the entries are to show; Unfinished leaves it empty
	Left  int          // entries without a refund, or with an old name; 0 for judgings
	Torn  bool         // for refunds: records are missing, which RepairShow may restore
}

// PendingRefunds returns the cancelled shows whose refunds are pending, by closing time. It costs what Unrefunded does,
// and 1 RCU for about 16 cancelled shows. It reads the entries of a torn show three times.
func (s *Store) PendingRefunds(ctx context.Context) ([]PendingWork, error) {
	cancelled, err := s.AllShows(ctx, game.ShowCancelled)
	if err != nil {
		return nil, err
	}
	unrefunded, err := s.UnrefundedOf(ctx, cancelled, 1+EntryRereads)
	var refunds []PendingWork
	for _, show := range cancelled {
		if of, pending := unrefunded[show.ID]; pending {
			refunds = append(refunds, PendingWork{Work: WorkRefunds, Show: show.ID, Since: show.EntryClosesAt, Left: of.Left, Torn: of.Torn})
		}
	}
	return refunds, err
}

// PendingRefunds counts the pending refunds of a cancelled show.
type PendingRefunds struct {
	Left    int  // entries that have not got their fee back, also missing ones that the show counts
	Entries int  // in the table
	Torn    bool // the show counts another number of entries, or an entry has no participation
}

// UnrefundedOf is Unrefunded, but reads the entries of a torn show up to looks times, 0.3 s apart.
func (s *Store) UnrefundedOf(ctx context.Context, shows []game.ListedShow, looks int) (map[game.ID]PendingRefunds, error) {
	var keys []table.Key
	for _, show := range shows {
		if show.Status == game.ShowCancelled {
			keys = append(keys, records.ShowKey(show.ID))
		}
	}
	found, err := s.Table.BatchGet(ctx, "", keys...)
	if err != nil {
		return nil, err
	}
	unrefunded := map[game.ID]PendingRefunds{}
	for _, k := range keys {
		id := records.IdIn(table.SK(k.PK))
		item, err := table.In[records.ShowItem](found, k)
		if item != nil && item.RefundedAt == 0 {
			_, err = table.Settled(ctx, looks, func() (whole bool, err error) {
				unrefunded[id], err = s.unrefunded(ctx, id, item)
				return !unrefunded[id].Torn, err
			})
		}
		if err != nil {
			return nil, fmt.Errorf("refunds of %s: %w", id, err)
		}
	}
	return unrefunded, nil
}

func (s *Store) unrefunded(ctx context.Context, id game.ID, show *records.ShowItem) (of PendingRefunds, err error) {
	entries, err := s.EntriesOf(ctx, id, show.Gates, records.ProjectUsers)
	if err != nil {
		return of, err
	}
	of = PendingRefunds{max(0, int(show.Count)-len(entries)), len(entries), int(show.Count) != len(entries)}
	var keys []table.Key
	for _, e := range entries {
		keys = append(keys, records.ParticipationKey(e.Player, show.Season, id, records.IdIn(e.SK)))
	}
	found, err := s.Table.BatchGet(ctx, records.ProjectFees, keys...)
	for _, k := range keys {
		part, damaged := table.In[records.ParticipationItem](found, k)
		if damaged != nil || part == nil || part.Unsettled() { // damaged counts as not refunded
			of.Left++
		}
		of.Torn = of.Torn || damaged == nil && part == nil
	}
	return of, err
}

// Misnamed returns how many of a user's entries show another name, in the entry's item or on a page of results. It
// ignores missing shows and entries. It returns an error if a show is damaged: entries there may show another name.
func (s *Store) Misnamed(ctx context.Context, user game.ID, name string) (n int, err error) {
	shows, lacking, err := s.Participations(ctx, user)
	if damaged := errors.Join(lacking...); errors.Is(damaged, table.ErrDamaged) {
		err = damaged
	}
	if err != nil {
		return 0, err
	}
	var keys []table.Key
	var completed []*records.ShowItem
	for show, animals := range shows {
		if show.Status == game.ShowCompleted {
			completed = append(completed, show)
		}
		for _, animal := range animals {
			keys = append(keys, records.EntryKey(show.ID, animal, show.Gates))
		}
	}
	other := map[game.ID]bool{} // entries
	found, err := s.Table.BatchGet(ctx, records.ProjectUsernames, keys...)
	if err != nil {
		return 0, err
	}
	for k := range found {
		entry, err := table.In[records.EntryItem](found, k)
		if err != nil {
			return 0, err
		}
		other[game.EntryID(records.ShowIn(k.PK), records.IdIn(k.SK))] = entry.PlayerUsername != name
	}
	placings, err := s.Placings(ctx, user, completed)
	if err != nil {
		return 0, err
	}
	for _, show := range completed {
		for _, p := range placings[show.ID] {
			entries, err := s.Places(ctx, show, p.Place, p.Place+1)
			if err != nil {
				return 0, err
			}
			other[entries[0].ID] = other[entries[0].ID] || entries[0].PlayerUsername != name
		}
	}
	for _, is := range other {
		if is {
			n++
		}
	}
	return n, nil
}
