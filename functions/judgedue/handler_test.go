package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// closing sets a show's closing time to a duration after functiontest.Start, the bench's time.
func closing(after time.Duration) func(*storetest.ShowDraft) {
	return func(d *storetest.ShowDraft) { d.EntryClosesAt = functiontest.Start.Add(after) }
}

// newBench returns a bench with a fair, whose show closes in a second.
func newBench(t *testing.T) *functiontest.JobBench {
	t.Helper()
	b := functiontest.NewJob(t, job)
	b.AddFair(t, closing(time.Second))
	return b
}

// line returns the log line of a run without failures.
func line(due, ranked, left, waiting int, judged ...game.Show) map[string]any {
	ids := []any{}
	for _, show := range judged {
		ids = append(ids, string(show.ID))
	}
	return map[string]any{
		"level": "INFO", "msg": "run", "function": "judge-due", "version": "7", "due": float64(due), "judged": ids,
		"ranked": float64(ranked), "left": float64(left), "waiting": float64(waiting),
	}
}

// check compares a run's log line, without its metrics, and wants no failure.
func check(t *testing.T, run functiontest.Run, want map[string]any) {
	t.Helper()
	got := map[string]any{}
	for name, value := range run.Line {
		if _, metric := run.Metrics[name]; !metric {
			got[name] = value
		}
	}
	diff := cmp.Diff(want, got)
	assert.True(t, diff == "" && run.Err == nil, "%v, the log (-want +got):\n%s", run.Err, diff)
}

// A run judges shows only after their closing time, with or without entries, in the order of these times.
func TestJudgeDue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	early := b.AddShow(t, closing(time.Millisecond), storetest.Gates(3))
	late := b.AddShow(t, closing(2*time.Second))
	b.MustEnter(t, b.Ann, b.Show, 0, 1)
	b.MustEnter(t, b.Ann, late, 0)
	b.Unchanged(t, func() { check(t, b.Run(t), line(0, 0, 0, 0)) })
	b.Unchanged(t, func() { check(t, b.After(0).Run(t), line(0, 0, 0, 0)) })
	now := b.After(time.Second)
	run := now.Run(t)
	check(t, run, line(2, 2, 0, 0, early, b.Show))
	assert.True(t, run.Metrics["JudgedEntries"] == 2 && run.Metrics["Faults"] == 0 && run.Metrics["EarlyJudgings"] == 0 && run.Metrics["OldestOverdue"] == 0,
		run.Metrics)
	show, entries, err := b.Rival.ShowWithEntries(t.Context(), b.Show.ID)
	assert.True(t, err == nil && show.Status == game.ShowCompleted && *show.JudgedAt == now.Now && len(entries) == 2 && *entries[0].Rank == 1,
		"%+v %+v %v", show, entries, err)
	show, _, err = b.Rival.ShowWithEntries(t.Context(), late.ID)
	assert.True(t, err == nil && show.Status == game.ShowOpen, "a show that has not closed is %s, %v", show.Status, err)
	b.Unchanged(t, func() { check(t, now.Run(t), line(0, 0, 0, 0)) })
	check(t, b.After(time.Hour).Run(t), line(1, 1, 0, 0, late))
	b.Invariants(t)
}

// If a player judges a show between the run's reads and its write, the run counts the show as left and does not fail.
func TestAShowThatSomebodyElseJudges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.MustEnter(t, b.Ann, b.Show, 0)
	b.Meanwhile(func() { b.MustJudge(t, b.Ann, b.Show) })
	check(t, b.After(time.Minute).Run(t), line(1, 0, 1, 0))
	b.Invariants(t)
}

// A show without its own item fails, so that it counts as overdue.
func TestAShowWithoutItsItem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.At("SHOW#"+string(b.Show.ID), "SHOW").Delete(t)
	run := b.After(time.Minute).Run(t)
	assert.True(t, run.Err != nil && run.Metrics["OldestOverdue"] > 0, "%v, %v", run.Err, run.Metrics)
}

// A judging of 10,000 entries takes a lease (a lock on the show with a time limit), as a player's judging does. So does
// a judging during which an entry is written.
func TestItJudgesAsPlayersDo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.MustEnter(t, b.Ann, b.Show, 0)
	b.MustChange(t, b.Ann, 0, operate.AnimalChange{DropPhenotype: true}) // the judging reads it, and does not rank it
	gate := b.Gate(t, b.Show)
	gate.Edit(t, "SET n = :n", map[string]any{":n": 10_000})
	b.Wire.Next("UpdateItem", storetest.Before(func() { gate.Edit(t, "SET n = :n", map[string]any{":n": 1}) }))
	b.Meanwhile(func() { b.MustEnter(t, b.Ann, b.Show, 1) }) // as a process with a slow clock could
	run := b.After(time.Second).Run(t)
	check(t, run, line(1, 1, 0, 0, b.Show))
	assert.True(t, run.Metrics["Leases"] != 0, run.Metrics)
	b.CheckFaults(t)
	b.Invariants(t)
}

// queue stands in for the store. A test sets how the judging of each show ends.
type queue struct {
	due    []store.DueShow
	judge  map[game.ID]func(ctx context.Context) error // nil: the judging takes a tenth of a second
	limit  int                                         // the limit of the request
	mu     sync.Mutex
	judged []game.ID
	atOnce int
	most   int
}

const start game.Instant = 1_795_167_000_000

// add adds n shows that closed a duration before the start, and returns their ids.
func (q *queue) add(n int, ago time.Duration, judge func(ctx context.Context) error) (ids []game.ID) {
	if q.judge == nil {
		q.judge = map[game.ID]func(ctx context.Context) error{}
	}
	for range n {
		show := store.DueShow{ID: storetest.ID(len(q.judge)), ClosedAt: start.Add(-ago)}
		q.due, q.judge[show.ID], ids = append(q.due, show), judge, append(ids, show.ID)
	}
	return ids
}

func (q *queue) DueShows(_ context.Context, _ game.Instant, limit int) ([]store.DueShow, error) {
	q.limit = limit
	return slices.Clone(q.due), nil
}

func (q *queue) JudgeDue(ctx context.Context, show game.ID, _ game.Instant) ([]game.Contestant, error) {
	q.count(1)
	defer q.count(-1)
	var err error
	if judge := q.judge[show]; judge != nil {
		err = judge(ctx)
	} else {
		time.Sleep(100 * time.Millisecond)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		q.judged = append(q.judged, show)
		q.due = slices.DeleteFunc(q.due, func(d store.DueShow) bool { return d.ID == show })
	}
	return nil, err
}

func (q *queue) count(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atOnce += n
	q.most = max(q.most, q.atOnce)
}

// taking returns a judging that takes the duration d, or fails when its context ends.
func taking(d time.Duration) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// run makes one run of the function with 57.5 s, in a synctest bubble. It returns the run's duration, the time in
// seconds since the oldest unjudged show closed, and the error.
func (h *handler) run(t *testing.T) (took time.Duration, oldest int64, err error) {
	t.Helper()
	ctx, figures := tally.New(t.Context())
	ctx, cancel := context.WithTimeout(ctx, 57500*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = h.judge(ctx, start)
	return time.Since(began), figures.Get(tally.OldestOverdue), err
}

func TestAThousandShows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		q.add(1000, time.Minute, nil)
		took, oldest, err := (&handler{shows: q}).run(t)
		assert.True(t, err == nil && len(q.judged) == 1000 && q.most == 8 && q.limit == 1000 && took == 12500*time.Millisecond && oldest == 0,
			"%v: %d judged, %d at once, %d asked for, in %v; the oldest is %d s old", err, len(q.judged), q.most, q.limit, took, oldest)
	})
}

// Fifty shows that cannot be judged, and closed first, prevent the judging of no other show. Each gets five seconds,
// and the rest of the run only after every other show has had its turn. The next run begins with the other shows.
func TestShowsThatCannotBeJudgedKeepNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		bad := q.add(50, time.Hour, taking(time.Hour))
		good := q.add(100, time.Minute, nil)
		h := &handler{shows: q}
		took, oldest, err := h.run(t)
		assert.True(t, len(q.judged) == len(good) && took == 57500*time.Millisecond && oldest == 3600,
			"%d judged in %v; the oldest is %d s old", len(q.judged), took, oldest)
		for _, show := range bad {
			assert.True(t, err != nil && strings.Contains(err.Error(), "show "+string(show)), "%s is not in %v", show, err)
		}
		began, judged := time.Now(), time.Duration(0)
		q.add(1, time.Second, func(context.Context) error { judged = time.Since(began); return nil })
		_, _, err = h.run(t)
		assert.True(t, err != nil && len(q.judged) == len(good)+1 && judged == 0,
			"%d judged, the last one after %v: %v", len(q.judged), judged, err)
	})
}

// A large show gets more than five seconds only after every other show has had its turn.
func TestALargeShow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		large := q.add(1, time.Hour, taking(25*time.Second))
		q.add(400, time.Minute, nil) // with seven at once for 5 s, then eight
		took, oldest, err := (&handler{shows: q}).run(t)
		assert.True(t, err == nil && len(q.judged) == 401 && q.judged[400] == large[0] && took >= 30*time.Second && took <= 31*time.Second && oldest == 0,
			"%v: %d judged in %v; the oldest is %d s old", err, len(q.judged), took, oldest)
	})
}

// If shows are left when a run's time ends, the run does not fail. A panic is a failure.
func TestWhatARunLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{}
		q.add(200, time.Minute, taking(4*time.Second)) // eight at once: there is time for 14 times eight, not for 25
		took, oldest, err := (&handler{shows: q}).run(t)
		assert.True(t, err == nil && len(q.judged) == 14*8 && took == 57500*time.Millisecond && oldest == 60,
			"%v: %d judged in %v; the oldest is %d s old", err, len(q.judged), took, oldest)
		q = &queue{}
		q.add(200, time.Minute, taking(3820*time.Millisecond)) // 200 ms remain: less than leastTime
		took, _, err = (&handler{shows: q}).run(t)
		assert.True(t, err == nil && len(q.judged) == 15*8 && took == 57300*time.Millisecond,
			"%v: %d judged in %v", err, len(q.judged), took)
		q = &queue{}
		q.add(1, time.Minute, func(context.Context) error { panic("boom") })
		q.add(1, time.Minute, nil)
		_, _, err = (&handler{shows: q}).run(t)
		assert.True(t, err != nil && strings.HasPrefix(err.Error(), "cannot judge show "+string(storetest.ID(0))+", and will try again in the next run: panic: boom\n") && len(q.judged) == 1,
			"%v: %d judged", err, len(q.judged))
	})
}
