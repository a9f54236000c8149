package store_test

import (
	"context"
	"testing"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/tally"
)

// What a request took is told whole: every write that was sent, every one that met another, and whatever else was sent
// again.
func TestWhatARequestTakesIsCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lay  func(t *testing.T, f fair)
		do   func(ctx context.Context, f fair) error
		want map[tally.Figure]int64
	}{
		"nothing in the way": {func(*testing.T, fair) {}, enterFirst, map[tally.Figure]int64{tally.Attempts: 1}},
		"conflicts": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict)
		}, enterFirst, map[tally.Figure]int64{tally.Attempts: 3, tally.Conflicts: 2}},
		"a change since the read": {func(t *testing.T, f fair) {
			f.Meanwhile(func() { f.MustEnter(t, f.Ann, f.AddShow(t), 1) })
		}, enterFirst, map[tally.Figure]int64{tally.Attempts: 2, tally.Conflicts: 1}},
		"lost answers and throttling": {func(_ *testing.T, f fair) {
			f.Wire.Next("BatchGetItem", storetest.Throttle, storetest.Unprocessed)
			f.Wire.Next("TransactWriteItems", storetest.LoseAnswer, storetest.Unavailable, storetest.InProgress)
		}, enterFirst, map[tally.Figure]int64{tally.Attempts: 4, tally.Retries: 5}},
		"items that are throttled": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Cancelled("None", "ThrottlingError"), storetest.Cancelled("ThrottlingError", "TransactionConflict"))
		}, enterFirst, map[tally.Figure]int64{tally.Attempts: 3, tally.Conflicts: 1, tally.Retries: 1}},
		"a conflict while an attempt is in doubt": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Lost, storetest.Conflict)
		}, enterFirst, map[tally.Figure]int64{tally.Attempts: 3, tally.Conflicts: 1, tally.Retries: 1}},
		"a judging that seals": {func(_ *testing.T, f fair) {
			f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
			f.Wire.Next("UpdateItem", storetest.ConflictPlainWrite)
		}, func(ctx context.Context, f fair) error { return f.judge(ctx) },
			map[tally.Figure]int64{tally.Attempts: 6, tally.Conflicts: 4, tally.Seals: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 1)
			c.lay(t, f)
			ctx, took := tally.New(t.Context())
			checkError(t, c.do(ctx, f), nil)
			got := map[tally.Figure]int64{}
			took.Each(func(f tally.Figure, n int64) { got[f] = n })
			storetest.Equal(t, "what it took", got, c.want)
			f.Invariants(t)
		})
	}
}
