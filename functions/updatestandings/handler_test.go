package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

// Runs write the first standings of a season and the next ones, with a renamed player, and report what they have done.
func TestUpdateStandings(t *testing.T) {
	t.Parallel()
	b := functiontest.NewJob(t, job)
	b.AddFair(t)
	check := func(after time.Duration, folded ...any) {
		t.Helper()
		run := b.After(after).Run(t)
		got := []any{run.Err, run.Line["folded"], run.Line["waiting"], run.Line["function"], run.Metrics["OldestUnfolded"]}
		storetest.Equal(t, "run", got, []any{nil, append([]any{}, folded...), 0.0, "update-standings", 0.0})
	}
	b.Unchanged(t, func() { check(0) })
	b.MustEnter(t, b.Ann, b.Show, 0)
	b.MustJudge(t, b.Ann, b.Show)
	check(time.Minute, string(b.Season.ID))
	b.Unchanged(t, func() { check(2 * time.Minute) })
	second := b.AddShow(t, storetest.Fee(0))
	b.MustEnter(t, b.Ann, second, 0, 1)
	b.MustJudge(t, b.Ann, second)
	b.MustRename(t, b.Ann, "Annie")
	check(3*time.Minute, string(b.Season.ID))
	page, err := b.Rival.TopStandings(t.Context(), b.Season.ID, 0)
	assert.NoError(t, err)
	storetest.Equal(t, "standings", page.Rows, []game.Standing{{Rank: 1, PlayerID: b.Ann.ID, PlayerUsername: "Annie", Score: 260}})
	b.Invariants(t)
}

// works stands in for the store. It has the seasons, and how the fold of each ends.
type works struct {
	all  []store.Unfolded
	fold func(ctx context.Context, season game.ID) error
}

func (w works) Unfolded(context.Context, game.Instant) ([]store.Unfolded, error) { return w.all, nil }

func (w works) Fold(ctx context.Context, s store.Unfolded) error { return w.fold(ctx, s.Season) }

// A fold that fails, panics or is overtaken does not stop the others. If the run's time ends, that is not a failure.
func TestFoldsKeepNoOther(t *testing.T) {
	t.Parallel()
	const now game.Instant = 1_795_167_000_000
	w := works{fold: func(ctx context.Context, season game.ID) error {
		switch season {
		case storetest.ID(1):
			return errors.New("no")
		case storetest.ID(2):
			panic("boom")
		case storetest.ID(3):
			return store.ErrOtherFold
		case storetest.ID(5):
			<-ctx.Done()
			return ctx.Err()
		case storetest.ID(7):
			t.Error("folded before it was due")
		}
		return nil
	}}
	for i := range 8 {
		w.all = append(w.all, store.Unfolded{Season: storetest.ID(i), Since: now.Add(time.Duration(i-6) * time.Second)})
	}
	ctx, figures := tally.New(t.Context())
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	report, err := handler{w}.update(ctx, now)
	for i := range w.all {
		assert.Equal(t, i == 1 || i == 2, err != nil && strings.Contains(err.Error(), string(storetest.ID(i))), "%d: %v", i, err)
	}
	folded := report.Line[0].Value.Any().([]game.ID)
	assert.True(t, slices.Equal(folded, []game.ID{storetest.ID(0), storetest.ID(4)}) && report.Line[1].Value.Int64() == 1, "%v", report)
	assert.EqualValues(t, 5, figures.Get(tally.OldestUnfolded))
}
