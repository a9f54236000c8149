package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

const (
	// mostChangedNames is how many deleted and renamed players make a fold due at once. Every reader of the standings
	// reads their ids: so many, of 20 bytes each, keep the head below 4 KB.
	mostChangedNames = 150
	// changedNamesStay is how old larger standings must be before changed names alone make a fold due.
	changedNamesStay = 24 * time.Hour
)

// Unfolded is a season whose standings lack results or names.
type Unfolded struct {
	Season game.ID
	Since  game.Instant // when its fold is due, or was
	now    game.Instant
	head   records.StandingsItem // before the first fold: only a key
	noted  []game.ID             // shows with notes
}

// Unfolded returns the seasons whose standings lack something, the longest due first: results of judged shows, or names
// of players who were deleted or renamed. It reads only notes and heads: two round trips, 1 RCU for about 30 notes, and 1
// for about 40 seasons. now must be the present time: the folds have all judgings that were answered before.
func (s *Store) Unfolded(ctx context.Context, now game.Instant) ([]Unfolded, error) {
	// The heads are read before the notes, and a fold begins only if its head is still as read. So no fold has deleted
	// a note, or has got another list of folded shows, between the two reads.
	heads, err := table.QueryAs(ctx, s.Table, table.Span{PK: records.StandingsPK}, func(i *records.StandingsItem) *records.StandingsItem { return i })
	if err != nil {
		return nil, err
	}
	notes, err := table.QueryAs(ctx, s.Table, table.Span{PK: records.JudgedPK}, func(i *records.JudgedItem) *records.JudgedItem { return i })
	if err != nil {
		return nil, err
	}
	seasons := map[game.ID]*Unfolded{}
	oldest := map[game.ID]game.Instant{}
	of := func(season game.ID) *Unfolded {
		if seasons[season] == nil {
			seasons[season] = &Unfolded{Season: season, now: now}
			seasons[season].head.Key = records.StandingsKey(season)
		}
		return seasons[season]
	}
	for _, head := range heads {
		of(head.Season()).head = *head
	}
	for _, note := range notes {
		season := of(note.Season())
		season.noted = append(season.noted, note.Show())
		oldest[season.Season] = min(cmp.Or(oldest[season.Season], note.JudgedAt), note.JudgedAt)
	}
	var all []Unfolded
	for id, season := range seasons {
		if season.due(oldest[id]) {
			all = append(all, *season)
		}
	}
	slices.SortFunc(all, func(a, b Unfolded) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Season, b.Season))
	})
	return all, nil
}

// due sets since when a fold is due, and reports whether the standings lack anything. judged is when the oldest show was
// judged that has a note; 0: there is none.
func (u *Unfolded) due(judged game.Instant) bool {
	names, interval, stay := u.head.ChangedNames(), game.StandingsInterval(u.head.Players), changedNamesStay
	if interval == 0 || names > mostChangedNames {
		stay = 0
	}
	switch {
	case u.head.Live == 0: // the first fold, or an operator wants the standings anew
		u.Since = cmp.Or(judged, u.now)
	case judged > 0 && names <= mostChangedNames:
		u.Since = max(judged, u.head.AsOf.Add(interval))
	case judged > 0 || names > 0:
		u.Since = max(u.now, u.head.AsOf.Add(stay))
	default:
		return false
	}
	return true
}

// ErrOtherFold means that another fold of the season's standings has begun since.
var ErrOtherFold = errors.New("another fold of the season's standings has begun")

// Fold adds what a season's standings lack, as Unfolded has returned it, and makes the result the live snapshot. It may be
// interrupted at any time: readers then keep the last snapshot, and a later fold adds what this one wanted to add. If a
// show is damaged, or not visible yet, Fold adds the others, leaves the show's note, and returns an error that names it.
//
// A fold reads the live snapshot, and the results of the noted shows. Without a live snapshot it reads the results of all
// completed shows of the season instead: that is also how an operator mends standings. It writes a whole snapshot into
// the slot that no reader uses, and then switches the head. At last it deletes the notes. The guards:
//
//	begin        head: live snapshot and last     another fold between Unfolded and the begin: it may have added the
//	             fold as read                     same shows, or deleted their notes
//	snapshot     what is there is of an earlier   a late write of an earlier fold
//	             fold
//	switch       no later fold has begun          a fold that was overtaken, and would undo a switch or share a slot
//	list of      written before the switch; the   after an interruption, notes of shows that the live snapshot has.
//	folded shows next fold deletes their notes    Adding them again would count them twice
//	             before it begins
//	deleted and  the switch removes only those    a deletion or renaming during the fold. Their elements are added
//	renamed      elements that the fold has read  after the results have the name, and only if there is a head: a
//	players                                       fold that creates the head reads results only afterwards
//
// A season of 100,000 players costs about 900 RCU and 4,200 WCU, besides 2 RCU or more for each added show.
func (s *Store) Fold(ctx context.Context, season Unfolded) error {
	ctx = table.Patiently(ctx)
	f := fold{
		Store: s, season: season.Season, noted: season.noted, head: &season.head, to: season.head.Next(season.now),
		asOf:   season.now.Add(-table.Settling), // by then, an answered judging was visible as a whole
		scores: map[game.ID]int64{}, names: map[game.ID]string{},
	}
	shows, err := f.shows(ctx)
	if err != nil || f.head.Live > 0 && len(shows)+f.head.ChangedNames() == 0 {
		return err
	}
	if err := f.update(ctx, f.to.FoldBegun(), f.head.AsRead()); err != nil {
		return err
	}
	if err := f.readLive(ctx); err != nil {
		return err
	}
	damaged, err := f.add(ctx, shows)
	if err != nil {
		return err
	}
	if damaged != nil && len(f.folded)+f.head.ChangedNames() == 0 {
		return damaged
	}
	if err := f.rename(ctx); err != nil {
		return err
	}
	if err := f.write(ctx); err != nil {
		return err
	}
	return errors.Join(f.deleteNotes(ctx, f.folded), damaged)
}

// fold is the state of one call of Fold.
type fold struct {
	*Store
	season game.ID
	noted  []game.ID
	head   *records.StandingsItem // as read
	to     records.Snapshot
	asOf   game.Instant
	scores map[game.ID]int64
	names  map[game.ID]string
	folded []game.ID // shows that the fold adds
}

// update changes the head. It returns ErrOtherFold if the condition fails.
func (f *fold) update(ctx context.Context, change table.Change, c table.Condition) error {
	t := f.Table.Begin()
	t.Update(f.head.Key, change, c, ErrOtherFold)
	return t.Commit(ctx)
}

// shows returns the shows to add. It deletes the notes of those that the live snapshot has.
func (f *fold) shows(ctx context.Context) ([]game.ID, error) {
	if f.head.Live == 0 {
		completed, err := f.AllShows(ctx, game.ShowCompleted)
		shows := slices.Clone(f.noted)
		for _, show := range completed {
			if show.SeasonID == f.season {
				shows = append(shows, show.ID)
			}
		}
		slices.Sort(shows)
		return slices.Compact(shows), err
	}
	lists, err := table.QueryAs(ctx, f.Table, table.Span{PK: f.head.Snapshot().FoldedPK()}, func(i *records.FoldedItem) *records.FoldedItem { return i })
	if err != nil {
		return nil, err
	}
	folded := map[game.ID]bool{}
	for _, list := range lists {
		shows, err := list.FoldedShows()
		if err != nil {
			return nil, err
		}
		for _, show := range shows {
			folded[show] = list.Number == f.head.Live || folded[show]
		}
	}
	var has, lacks []game.ID
	for _, show := range f.noted {
		if folded[show] {
			has = append(has, show)
		} else {
			lacks = append(lacks, show)
		}
	}
	return lacks, f.deleteNotes(ctx, has)
}

// deleteNotes deletes the notes of shows that the live snapshot has.
func (f *fold) deleteNotes(ctx context.Context, shows []game.ID) error {
	_, err := table.InParallel(ctx, ParallelWrites, shows, func(ctx context.Context, show game.ID) (bool, error) {
		return f.Table.Delete(ctx, records.JudgedKey(f.season, show), table.Condition{})
	})
	return err
}

// readLive reads the live snapshot, if there is one.
func (f *fold) readLive(ctx context.Context) error {
	if f.head.Live == 0 {
		return nil
	}
	live := snapshotReader{Store: f.Store, head: f.head}
	pages := make([]int, f.head.Snapshot().Pages(f.head.Players))
	for n := range pages {
		pages[n] = n
	}
	if err := live.load(ctx, pages...); err != nil {
		return err
	}
	for _, rows := range live.pages {
		for _, row := range rows {
			f.scores[row.PlayerID], f.names[row.PlayerID] = row.Score, row.PlayerUsername
		}
	}
	return nil
}

// add adds the results of shows, which it reads several at once. It leaves out shows that are damaged or not visible yet,
// and returns their errors. err is any other fault: the snapshot would lack results of an answered judging.
func (f *fold) add(ctx context.Context, shows []game.ID) (damaged, err error) {
	type results struct {
		entries []game.Entry
		err     error
	}
	for some := range slices.Chunk(shows, table.ParallelReads) {
		all, err := table.InParallel(ctx, table.ParallelReads, some, func(ctx context.Context, show game.ID) (of results, err error) {
			if of.entries, err = f.resultsOf(ctx, show); err != nil {
				err = fmt.Errorf("add the show %s to the standings of %s: %w", show, f.season, err)
			}
			if errors.Is(err, table.ErrDamaged) || errors.Is(err, ErrNotVisible) {
				of.err, err = err, nil
			}
			return of, err
		})
		if err != nil {
			return nil, err
		}
		for i, of := range all {
			if of.err != nil {
				damaged = errors.Join(damaged, of.err)
				continue
			}
			f.folded = append(f.folded, some[i])
			for _, e := range of.entries {
				rank := 0
				if e.Rank != nil {
					rank = *e.Rank
				}
				f.scores[e.PlayerID] += game.SeasonPoints(rank)
				f.names[e.PlayerID] = e.PlayerUsername
			}
		}
	}
	return damaged, nil
}

// resultsOf returns the entries of a completed show.
func (f *fold) resultsOf(ctx context.Context, show game.ID) ([]game.Entry, error) {
	item, err := f.CompletedShow(ctx, show)
	if err != nil {
		return nil, err
	}
	return f.Places(ctx, item, 0, int(item.Count))
}

// CompletedShow reads a show that has a note, or that a board lists as completed. If the show's item is not visible as
// completed yet, it reads it up to twice more, 0.3 s apart, and then returns ErrNotVisible.
func (s *Store) CompletedShow(ctx context.Context, id game.ID) (item *records.ShowItem, err error) {
	completed, err := table.Settled(ctx, 1+EntryRereads, func() (bool, error) {
		item, err = s.ShowItem(ctx, id)
		return item != nil && item.Status == game.ShowCompleted, err
	})
	if err == nil && !completed {
		return nil, ErrNotVisible
	}
	return item, err
}

// rename gives the players whom the head names their present names.
func (f *fold) rename(ctx context.Context) error {
	for player := range records.PlayersIn(f.head.Hidden) {
		f.names[player] = game.DeletedPlayer
	}
	var keys []table.Key
	for player := range records.PlayersIn(f.head.Renamed) {
		keys = append(keys, records.UserKey(player))
	}
	found, err := f.Table.BatchGet(ctx, "", keys...)
	if err != nil {
		return err
	}
	for k := range found {
		user, err := table.In[records.UserItem](found, k)
		if err != nil {
			return err
		}
		f.names[user.Account().ID] = user.Account().ShownName()
	}
	return nil
}

// write writes the snapshot, and makes it live.
func (f *fold) write(ctx context.Context) error {
	standings := game.RankSeason(f.scores)
	for i := range standings {
		standings[i].PlayerUsername = f.names[standings[i].PlayerID]
	}
	items, err := f.to.Items(standings, f.folded)
	if err != nil {
		return err
	}
	_, err = table.InParallel(ctx, ParallelWrites, items, func(ctx context.Context, item any) (written bool, err error) {
		err = f.Table.Put(ctx, item, f.to.OfEarlierFold())
		if errors.Is(err, table.ErrRefused) { // by an earlier attempt of this write, or by a later fold: the switch decides
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("write the standings: %w", err)
	}
	return f.update(ctx, f.head.Switched(f.to, f.asOf, len(standings)), f.to.LastBegun())
}
