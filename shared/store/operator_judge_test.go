package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// record returns the show's record.
func (f fair) record(t *testing.T) operate.ShowRecord {
	t.Helper()
	return must(f.Rival.ShowRecord(t.Context(), f.Show.ID))(t)
}

// A show is due from its closing time on. From the same instant it accepts no entries.
func TestAShowIsJudgedWhenItIsDue(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	f.Unchanged(t, func() {
		checkError(t, errOf(f.JudgeDue(t.Context(), f.Show.ID, f.Show.EntryClosesAt-1)), store.ErrNotDue)
	})
	ranked, err := f.JudgeDue(t.Context(), f.Show.ID, f.Show.EntryClosesAt)
	assert.True(t, err == nil && len(ranked) == 2 && ranked[0].Animal == f.Ann.Animals[0].ID, "%v, %v", ranked, err)
	storetest.Equal(t, "judge", f.record(t).JudgedBy, store.JudgedByDue)
	checkError(t, errOf(f.JudgeDue(t.Context(), f.Show.ID, f.Show.EntryClosesAt)), game.ErrShowNotOpen)
}

// A show on the board of open shows that has no item of its own is damaged, not judged.
func TestADueShowWithoutItsItem(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.At(store.ShowKey(f.Show.ID)).Delete(t)
	damage, _ := errors.AsType[store.DamagedShow](errOf(f.JudgeDue(t.Context(), f.Show.ID, f.Show.EntryClosesAt)))
	storetest.Equal(t, "damaged", damage.Show, f.Show.ID)
}

// An operator judges a show at any time, as a player may, and leaves a record.
func TestAnOperatorJudges(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	change := operate.NewChange("arn:aws:iam::000000000000:user/ann", "overdue", f.Now)
	ranked, err := f.Desk.Operator(change).JudgeShow(t.Context(), f.Show.ID)
	assert.True(t, err == nil && len(ranked) == 2 && ranked[1].Animal == f.Ann.Animals[1].ID, "%v, %v", ranked, err)
	storetest.Equal(t, "judge", f.record(t).JudgedBy, change.By)
	f.checkRecorded(t, change, "judge show", `"status":"open"`, `"status":"completed"`)
	f.Unchanged(t, func() {
		must(f.Desk.Operator(change).JudgeShow(t.Context(), f.Show.ID))(t)
		for _, show := range []game.ID{f.Show.ID, game.NewID()} {
			checkError(t, errOf(f.changes().JudgeShow(t.Context(), show)), game.ErrShowNotOpen)
		}
	})
}

// An operator's judging recognises that its own lost attempt has arrived late, and writes nothing more.
func TestAnOperatorsJudgingRecognisesItsLateAttempt(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	late, arrive := storetest.Late(storetest.Lost)
	f.Wire.Next("TransactWriteItems", late, storetest.Conflict, storetest.Conflict, storetest.Conflict, storetest.Before(func() { t.Error("wrote again") }))
	// The change's record and the show, twice.
	f.Wire.Next("BatchGetItem", storetest.Pass, storetest.Pass)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(arrive))
	must(f.changes().JudgeShow(t.Context(), f.Show.ID))(t)
	f.Wire.Forget()
	storetest.Equal(t, "ranks", f.ranks(t), map[game.ID]int{f.Ann.Animals[0].ID: 1})
}

// The closing time moves to later while a call judges the show as due. The show is then not due any more.
func TestClosingTimeIsPutOffDuringAJudgingThatIsDue(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	later := f.Show.EntryClosesAt.Add(time.Hour)
	f.Meanwhile(func() { f.MustSet(t, f.Show, operate.ShowChange{EntryClosesAt: &later}) })
	checkError(t, errOf(f.JudgeDue(t.Context(), f.Show.ID, f.Show.EntryClosesAt)), store.ErrNotDue)
}

// A judging or a cancellation of a damaged show names the missing record after four seconds: an entry does not take
// longer to become visible.
func TestADamagedShowIsNamed(t *testing.T) {
	t.Parallel()
	judged := func(ctx context.Context, f fair) error {
		return errOf(f.JudgeDue(ctx, f.Show.ID, f.Show.EntryClosesAt))
	}
	for name, c := range map[string]struct {
		lost func(f fair) storetest.Row
		call func(ctx context.Context, f fair) error
		want string
	}{
		"entry": {func(f fair) storetest.Row { return f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 1)) }, judged, "the show counts 3 entries, and 2 are there"},
		"gate":  {func(f fair) storetest.Row { return f.Gate(t, f.Show) }, judged, "gate 0 of the open show is missing"},
		"of a cancelled": {func(f fair) storetest.Row { return f.Gate(t, f.Show) }, func(ctx context.Context, f fair) error {
			return f.changes().CancelShow(ctx, f.Show.ID)
		}, "gate 0 of the open show is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 1)
			f.MustEnter(t, f.Ann, f.Show)
			c.lost(f).Delete(t)
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			began := time.Now()
			err := c.call(ctx, f)
			took := time.Since(began)
			assert.True(t, took >= 4*time.Second, "it gave up after %v: an entry may take longer to become visible", took)
			checkError(t, err, store.DamagedShow{Show: f.Show.ID, What: c.want})
		})
	}
}
