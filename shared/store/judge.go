package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/tally"
)

const (
	// EntryRereads is how often a judging reads the entries again, if the gates count others, before it takes the
	// lease.
	EntryRereads = 2
	// JudgeConflicts is how many conflicts with entries a judging, or a change of the show, tolerates before it takes
	// the lease.
	JudgeConflicts = 3
	// ParallelWrites is the most items with results that a judging writes at once. It determines how fast a judging is:
	// an item of 4 KB takes some milliseconds.
	ParallelWrites = 16
)

// Judge scores and ranks all entries of an open show and completes it. It returns the contestants from best to last;
// entries whose animal has no phenotype take no part. It returns game.ErrShowNotOpen if the show is not open or does
// not exist (also if show is ""), and game.ErrUnauthorized if the caller is not active.
//
// Judge first writes the results as plain items under a random name. Then one small transaction completes the show and
// records this name. So a reader who finds the name in the show's item finds all results. A failed judging leaves
// results that no show points to; the nightly audit deletes them (package upkeep).
//
// The conditions of the transaction, and the race each stops:
//
//	show  open                       two judges at once; a cancellation in between
//	show  terms as read              a change of the show in between, which would be undone
//	show  renamings as read          a deleted or renamed player, whose old name would come back with the results
//	gate  there, count as read       an entry accepted in between, which would be neither ranked nor refused
//	user  status as read             a ban of the caller in between, even if undone
//
// After a failed attempt, or if the show has at least leaseFrom entries, Judge takes the show's lease. Entrants, other
// judges and readers then wait, so that Judge ends. Only the conditions make it correct, not the lease.
//
// Four round trips if each of the show's partitions fits one page of 1 MB. The results are written 16 items at a time.
// RCU: 1 for 12 entries. WCU: 18, 2 for each gate, and 94 for every 1,000 entries. At most Ceiling entries.
func (s *Store) Judge(ctx context.Context, caller, show game.ID, now game.Instant) ([]game.Contestant, error) {
	j := s.NewJudgement(show, string(caller), now)
	j.caller = &caller
	return j.run(ctx)
}

// JudgedByDue is the judge's name in the record of a show that JudgeDue has judged.
const JudgedByDue = "judge-due"

// ErrNotDue means that a show still accepts entries.
var ErrNotDue = errors.New("the show still accepts entries")

// JudgeDue judges a show after its closing time, as Judge does but without a caller. Before that time it returns
// ErrNotDue. If an operator postpones the closing time in between, the condition on the show's terms fails. If the show
// has no item of its own, which only a damaged table lacks, JudgeDue returns a DamagedShow.
func (s *Store) JudgeDue(ctx context.Context, show game.ID, now game.Instant) ([]game.Contestant, error) {
	j := s.NewJudgement(show, JudgedByDue, now)
	j.due = true
	return j.run(ctx)
}

// Judgement is one call of Judge or JudgeDue, or an operator's Judgement.
type Judgement struct {
	store  *Store
	show   game.ID
	by     string   // the judge, for the show's record
	caller *game.ID // the player who judges, and must be active; nil: none
	due    bool     // the show must have stopped accepting entries
	Now    game.Instant
	traits traitReader
	Lease  Lease

	id game.ID // recorded in the show that it completes, and in its lease
	// The fields below are of the last attempt to commit.
	player *game.Account // the caller
	judged game.Show
	total  int // entries
	Ranked []game.Contestant

	late  bool // an attempt failed: the next ones take the lease
	tried bool // an attempt to commit may have been sent
}

// NewJudgement returns a judging of a show. by is the judge's name in the show's record.
func (s *Store) NewJudgement(show game.ID, by string, now game.Instant) *Judgement {
	id := game.NewID()
	return &Judgement{
		store: s, show: show, by: by, Now: now, id: id,
		traits: s.NewTraitReader(show), Lease: s.NewLease(show, id),
	}
}

func (j *Judgement) run(ctx context.Context) ([]game.Contestant, error) {
	start := time.Now()
	err := j.store.Table.Decide(ctx, "judging", j.try)
	if err != nil {
		j.Lease.GiveUp(ctx)
		return nil, err
	}
	j.count(ctx, time.Since(start))
	return j.Ranked, nil
}

// try commits once, unless a lost attempt of the call has completed the show.
func (j *Judgement) try(ctx context.Context) error {
	t := j.store.Table.Begin()
	if _, done, err := j.Prepare(ctx, t); done || err != nil {
		return err
	}
	return t.Commit(ctx)
}

// Prepare reads and scores the entries, writes the results and fills in the transaction. After a failed attempt it
// takes the lease first. If another call has the lease, prepare waits for its end and returns errAtWork. It returns the
// show as it was read. done means that a lost attempt of this judging has completed the show.
func (j *Judgement) Prepare(ctx context.Context, t *table.Transaction) (item *records.ShowItem, done bool, err error) {
	s := j.store
	j.late = j.late || j.tried
	item, err = j.judgeable(ctx)
	switch {
	case err != nil:
		return nil, false, err
	case item.Judging == j.id:
		return item, true, nil
	}
	if err := j.Lease.Wait(ctx, item); err != nil {
		return nil, false, err
	}
	if j.late {
		if err := j.Lease.Keep(ctx); err != nil {
			return nil, false, err
		}
	}
	defer j.Lease.Rest() // no write of the lease competes with the judging
	entries, counts, err := j.entries(ctx, item)
	if err != nil {
		return nil, false, err
	}
	if j.Ranked, err = j.traits.Contestants(ctx, entries); err != nil {
		return nil, false, err
	}
	game.Rank(j.Ranked)
	judged, err := s.writeResults(ctx, j.show, game.InstantOf(s.Clock()), entries, j.Ranked)
	if err != nil {
		return nil, false, err
	}
	j.tried, j.judged = true, item.Show()
	j.fill(t, item, counts, judged)
	return item, false, nil
}

// count adds the committed judging to the tally. The judging is early if its caller wins a prize in it before the
// closing time.
func (j *Judgement) count(ctx context.Context, took time.Duration) {
	tally.Add(ctx, tally.JudgedEntries, int64(j.total))
	tally.Add(ctx, tally.JudgingDuration, tally.Milliseconds(took))
	mine := func(c game.Contestant) bool { return j.caller != nil && c.Player == *j.caller }
	if best := slices.IndexFunc(j.Ranked, mine); best >= 0 && j.Now < j.judged.EntryClosesAt && game.Prize(j.judged.Tier, j.Ranked[best].Rank) > 0 {
		tally.Add(ctx, tally.EarlyJudgings, 1)
	}
}

// judgeable returns the show if it may be judged, or if this judging has completed it.
func (j *Judgement) judgeable(ctx context.Context) (item *records.ShowItem, err error) {
	var user *game.Account
	if j.caller != nil {
		user, item, err = j.store.callerAndShow(ctx, *j.caller, j.show)
	} else {
		item, err = j.store.ShowItem(ctx, j.show)
	}
	switch {
	case err != nil:
		return nil, err
	case item != nil && item.Judging == j.id:
		return item, nil
	case j.caller != nil && (user == nil || user.Status != game.UserActive):
		return j.completedBeforeTheBan(ctx)
	case item == nil && j.due: // it is on the board of open shows
		return nil, fmt.Errorf("%w: %w", table.ErrStale, DamagedShow{j.show, "the show's own record is missing"})
	case item == nil || item.Status != game.ShowOpen:
		return nil, game.ErrShowNotOpen
	case j.due && item.Show().AcceptsEntriesAt(j.Now):
		return nil, ErrNotDue
	}
	j.player = user
	return item, nil
}

// completedBeforeTheBan returns the show if a lost attempt of this judging has completed it, and game.ErrUnauthorized
// otherwise. A BatchGet is not a snapshot: it may read the show before the attempt, and the user after the ban.
func (j *Judgement) completedBeforeTheBan(ctx context.Context) (*records.ShowItem, error) {
	if !j.tried {
		return nil, game.ErrUnauthorized
	}
	item, err := table.GetSettled[records.ShowItem](ctx, j.store.Table, records.ShowKey(j.show))
	switch {
	case err != nil:
		return nil, err
	case item == nil || item.Judging != j.id:
		return nil, game.ErrUnauthorized
	}
	return item, nil
}

// entries returns the show's entries, and how many belong to each gate. If a gate counts another number, an entry may
// not be visible yet, and entries reads again, up to EntryRereads times. If the numbers still differ, it returns
// table.ErrStale and a DamagedShow, and the next attempt takes the lease.
func (j *Judgement) entries(ctx context.Context, item *records.ShowItem) ([]records.EntryItem, map[table.Key]int64, error) {
	for attempt := 1; ; attempt++ {
		entries, counts, counted, err := j.readEntries(ctx, item)
		if err != nil || counts != nil {
			return entries, counts, err
		}
		if attempt > EntryRereads {
			j.late = true
			return nil, nil, fmt.Errorf("%w: %w", table.ErrStale, miscounted(j.show, counted, int64(len(entries))))
		}
		if err := j.store.Table.Backoff(ctx, attempt); err != nil {
			return nil, nil, fmt.Errorf("the gates count another number of entries than the show has: %w", err)
		}
	}
}

// readEntries reads gates, entries and the notes of changed animals in parallel. If the gates count at least leaseFrom
// entries, it takes the lease meanwhile. counts has the number of entries of each gate, or is nil if a gate counts
// another number. counted is the sum of the gates.
func (j *Judgement) readEntries(ctx context.Context, item *records.ShowItem) (entries []records.EntryItem, counts map[table.Key]int64, counted int64, err error) {
	whole := ctx
	keys := records.GateKeys(item.Show(), item.Gates)
	var gates map[table.Key]*records.GateItem
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		var err error
		if gates, err = j.store.readGates(ctx, keys); err != nil {
			return err
		}
		for i, k := range keys {
			if gates[k] == nil { // just judged, cancelled, moved or created, or damaged
				return missingGate(j.show, i)
			}
			counted += gates[k].Count
		}
		if counted < leaseFrom {
			return nil
		}
		return j.Lease.Keep(whole)
	})
	group.Go(func() error {
		var err error
		entries, err = j.store.EntriesOf(ctx, j.show, item.Gates, "")
		return err
	})
	group.Go(func() error { return j.traits.ReadNotes(ctx) })
	if err := group.Wait(); err != nil {
		return nil, nil, 0, err
	}
	counts = make(map[table.Key]int64, len(keys))
	for i := range entries {
		counts[keys[records.GateOf(records.IdIn(entries[i].SK), item.Gates)]]++
	}
	for _, k := range keys {
		if counts[k] != gates[k].Count {
			return entries, nil, counted, nil
		}
	}
	return entries, counts, counted, nil
}

// fill adds the show's completion, the moves of its board rows, the deletion of its gates, and the note for the season's
// standings to the transaction.
func (j *Judgement) fill(t *table.Transaction, item *records.ShowItem, counts map[table.Key]int64, judged records.Results) {
	open := item.Show()
	completed := open
	completed.Status, completed.JudgedAt = game.ShowCompleted, &j.Now
	j.total = judged.Entries
	t.MostConflicts = JudgeConflicts
	fields := records.NewShowFields(completed, item.Gates, int64(j.total))
	becomes := records.ShowItem{Key: item.Key, ShowFields: fields, Terms: item.Terms, Renamed: item.Renamed, Judging: j.id, JudgedBy: j.by}
	becomes.VerdictID, becomes.Sheets, becomes.Results = judged.Verdict.Id, judged.Sheets, judged.Own
	t.Put(becomes, item.OpenAsRead().And(item.RenamingsAsRead()), table.ErrStale)
	if j.player != nil {
		t.Check(records.UserKey(j.player.ID), records.UserAsRead(*j.player), table.ErrStale)
	}
	for _, tier := range []string{"", open.Tier} {
		t.Remove(records.BoardKey(game.ShowOpen, tier, open))
		t.Replace(records.BoardItem{Key: records.BoardKey(game.ShowCompleted, tier, open), ShowFields: fields})
		t.Replace(records.BoardItem{Key: records.BoardKey("", tier, open), ShowFields: fields})
	}
	t.Replace(records.NewJudgedItem(completed))
	for _, gate := range records.GateKeys(open, item.Gates) {
		t.Delete(gate, records.GateCounts(counts[gate]), table.ErrStale)
	}
}
