package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

// The tally has the whole cost of a request: every write, every conflict, and every repetition.
func TestWhatARequestTakesIsCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lay  func(t *testing.T, f fair)
		do   func(ctx context.Context, f fair) error
		want taken
	}{
		"nothing in the way": {func(*testing.T, fair) {}, enterFirst, taken{tally.Attempts: 1}},
		"conflicts": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict)
		}, enterFirst, taken{tally.Attempts: 3, tally.Conflicts: 2}},
		"a change since the read": {func(t *testing.T, f fair) {
			f.Meanwhile(func() { f.MustEnter(t, f.Ann, f.AddShow(t), 1) })
		}, enterFirst, taken{tally.Attempts: 2, tally.Conflicts: 1}},
		"a change since the read, and a conflict beside it": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Cancelled("ConditionalCheckFailed", "TransactionConflict"))
		}, enterFirst, taken{tally.Attempts: 2, tally.Conflicts: 1}},
		"lost answers and throttling": {func(_ *testing.T, f fair) {
			f.Wire.Next("BatchGetItem", storetest.Throttle, storetest.Unprocessed)
			f.Wire.Next("TransactWriteItems", storetest.LoseAnswer, storetest.Unavailable, storetest.InProgress)
		}, enterFirst, taken{tally.Attempts: 4, tally.Retries: 5}},
		"items that are throttled": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Cancelled("None", "ThrottlingError"), storetest.Cancelled("ThrottlingError", "TransactionConflict"))
		}, enterFirst, taken{tally.Attempts: 3, tally.Conflicts: 1, tally.Retries: 1}},
		"a conflict while an attempt is in doubt": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Lost, storetest.Conflict)
		}, enterFirst, taken{tally.Attempts: 3, tally.Conflicts: 1, tally.Retries: 1}},
		"a judging that takes the lease": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
			f.Wire.Next("UpdateItem", storetest.ConflictPlainWrite)
		}, func(ctx context.Context, f fair) error { return f.judge(ctx) },
			taken{tally.Attempts: 6, tally.Conflicts: 4, tally.Leases: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 1)
			c.lay(t, f)
			ctx, took := tally.New(t.Context())
			checkError(t, c.do(ctx, f), nil)
			storetest.Equal(t, "what it took", of(took, tally.Attempts, tally.Conflicts, tally.Retries, tally.Leases), c.want)
		})
	}
}

// taken is a tally's figures, without those that are 0.
type taken map[tally.Figure]int64

// of returns some of a tally's figures.
func of(t *tally.Tally, figures ...tally.Figure) taken {
	all := taken{}
	t.Each(func(f tally.Figure, n int64) {
		if slices.Contains(figures, f) {
			all[f] = n
		}
	})
	return all
}

// Each effect is counted by the call that causes it, and by no other.
func TestWhatBecomesTrueIsCounted(t *testing.T) {
	t.Parallel()
	entered := func(fee int64, gates int) func(t *testing.T) fair {
		return func(t *testing.T) fair {
			f := newFair(t, game.TierRookie, fee, gates)
			f.MustEnter(t, f.Ann, f.Show, 0, 1)
			return f
		}
	}
	judgeBy := func(who func(t *testing.T, f fair) game.ID, late game.Instant) func(context.Context, *testing.T, fair) error {
		return func(ctx context.Context, t *testing.T, f fair) error {
			return errOf(f.Judge(ctx, who(t, f), f.Show.ID, f.Show.EntryClosesAt-1+late))
		}
	}
	ann := func(_ *testing.T, f fair) game.ID { return f.Ann.ID }
	bob := func(t *testing.T, f fair) game.ID { return f.AddPlayer(t, storetest.Bob).ID }
	enter := func(ctx context.Context, _ *testing.T, f fair) error { return enterFirst(ctx, f) }
	claim := func(ctx context.Context, _ *testing.T, f fair) error { return claimOnce(ctx, f) }
	for name, c := range map[string]struct {
		fair func(t *testing.T) fair
		do   func(ctx context.Context, t *testing.T, f fair) error
		err  error
		want taken
	}{
		"registration": {bareFair, func(ctx context.Context, _ *testing.T, f fair) error {
			return f.NewPlayer(storetest.Bob).Create(ctx, f.Store)
		}, nil, taken{tally.GoldPaid: 500}},
		"registration under a name that is taken": {bareFair, func(ctx context.Context, _ *testing.T, f fair) error {
			return f.NewPlayer(storetest.Ann).Create(ctx, f.Store)
		}, game.ErrTaken, taken{}},
		"entry":           {openFair(50, 1), enter, nil, taken{tally.Entries: 1, tally.GoldCharged: 50, tally.Gate: 1}},
		"free entry":      {openFair(0, 1), enter, nil, taken{tally.Entries: 1, tally.Gate: 1}},
		"duplicate entry": {entered(50, 1), enter, game.ErrDuplicateEntry, taken{}},
		"judging a moment early by who wins": {entered(0, 1), judgeBy(ann, 0), nil,
			taken{tally.JudgedEntries: 2, tally.EarlyJudgings: 1}},
		"judging on time by who wins":       {entered(0, 1), judgeBy(ann, 1), nil, taken{tally.JudgedEntries: 2}},
		"judging early by who is not in it": {entered(0, 1), judgeBy(bob, 0), nil, taken{tally.JudgedEntries: 2}},
		"judging early without prizes": {func(t *testing.T) fair {
			f := newFair(t, "exhibition", 0, 1)
			f.MustEnter(t, f.Ann, f.Show, 0)
			return f
		}, judgeBy(ann, 0), nil, taken{tally.JudgedEntries: 1}},
		"judging nobody":        {openFair(0, 1), judgeBy(ann, 0), nil, taken{}},
		"judging what is over":  {judgedFair(game.TierRookie, 1), judgeBy(ann, 0), game.ErrShowNotOpen, taken{}},
		"claim of a prize":      {judgedFair(game.TierRookie, 1), claim, nil, taken{tally.GoldPaid: 100}},
		"claim without a prize": {judgedFair("exhibition", 1), claim, nil, taken{}},
		"second claim": {func(t *testing.T) fair {
			f := judgedFair(game.TierRookie, 1)(t)
			f.MustClaim(t, f.Ann, f.Show)
			return f
		}, claim, game.ErrAlreadyClaimed, taken{}},
		"reading": {judgedFair(game.TierRookie, 1), func(ctx context.Context, _ *testing.T, f fair) error {
			_, _, showErr := f.ShowWithEntries(ctx, f.Show.ID)
			_, scoreErr := f.SeasonScore(ctx, f.Ann.ID, f.Season.ID)
			return errors.Join(showErr, scoreErr)
		}, nil, taken{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := c.fair(t)
			ctx, took := tally.New(t.Context())
			checkError(t, c.do(ctx, t, f), c.err)
			storetest.Equal(t, "what became true", of(took, tally.GoldPaid, tally.GoldCharged, tally.Entries, tally.JudgedEntries,
				tally.EarlyJudgings, tally.Gate), c.want)
			if judged := c.err == nil && strings.HasPrefix(name, "judging"); (took.Get(tally.JudgingDuration) > 0) != judged {
				t.Errorf("it took %d ms", took.Get(tally.JudgingDuration))
			}
		})
	}
}

// The gate's number is the number of the animal's gate, from 1.
func TestTheGateOfAnEntryIsCounted(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 3)
	for i := range f.Ann.Animals {
		ctx, took := tally.New(t.Context())
		checkError(t, f.enter(ctx, f.Ann, i), nil)
		gate := took.Get(tally.Gate)
		want := int64(store.GateOf(f.Ann.Animals[i].ID, 3)) + 1
		assert.Equal(t, want, gate, "gate")
	}
}
