package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

const (
	// sealLease is how long a seal keeps entries waiting, unless the judging ends before: longer than reading 50,000
	// entries again and committing, shorter than an entry's own deadline.
	sealLease = 5 * time.Second
	// entryRereads is how often a judging reads a gate again that counts other than it holds, before it seals the
	// gates.
	entryRereads = 2
	// judgeConflicts is how many conflicts with entries a judging bears before it seals the gates.
	judgeConflicts = 3
)

// Judge scores and ranks all entries of an open show and completes it, in one transaction: nobody sees part of it, and
// a crash leaves nothing behind. It returns the contestants from best to last; entries whose animal has no phenotype
// take no part. A zero show names none.
//
// The conditions of the write, and the race each stops:
//
//	show  open                       two judges at once
//	gate  open, count as read        an entry accepted in between, which would be neither ranked nor refused
//	user  active                     a ban of the caller in between
//
// When entries keep overtaking it, it seals the gates for some seconds: a courtesy that makes it end. Safety rests on
// the counts alone.
//
// Four round trips for a show whose gates fit one page each. WCU: about 16, and 44 more for every 1,000 entries. The
// packed results must fit DynamoDB's 4 MB: 180,000 entries.
func (s *Store) Judge(ctx context.Context, caller, show game.ID, now game.Instant) ([]game.Contestant, error) {
	j := judging{
		store: s, caller: caller, show: show, now: now, id: game.NewID(),
		traits: traitReader{store: s, scorer: game.NewScorer(show), scores: map[game.ID]*game.Fixed{}},
	}
	if err := decide(ctx, "judging", j.try); err != nil {
		return nil, err
	}
	return j.ranked, nil
}

// judging is one call of Judge.
type judging struct {
	store        *Store
	caller, show game.ID
	now          game.Instant
	traits       traitReader

	id     game.ID           // stands in the show that it completes
	ranked []game.Contestant // of the last attempt to commit
	tried  bool              // once: from then on with the gates sealed
}

// try reads, scores and commits once; from the second time on with the gates sealed.
func (j *judging) try(ctx context.Context) error {
	s := j.store
	item, err := s.judgeable(ctx, j.caller, j.show, j.id)
	switch {
	case err != nil:
		return err
	case item.Judging == j.id: // an attempt whose answer was lost has been applied since
		return nil
	case j.tried:
		if err := s.seal(ctx, j.show, item.Gates); err != nil {
			return err
		}
	}
	j.tried = true
	gates, err := s.entriesToJudge(ctx, j.show, item.Gates)
	if err != nil {
		return err
	}
	if j.ranked, err = j.traits.contestants(ctx, gates); err != nil {
		return err
	}
	game.Rank(j.ranked)
	t, err := j.transaction(item, gates)
	if err != nil {
		return err
	}
	return s.commit(ctx, t)
}

// judgeable returns the show if the caller may judge it, or if the judging with the id has completed it.
func (s *Store) judgeable(ctx context.Context, caller, show, judging game.ID) (*showItem, error) {
	user, item, err := s.callerAndShow(ctx, caller, show)
	switch {
	case err != nil:
		return nil, err
	case item != nil && item.Judging == judging:
		return item, nil
	case user == nil || user.Status != game.UserActive:
		return nil, game.ErrUnauthorized
	case item == nil || item.Status != game.ShowOpen:
		return nil, game.ErrShowNotOpen
	}
	return item, nil
}

// seal asks entries to wait, gate by gate. Where a gate is no longer open there is nothing to seal: the next read will
// tell.
func (s *Store) seal(ctx context.Context, show game.ID, gates int) error {
	tally.Add(ctx, tally.Seals)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for k := range gates {
		group.Go(func() error {
			_, err := s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: &s.table, Key: gateKey(show, k).attributes(),
				UpdateExpression: aws.String("SET su = :until"), ConditionExpression: aws.String("op = :true"),
				ExpressionAttributeValues: attributes{":until": number(game.InstantOf(s.clock()).Add(sealLease)), ":true": boolean(true)},
			})
			var judged *types.ConditionalCheckFailedException
			if err != nil && !errors.As(err, &judged) {
				return fmt.Errorf("seal: %w", err)
			}
			return nil
		})
	}
	return group.Wait()
}

// entriesToJudge reads every gate with its entries. Where a gate's count differs from the entries, an entry is just
// being applied, or several are: it reads again a few times, and then returns errStale.
func (s *Store) entriesToJudge(ctx context.Context, show game.ID, gates int) ([]*gateContents, error) {
	const projection = "PK, SK, u, ca, n"
	contents, err := s.readGates(ctx, show, gates, entryPrefix, projection)
	if err != nil {
		return nil, err
	}
	for k, g := range contents {
		for attempt := 1; int64(len(g.entries)) != g.gate.Count; attempt++ {
			if attempt > entryRereads {
				return nil, errStale
			}
			if err := backoff(ctx, attempt); err != nil {
				return nil, fmt.Errorf("gate %d counts %d entries and has %d: %w", k, g.gate.Count, len(g.entries), err)
			}
			if g, err = s.readGate(ctx, show, k, entryPrefix, projection); err != nil {
				return nil, err
			}
			contents[k] = g
		}
	}
	return contents, nil
}

// transaction moves the show and its rows to completed, and closes every gate on its results.
func (j *judging) transaction(item *showItem, gates []*gateContents) (*transaction, error) {
	open := item.show()
	completed := open
	completed.Status, completed.JudgedAt = game.ShowCompleted, &j.now
	total := int64(0)
	for _, g := range gates {
		total += int64(len(g.entries))
	}
	t := j.store.begin()
	t.mostConflicts, t.options = judgeConflicts, []func(*dynamodb.Options){patient}
	fields := newShowFields(completed, item.Gates, total)
	t.put(showItem{key: item.key, showFields: fields, Judging: j.id}, "st = :open", attributes{":open": str(string(game.ShowOpen))}, errStale)
	t.check(userKey(j.caller), "st = :active", attributes{":active": str(string(game.UserActive))}, errStale)
	for _, tier := range []string{"", open.Tier} {
		t.remove(boardKey(game.ShowOpen, tier, open))
		t.put(boardItem{key: boardKey(game.ShowCompleted, tier, open), showFields: fields}, "", nil, nil)
		t.put(boardItem{key: boardKey("", tier, open), showFields: fields}, "", nil, nil)
	}
	return t, j.store.closeGates(t, open.ID, gates, j.ranked)
}

// closeGates writes the results of every gate, in the gate or on its sheets.
func (s *Store) closeGates(t *transaction, show game.ID, gates []*gateContents, ranked []game.Contestant) error {
	byGate, counts := make([][]result, len(gates)), make([]int, len(gates))
	for _, c := range ranked {
		k := gateOf(c.Animal, len(gates))
		byGate[k] = append(byGate[k], result{c.Animal, c.Rank, c.Score})
		counts[k]++
	}
	plan, err := planSheets(counts)
	if err != nil {
		return err
	}
	for k, g := range gates {
		values := attributes{":true": boolean(true), ":false": boolean(false), ":seen": number(len(g.entries))}
		change := "SET op = :false, sh = :sheets"
		if plan[k] == 0 {
			packed, err := pack(byGate[k])
			if err != nil {
				return err
			}
			change = "SET op = :false, re = :results"
			values[":results"] = blob(packed)
		} else {
			values[":sheets"] = number(plan[k])
			if err := putSheets(t, show, k, plan[k], byGate[k]); err != nil {
				return err
			}
		}
		t.update(gateKey(show, k), change, "op = :true AND n = :seen", values, errStale)
	}
	return nil
}

// putSheets writes all sheets of a gate, also empty ones: a sheet that is missing is one that is not visible yet.
func putSheets(t *transaction, show game.ID, gate, sheets int, results []result) error {
	bySheet := make([][]result, sheets)
	for _, r := range results {
		j := sheetOf(r.animal, sheets)
		bySheet[j] = append(bySheet[j], r)
	}
	for j, results := range bySheet {
		packed, err := pack(results)
		if err != nil {
			return err
		}
		t.put(sheetItem{key: sheetKey(show, gate, j), Results: packed}, "", nil, nil)
	}
	return nil
}
