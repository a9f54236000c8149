package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// check compares a run's pending and finished work, and the age of the oldest unfinished work in seconds.
func check(t *testing.T, run functiontest.Run, pending int, oldest float64, finished ...game.ID) {
	t.Helper()
	ids := []any{}
	for _, id := range finished {
		ids = append(ids, string(id))
	}
	got := []any{run.Err, run.Metrics["OldestUnfinished"], run.Line["pending"], run.Line["finished"], run.Line["function"]}
	assert.Empty(t, cmp.Diff([]any{error(nil), oldest, float64(pending), ids, "finish-pending"}, got), "the run (-want +got)")
}

// die simulates the end of the wire's process after a number of requests: the context ends, and no later request
// passes.
func die(ctx context.Context, wire *storetest.Wire, requests int) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	var sent atomic.Int64
	wire.Through(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if sent.Add(1) > int64(requests) {
				cancel(errDead)
				return nil, errDead
			}
			return next.RoundTrip(r)
		})
	})
	return ctx
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var errDead = errors.New("the process has been killed")

// In 20 subtests, the process of an operator's cancellation dies after 1 to 20 requests. If the show is cancelled, the
// next run pays every unpaid fee back, once.
func TestACancellationThatIsKilled(t *testing.T) {
	t.Parallel()
	const kills = 20
	var group sync.WaitGroup
	var cancelled atomic.Int64
	for k := range kills {
		group.Go(func() {
			t.Run("", func(t *testing.T) {
				b := functiontest.NewJob(t, job)
				b.AddFair(t, storetest.Fee(50), storetest.Gates(2))
				bob, cid := b.AddPlayer(t, storetest.Bob), b.AddPlayer(t, storetest.Cid)
				for _, p := range []storetest.Player{b.Ann, bob, cid} {
					b.MustEnter(t, p, b.Show, 0, 1)
				}
				operators, wire := b.Another(t)
				ctx := die(t.Context(), wire, k+1)
				operator := operators.Operator(b.Change())
				err := operator.CancelShow(ctx, b.Show.ID)
				if err == nil {
					err = operator.Refund(ctx, b.Show.ID, nil)
				}
				assert.Error(t, err, "killed after %d requests: it has not been", k+1)
				works, err := b.Rival.Unfinished(t.Context())
				assert.NoError(t, err)
				if show, _, err := b.Rival.ShowWithEntries(t.Context(), b.Show.ID); err != nil || show.Status == game.ShowOpen {
					check(t, b.Run(t), 0, 0)
					return // killed before the show was cancelled, which the operator sees
				}
				cancelled.Add(1)
				require.Len(t, works, 1, "killed after %d requests: %v", k+1, works)
				check(t, b.After(59*time.Second).Run(t), 1, 0, b.Show.ID)
				for _, p := range []storetest.Player{b.Ann, bob, cid} {
					b.CheckGold(t, p.ID, 500, 500, -50, -50, 50, 50)
				}
				b.Unchanged(t, func() { check(t, b.Run(t), 0, 0) })
				b.Invariants(t)
			})
		})
	}
	group.Wait()
	n := cancelled.Load()
	assert.True(t, n >= kills*3/4, "of %d killed calls %d had cancelled the show", kills, n)
}

// A run also finishes a deletion and a renaming that failed halfway. Every entry and result then shows the new name.
func TestChangesOfNamesThatAreKilled(t *testing.T) {
	t.Parallel()
	b := functiontest.NewJob(t, job)
	b.AddFair(t, storetest.Fee(50), storetest.Gates(1))
	bob := b.AddPlayer(t, storetest.Bob)
	open, completed := b.AddShow(t, storetest.Gates(1)), b.AddShow(t, storetest.Gates(1))
	for _, show := range []game.Show{b.Show, open, completed} {
		b.MustEnter(t, b.Ann, show, 0)
		b.MustEnter(t, bob, show, 0)
	}
	b.MustJudge(t, b.Ann, completed)
	operators, wire := b.Another(t)
	wire.Next("UpdateItem", storetest.Denied)
	_, err := operators.Operator(b.Change()).DeleteUser(t.Context(), b.Ann.ID)
	assert.Error(t, err, "deleted whole")
	wire.Next("TransactWriteItems", storetest.Pass, storetest.Denied)
	_, err = operators.Operator(b.Change()).SetUser(t.Context(), bob.ID, operate.UserChange{Username: new("Robert")})
	assert.Error(t, err, "renamed whole")
	assert.NoError(t, b.Operator().CancelShow(t.Context(), b.Show.ID))
	run := b.Run(t)
	finished, _ := run.Line["finished"].([]any)
	assert.True(t, run.Err == nil && len(finished) == 3 && run.Metrics["OldestUnfinished"] == 0, "%v: %v", run.Err, run.Line)
	for _, show := range []game.Show{b.Show, open, completed} {
		_, entries, err := b.Rival.ShowWithEntries(t.Context(), show.ID)
		names := map[string]bool{}
		for _, e := range entries {
			names[e.PlayerUsername] = true
		}
		assert.True(t, err == nil && len(entries) == 2 && names[game.DeletedPlayer] && names["Robert"], "%+v, %v", entries, err)
	}
	b.Invariants(t)
}

// works stands in for the store. It has the pending work and the outcome of each piece.
type works struct {
	all    []store.PendingWork
	finish func(ctx context.Context, i int) error
}

func (w works) Unfinished(context.Context) ([]store.PendingWork, error) { return w.all, nil }

func (w works) Finish(ctx context.Context, one store.PendingWork, _ game.Instant) (bool, error) {
	err := w.finish(ctx, one.Left)
	return err == nil, err
}

// A piece of work that fails, panics or hangs does not stop the others. If the run's time ends, that is not a failure.
func TestWorksKeepNoOther(t *testing.T) {
	t.Parallel()
	const now game.Instant = 1_795_167_000_000
	w := works{finish: func(ctx context.Context, i int) error {
		switch i {
		case 1:
			return errors.New(strings.Repeat("x", 3000))
		case 2:
			panic("boom")
		case 3:
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}
	for i := range 10 {
		w.all = append(w.all, store.PendingWork{Work: store.WorkNames, User: storetest.ID(i), Since: now.Add(time.Duration(i-20) * time.Second), Left: i})
	}
	ctx, figures := tally.New(t.Context())
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	report, err := (handler{w}).finish(ctx, now)
	text := err.Error()
	for _, want := range []string{"names of " + string(storetest.ID(1)) + ", and will try again: xxx", "names of " + string(storetest.ID(2)) + ", and will try again: panic: boom"} {
		assert.Contains(t, text, want)
	}
	assert.True(t, !strings.Contains(text, string(storetest.ID(3))) && !strings.Contains(text, strings.Repeat("x", longestError+1)), text)
	if done := report.Line[1].Value.Any().([]game.ID); len(done) != 7 || figures.Get(tally.OldestUnfinished) != 19 {
		t.Errorf("%v, %d", done, figures.Get(tally.OldestUnfinished))
	}
}

// Refunds that take all of a run's time, and are older, do not keep names waiting.
func TestNamesComeFirst(t *testing.T) {
	t.Parallel()
	const now game.Instant = 1_795_167_000_000
	w := works{finish: func(ctx context.Context, i int) error {
		if i < atOnce {
			<-ctx.Done()
		}
		return ctx.Err()
	}}
	for i := range atOnce {
		w.all = append(w.all, store.PendingWork{Work: store.WorkRefunds, Show: storetest.ID(i), Since: now.Add(-time.Minute), Left: i})
	}
	w.all = append(w.all, store.PendingWork{Work: store.WorkNames, User: storetest.ID(atOnce), Since: now, Left: atOnce})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	report, err := (handler{w}).finish(ctx, now)
	require.NoError(t, err)
	storetest.Equal(t, "finished", report.Line[1].Value.Any().([]game.ID), []game.ID{storetest.ID(atOnce)})
}

// A run tries work that is older than an hour only once an hour. Each run reports the age of that work.
func TestOldWork(t *testing.T) {
	t.Parallel()
	const hour game.Instant = 1_795_168_800_000
	tried := 0
	w := works{
		all:    []store.PendingWork{{Work: store.WorkRefunds, Show: storetest.ID(1), Since: hour.Add(-time.Hour)}},
		finish: func(context.Context, int) error { tried++; return errors.New("no") },
	}
	for at, want := range map[time.Duration]int{0: 1, time.Minute: 0, time.Hour: 1, 90 * time.Minute: 0} {
		tried = 0
		ctx, figures := tally.New(t.Context())
		_, err := (handler{w}).finish(ctx, hour.Add(at))
		age := figures.Get(tally.OldestUnfinished)
		assert.True(t, tried == want && (err == nil) == (want == 0) && age == int64((time.Hour+at).Seconds()),
			"after %v: tried %d times, %v; %d s old", at, tried, err, age)
	}
}
