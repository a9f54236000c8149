package store_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// TestSettling checks how long calls wait before they look at a transaction again. In a bubble nothing else takes time.
func TestSettling(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fair func(t *testing.T) fair
		do   func(ctx context.Context, f fair) error
		want time.Duration
		err  bool
	}{
		"a change that is there": {openFair(0, 1), func(ctx context.Context, f fair) error {
			change := f.Change()
			return errors.Join(f.Desk.Operator(change).Ban(ctx, f.Ann.ID), f.Desk.Operator(change).Ban(ctx, f.Ann.ID))
		}, 300 * time.Millisecond, false},
		"a deletion": {openFair(0, 1), func(ctx context.Context, f fair) error {
			return errOf(f.changes().DeleteUser(ctx, f.Ann.ID))
		}, 300 * time.Millisecond, false},
		"a wrong ledger, five times": {func(t *testing.T) fair {
			f := openFair(0, 1)(t)
			f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = :g", map[string]any{":g": 7})
			return f
		}, func(ctx context.Context, f fair) error { return errOf(f.AuditLedger(ctx, f.Ann.ID)) }, 1200 * time.Millisecond, false},
		"a ledger without an account": {func(t *testing.T) fair {
			f := openFair(0, 1)(t)
			f.At(store.UserKey(f.Ann.ID)).Delete(t)
			return f
		}, func(ctx context.Context, f fair) error { return errOf(sortedAudits(ctx, f.Desk)) }, 300 * time.Millisecond, false},
		"a participation without a show, three times": {func(t *testing.T) fair {
			f := openFair(0, 1)(t)
			f.MustEnter(t, f.Ann, f.Show, 0)
			f.At(store.ShowKey(f.Show.ID)).Delete(t)
			return f
		}, func(ctx context.Context, f fair) error { return errOf(f.PlayedShows(ctx, f.Ann.ID)) }, 600 * time.Millisecond, true},
		"an entry to refund that is missing, three times": {func(t *testing.T) fair {
			f := cancelledFair(t)
			f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET n = :n", map[string]any{":n": 2})
			return f
		}, func(ctx context.Context, f fair) error { return f.changes().Refund(ctx, f.Show.ID, nil) }, 600 * time.Millisecond, true},
		"a repair": {damagedFair, func(ctx context.Context, f fair) error {
			return errOf(repairShow(ctx, f.Desk, f.Change(), f.Show.ID))
		}, 600 * time.Millisecond, false}, // two readings: the second finds it repaired
		"a repair with an account": {func(t *testing.T) fair {
			f := newFair(t, game.TierRookie, 50, 1)
			f.MustEnter(t, f.Ann, f.Show, 0)
			f.participation(0).Delete(t)
			return f
		}, func(ctx context.Context, f fair) error {
			return errOf(repairShow(ctx, f.Desk, f.Change(), f.Show.ID))
		}, 900 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := c.fair(t)
			f.Edited()
			synctest.Test(t, func(t *testing.T) {
				in := f.inABubble(t)
				start := time.Now()
				err := c.do(t.Context(), in)
				took := time.Since(start)
				assert.True(t, took == c.want && (err != nil) == c.err, "took %v, want %v (%v)", took, c.want, err)
			})
		})
	}
}

// Exactly 16 requests of an operation are under way at once if the table answers none of them.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fair      func(t *testing.T) fair
		operation string
		before    int // requests of that kind that are answered
		do        func(ctx context.Context, f fair) error
	}{
		"the entries of a deleted user": {func(t *testing.T) fair {
			f := openFair(0, 1)(t)
			for range 20 {
				f.MustEnter(t, f.Ann, f.AddShow(t, func(d *storetest.ShowDraft) { d.EntryFee = 0 }), 0)
			}
			f.Edited() // the name stays, which breaks an invariant
			return f
		}, "UpdateItem", 0, func(ctx context.Context, f fair) error { return errOf(f.changes().DeleteUser(ctx, f.Ann.ID)) }},
		"refunds": {func(t *testing.T) fair {
			f := openFair(10, 1)(t)
			f.fillForReal(t, 20, 1)
			checkError(t, f.Operator().CancelShow(t.Context(), f.Show.ID), nil)
			return f
		}, "BatchGetItem", 1, func(ctx context.Context, f fair) error { return f.changes().Refund(ctx, f.Show.ID, nil) }},
		"gates of five tiers": {func(t *testing.T) fair {
			f := openFair(0, 1)(t)
			for _, tier := range []string{"a", "b", "c", "d", "e"} {
				f.addShow(t, tier, tier, 1000, 16) // in four partitions
			}
			return f
		}, "Query", 1, func(ctx context.Context, f fair) error { return errOf(firstPage(ctx, f, game.ShowOpen, "")) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := c.fair(t)
			synctest.Test(t, func(t *testing.T) {
				in := f.inABubble(t)
				var underWay atomic.Int32
				in.Wire.Next(c.operation, slices.Repeat([]storetest.Fault{storetest.Pass}, c.before)...)
				for range 1_000 {
					in.Wire.Next(c.operation, func(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
						underWay.Add(1)
						<-r.Context().Done()
						return nil, r.Context().Err()
					})
				}
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- c.do(ctx, in) }()
				time.Sleep(700 * time.Millisecond) // less than an attempt may take
				n := underWay.Load()
				assert.True(t, n == 16, "%d at once, want 16", n)
				cancel()
				assert.Error(t, <-done, "it was done")
				in.Wire.Forget()
			})
		})
	}
}

// A repair ends after a minute if the table does not answer its transaction.
func TestPatienceOfARepair(t *testing.T) {
	t.Parallel()
	f := damagedFair(t)
	f.Edited()
	synctest.Test(t, func(t *testing.T) {
		in := f.inABubble(t)
		in.Wire.Next("TransactWriteItems", slices.Repeat([]storetest.Fault{storetest.Hang}, 1_000)...)
		start := time.Now()
		_, err := repairShow(t.Context(), in.Desk, f.Change(), f.Show.ID)
		took := time.Since(start)
		assert.True(t, err != nil && took >= time.Minute && took <= 70*time.Second, "took %v: %v", took, err)
		in.Wire.Forget()
	})
}
