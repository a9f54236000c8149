package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

const (
	// entryRereads is how often entries are read again that are others than was said: by a gate, before the judging
	// seals the gates; by the results, before the show is taken for damaged.
	entryRereads = 2
	// judgeConflicts is how many conflicts with entries a judging, or a change of the show, bears before it seals the
	// gates.
	judgeConflicts = 3
)

// Judge scores and ranks all entries of an open show and completes it, in one transaction: nobody sees part of it, and
// a crash leaves nothing behind. It returns the contestants from best to last; entries whose animal has no phenotype
// take no part. A zero show names none.
//
// The conditions of the write, and the race each stops:
//
//	show  open                       two judges at once; a cancellation in between
//	show  terms as read              a change of the show in between, which would be undone
//	gate  there, count as read       an entry accepted in between, which would be neither ranked nor refused
//	user  status as read             a ban of the caller in between, also one that is taken back
//
// When entries keep overtaking it, it seals the gates for some seconds; when the show is large, it takes a lease on it,
// and other judges and readers wait: courtesies that make it end. Safety rests on the counts alone.
//
// Four round trips where the show's partitions fit one page each. WCU: 16, 2 for each gate, and 46
// for every 1,000 entries. The packed results must fit DynamoDB's 4 MB: 170,000 entries.
func (s *Store) Judge(ctx context.Context, caller, show game.ID, now game.Instant) ([]game.Contestant, error) {
	j := s.newJudging(show, string(caller), now)
	j.caller = &caller
	return j.run(ctx)
}

// JudgedByDue is who has judged a show that JudgeDue has.
const JudgedByDue = "judge-due"

// ErrNotDue means that a show still accepts entries.
var ErrNotDue = errors.New("the show still accepts entries")

// JudgeDue judges as Judge does, for nobody: a show whose closing time has come, or passed. It returns ErrNotDue before
// that; that the show's terms are as read also holds off a closing time that is put off in between.
func (s *Store) JudgeDue(ctx context.Context, show game.ID, now game.Instant) ([]game.Contestant, error) {
	j := s.newJudging(show, JudgedByDue, now)
	j.due = true
	return j.run(ctx)
}

// judging is one call of Judge, or of another that judges.
type judging struct {
	store  *Store
	show   game.ID
	by     string   // who judges, for the show's record
	caller *game.ID // the player who judges, and must be active; nil: no player does
	due    bool     // the show must not accept entries any more
	now    game.Instant
	traits traitReader

	id game.ID // stands in the show that it completes, and in its lease
	// Of the last attempt to commit.
	player *game.Account // the caller
	judged game.Show
	total  int // entries
	ranked []game.Contestant

	late   bool   // something has come in between: from then on the gates are sealed
	tried  bool   // to commit
	end    func() // ends the saying that it is at work; nil: it has no lease
	leased bool   // once, perhaps
}

func (s *Store) newJudging(show game.ID, by string, now game.Instant) *judging {
	return &judging{
		store: s, show: show, by: by, now: now, id: game.NewID(),
		traits: traitReader{store: s, scorer: game.NewScorer(show), scores: map[game.ID]*game.Fixed{}},
	}
}

func (j *judging) run(ctx context.Context) ([]game.Contestant, error) {
	start := time.Now()
	err := j.store.decide(ctx, "judging", j.try)
	if err != nil {
		j.giveUpLease(ctx)
		return nil, err
	}
	j.count(ctx, time.Since(start))
	return j.ranked, nil
}

// try commits once, unless an attempt whose answer was lost has been applied since.
func (j *judging) try(ctx context.Context) error {
	t := j.store.begin()
	if _, done, err := j.prepare(ctx, t); done || err != nil {
		return err
	}
	return j.store.commit(ctx, t)
}

// prepare reads, scores and fills the transaction in; with the gates sealed once something has come in between. While
// another judging is at work it waits. It returns the show as it was read; done where this judging has completed it.
func (j *judging) prepare(ctx context.Context, t *transaction) (item *showItem, done bool, err error) {
	s := j.store
	j.late = j.late || j.tried
	item, err = j.judgeable(ctx)
	switch {
	case err != nil:
		return nil, false, err
	case item.Judging == j.id:
		return item, true, nil
	case item.leased(game.InstantOf(s.clock()), j.id):
		if _, err := s.awaitJudging(ctx, item, longestLease); err != nil {
			return nil, false, err
		}
		return nil, false, errAtWork
	case j.late:
		if err := s.seal(ctx, item); err != nil {
			return nil, false, err
		}
	}
	defer j.endLease() // it lasts for some seconds more, and is not written while the judging is
	entries, err := j.entries(ctx, item)
	if err != nil {
		return nil, false, err
	}
	if j.ranked, err = j.traits.contestants(ctx, entries); err != nil {
		return nil, false, err
	}
	game.Rank(j.ranked)
	j.tried, j.judged = true, item.show()
	return item, false, j.fill(t, item, entries)
}

// count counts the judging, which has committed. It is early by the time that the show's record has for it.
func (j *judging) count(ctx context.Context, took time.Duration) {
	tally.Add(ctx, tally.JudgedEntries, int64(j.total))
	tally.Add(ctx, tally.JudgingDuration, int64((took+time.Millisecond-1)/time.Millisecond))
	mine := func(c game.Contestant) bool { return j.caller != nil && c.Player == *j.caller }
	if best := slices.IndexFunc(j.ranked, mine); best >= 0 && j.now < j.judged.EntryClosesAt && game.Prize(j.judged.Tier, j.ranked[best].Rank) > 0 {
		tally.Add(ctx, tally.EarlyJudgings, 1)
	}
}

// errAtWork means that another judging has the lease.
var errAtWork = errors.New("another judging is at work")

// judgeable returns the show if it may be judged, or if this judging has completed it.
func (j *judging) judgeable(ctx context.Context) (item *showItem, err error) {
	var user *game.Account
	if j.caller != nil {
		user, item, err = j.store.callerAndShow(ctx, *j.caller, j.show)
	} else {
		item, err = j.store.showItem(ctx, j.show)
	}
	switch {
	case err != nil:
		return nil, err
	case item != nil && item.Judging == j.id:
		return item, nil
	case j.caller != nil && (user == nil || user.Status != game.UserActive):
		return j.completedBeforeTheBan(ctx)
	case item == nil || item.Status != game.ShowOpen:
		return nil, game.ErrShowNotOpen
	case j.due && item.show().AcceptsEntriesAt(j.now):
		return nil, ErrNotDue
	}
	j.player = user
	return item, nil
}

// completedBeforeTheBan returns the show if an attempt of this judging that was given up as lost has completed it; else
// game.ErrUnauthorized. The show may have been read before that attempt arrived, and the ban after it: a batch is no
// snapshot.
func (j *judging) completedBeforeTheBan(ctx context.Context) (*showItem, error) {
	if !j.tried {
		return nil, game.ErrUnauthorized
	}
	item, err := getSettled[showItem](ctx, j.store, showKey(j.show))
	switch {
	case err != nil:
		return nil, err
	case item == nil || item.Judging != j.id:
		return nil, game.ErrUnauthorized
	}
	return item, nil
}

// entries reads the show's entries by their gates. Where a gate counts other than was read, an entry is just being
// applied, or several are: it reads again a few times, and then returns errStale.
func (j *judging) entries(ctx context.Context, item *showItem) ([][]entryItem, error) {
	for attempt := 1; ; attempt++ {
		entries, agree, err := j.readEntries(ctx, item)
		if err != nil || agree {
			return entries, err
		}
		if attempt > entryRereads {
			j.late = true
			return nil, errStale
		}
		if err := j.store.backoff(ctx, attempt); err != nil {
			return nil, fmt.Errorf("the gates count other entries than there are: %w", err)
		}
	}
}

// readEntries reads gates and entries at once. As soon as the gates say that there are many entries, it takes the
// lease.
func (j *judging) readEntries(ctx context.Context, item *showItem) (entries [][]entryItem, agree bool, err error) {
	whole := ctx
	keys := gateKeys(item.show(), item.Gates)
	var gates map[key]*gateItem
	var parts []*part
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		var err error
		if gates, err = j.store.readGates(ctx, keys); err != nil {
			return err
		}
		total := int64(0)
		for _, k := range keys {
			if gates[k] == nil { // just being judged, or created
				return errStale
			}
			total += gates[k].Count
		}
		if total < leaseFrom || j.end != nil {
			return nil
		}
		return j.keepLease(whole)
	})
	group.Go(func() error {
		var err error
		parts, err = j.store.readParts(ctx, j.show, item.Gates, entryPrefix, "PK, SK, u, ca")
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, false, err
	}
	entries = make([][]entryItem, item.Gates)
	for _, p := range parts {
		for _, e := range p.entries {
			k := gateOf(idIn(e.SK), item.Gates)
			entries[k] = append(entries[k], e)
		}
	}
	for k, gate := range keys {
		if int64(len(entries[k])) != gates[gate].Count {
			return nil, false, nil
		}
	}
	return entries, true, nil
}

// fill moves the show and its rows to completed, deletes every gate, and writes the results.
func (j *judging) fill(t *transaction, item *showItem, entries [][]entryItem) error {
	open := item.show()
	completed := open
	completed.Status, completed.JudgedAt = game.ShowCompleted, &j.now
	j.total = 0
	for _, throughGate := range entries {
		j.total += len(throughGate)
	}
	sheets, err := planSheets(j.total, item.Gates)
	if err != nil {
		return err
	}
	t.mostConflicts, t.options = judgeConflicts, []func(*dynamodb.Options){patient}
	fields := newShowFields(completed, item.Gates, int64(j.total))
	judged := showItem{key: item.key, showFields: fields, Terms: item.Terms, Judging: j.id, JudgedBy: j.by, Sheets: sheets}
	condition, values := item.openAsRead()
	t.put(judged, condition, values, errStale)
	if j.player != nil {
		t.checkStatus(*j.player)
	}
	for _, tier := range []string{"", open.Tier} {
		t.remove(boardKey(game.ShowOpen, tier, open))
		t.put(boardItem{key: boardKey(game.ShowCompleted, tier, open), showFields: fields}, "", nil, nil)
		t.put(boardItem{key: boardKey("", tier, open), showFields: fields}, "", nil, nil)
	}
	for k, gate := range gateKeys(open, item.Gates) {
		t.delete(gate, "n = :seen", attributes{":seen": number(len(entries[k]))}, errStale)
	}
	return putResults(t, j.show, sheets, resultsOf(entries, j.ranked))
}

// resultsOf returns a result for every entry, ranked or not.
func resultsOf(entries [][]entryItem, ranked []game.Contestant) []result {
	places := make(map[game.ID]placing, len(ranked))
	for _, c := range ranked {
		places[c.Animal] = placing{c.Rank, c.Score}
	}
	var all []result
	for _, throughGate := range entries {
		for i := range throughGate {
			animal := idIn(throughGate[i].SK)
			all = append(all, result{throughGate[i].Player, animal, places[animal]})
		}
	}
	return all
}

// putResults writes the results: in their first item, or on so many sheets, also empty ones, which it then only
// announces. A sheet that is missing is one that is not visible yet.
func putResults(t *transaction, show game.ID, sheets int, results []result) error {
	bySheet := make([][]result, sheets)
	for _, r := range results {
		k := sheetOf(r.player, sheets)
		bySheet[k] = append(bySheet[k], r)
	}
	first := sheetItem{key: resultsKey(show), Sheets: sheets}
	for k, results := range bySheet {
		packed, err := pack(results)
		if err != nil {
			return err
		}
		if sheets == 1 {
			first.Results = packed
			break
		}
		t.put(sheetItem{key: sheetKey(show, k), Results: packed}, "", nil, nil)
	}
	t.put(first, "", nil, nil)
	return nil
}
