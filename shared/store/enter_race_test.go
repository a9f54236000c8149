package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// untilTheNextAttempt lets something happen before the write of an operation that cannot succeed after it, and ends the
// context at its second attempt.
func (f fair) untilTheNextAttempt(t *testing.T, do func()) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	f.Meanwhile(do)
	f.Meanwhile(cancel)
	return ctx
}

func TestShowIsJudgedDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 2)
		f.Meanwhile(func() { f.MustJudge(t, f.Ann, f.Show) })
		checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrShowClosed)
		f.CheckGold(t, f.Ann.ID, 500, 500)
		f.Invariants(t)
	}
}

// The write compares the closing time itself: it does not rely on what was read.
func TestClosingTimeComesForwardDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		closes int64 // after the entry's now
		want   error
	}{{0, game.ErrShowClosed}, {-1, game.ErrShowClosed}, {1, nil}} {
		f := newFair(t, game.TierRookie, 50, 1)
		f.Meanwhile(func() {
			moved := f.Show
			moved.EntryClosesAt = f.Now + game.Instant(c.closes)
			f.At(store.GateKey(f.Show, 0)).Delete(t) // a gate's key has the closing time
			f.At(store.GateKey(moved, 0)).Edit(t, "SET n = :none", map[string]any{":none": 0})
			f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET cl = :closes", map[string]any{":closes": int64(moved.EntryClosesAt)})
		})
		checkError(t, f.enter(t.Context(), f.Ann, 0), c.want)
		entered := 1
		if c.want != nil {
			entered = 0
			f.CheckGold(t, f.Ann.ID, 500, 500)
		}
		storetest.Equal(t, "entries", len(f.ranks(t)), entered)
	}
}

func TestAnimalIsEnteredTwiceAtOnce(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.Meanwhile(func() { f.MustEnter(t, f.Ann, f.Show, 0) })
		checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrDuplicateEntry)
		storetest.Equal(t, "balance", f.AccountOf(t, f.Ann.ID).GoldBalance, 500-fee)
		f.Invariants(t)
	}
}

// The first entry takes the last of the gold: what the second one meets is still a duplicate.
func TestAnimalIsEnteredTwiceForTheLastGold(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 500, 1)
	f.Meanwhile(func() { f.MustEnter(t, f.Ann, f.Show, 0) })
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrDuplicateEntry)
	f.CheckGold(t, f.Ann.ID, 0, 500, -500)
	f.Invariants(t)
}

func TestAnimalChangesDuringAnEntry(t *testing.T) {
	t.Parallel()
	calf, pregnant, ill, died := game.StageCalf, game.StatusPregnant, "ill", game.Instant(1)
	for name, c := range map[string]struct {
		change store.AnimalChange
		want   error
	}{
		"dies":           {store.AnimalChange{DiedAt: &died}, game.ErrAnimalUnknown},
		"gets pregnant":  {store.AnimalChange{Status: &pregnant}, game.ErrPregnant},
		"becomes a calf": {store.AnimalChange{Stage: &calf}, game.ErrCalf},
		// Which the rules do not mind: the second attempt goes through.
		"falls ill":         {store.AnimalChange{Status: &ill}, nil},
		"loses a phenotype": {store.AnimalChange{DropPhenotype: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fee := range []int64{50, 0} {
				f := newFair(t, game.TierRookie, fee, 1)
				f.Meanwhile(func() { f.MustChange(t, f.Ann, 0, c.change) })
				checkError(t, f.enter(t.Context(), f.Ann, 0), c.want)
				entered := 0
				if c.want == nil {
					entered = 1
				}
				storetest.Equal(t, "entries", len(f.ranks(t)), entered)
				f.Invariants(t)
			}
		})
	}
}

func TestAnimalIsDeletedDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.Meanwhile(func() { f.At(store.AnimalKey(f.Ann.ID, f.Ann.Animals[0].ID)).Delete(t) })
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrAnimalUnknown)
	f.Invariants(t)
}

func TestCallerIsBannedDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.Meanwhile(func() { f.Ban(t, f.Ann.ID) })
		checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrUnauthorized)
		storetest.Equal(t, "entries", len(f.ranks(t)), 0)
		f.CheckGold(t, f.Ann.ID, 500, 500)
		f.Invariants(t)
	}
}

func TestCallerIsDeletedDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.Meanwhile(func() { f.DeleteUser(t, f.Ann.ID) })
		checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrUnauthorized)
		storetest.Equal(t, "entries", len(f.ranks(t)), 0)
	}
}

func TestGoldMovesDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	other := f.AddShow(t, storetest.Fee(30))
	f.Meanwhile(func() { f.MustEnter(t, f.Ann, other, 0) })
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.CheckGold(t, f.Ann.ID, 420, 500, -30, -50)
	f.Invariants(t)
}

// The balance goes away and comes back: only the ledger's number tells.
func TestGoldMovesAndComesBackDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	other := f.AddShow(t, storetest.Fee(100)) // whose first prize is its fee
	f.Meanwhile(func() {
		f.MustEnter(t, f.Ann, other, 0)
		f.MustJudge(t, f.Ann, other)
		f.MustClaim(t, f.Ann, other)
	})
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.CheckGold(t, f.Ann.ID, 450, 500, -100, 100, -50)
	f.Invariants(t)
}

// Here nothing but the ledger's number could tell, least of all a balance that has come back to what it was: no row
// stands in the way.
func TestAccountIsAheadOfWhatAnEntryRead(t *testing.T) {
	t.Parallel()
	for _, gold := range []int64{300, 500} {
		f := newFair(t, game.TierRookie, 50, 1)
		f.Meanwhile(func() {
			f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = :gold, ls = :seq", map[string]any{":gold": gold, ":seq": 7})
		})
		checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
		if a := f.AccountOf(t, f.Ann.ID); a.GoldBalance != gold-50 || a.LedgerSeq != 8 {
			t.Errorf("got a balance of %d after %d rows, want %d after 8", a.GoldBalance, a.LedgerSeq, gold-50)
		}
	}
}

// Only a broken table has the participation of an entry that is not there. It is not overwritten, and with it no row of
// the ledger.
func TestParticipationsAreNeverOverwrittenByAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		ctx := f.untilTheNextAttempt(t, func() {
			f.participation(0).Edit(t, "SET fe = :fe", map[string]any{":fe": map[string]any{"am": 7, "seq": 2}})
		})
		checkError(t, f.enter(ctx, f.Ann, 0), context.Canceled)
		storetest.Equal(t, "entries", len(f.ranks(t)), 0)
		f.CheckGold(t, f.Ann.ID, 500, 500, 7)
	}
}

// Nor is an entry without its participation.
func TestEntriesAreNeverOverwritten(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.participation(0).Delete(t)
		f.Unchanged(t, func() { checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrDuplicateEntry) })
	}
}

// Gold becomes short in between: the duplicate that is not there does not hide it.
func TestGoldRunsOutDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 300, 1)
	other := f.AddShow(t, storetest.Fee(300))
	f.Meanwhile(func() { f.MustEnter(t, f.Ann, other, 0) })
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.InsufficientGold(300))
	f.CheckGold(t, f.Ann.ID, 200, 500, -300)
	f.Invariants(t)
}

// seal seals the show's first gates as a judging does, until the given time from now.
func (f fair) seal(t *testing.T, gates int, d time.Duration) {
	t.Helper()
	until := game.InstantOf(f.Clock.Now()).Add(d)
	for k := range gates {
		f.At(store.GateKey(f.Show, k)).Edit(t, "SET su = :until", map[string]any{":until": int64(until)})
	}
}

// Each pair of things happens between the read and the write, so that several conditions of one write fail: storage
// reports them in the order of the write's items, the answer is the first in the order of the rules.
func TestSeveralThingsHappenDuringAnEntry(t *testing.T) {
	t.Parallel()
	calf, pregnant, died := game.StageCalf, game.StatusPregnant, game.Instant(1)
	changes := func(change store.AnimalChange) func(*testing.T, fair) {
		return func(t *testing.T, f fair) { f.MustChange(t, f.Ann, 0, change) }
	}
	const itIsEntered = "it is entered"
	// In the order of the rules.
	things := []struct {
		name   string
		happen func(*testing.T, fair)
		want   error
	}{
		{"the caller is banned", func(t *testing.T, f fair) { f.Ban(t, f.Ann.ID) }, game.ErrUnauthorized},
		{"the show is judged", func(t *testing.T, f fair) { f.MustJudge(t, f.Ann, f.Show) }, game.ErrShowClosed},
		{"the animal dies", changes(store.AnimalChange{DiedAt: &died}), game.ErrAnimalUnknown},
		{"it is pregnant", changes(store.AnimalChange{Status: &pregnant}), game.ErrPregnant},
		{"it is a calf", changes(store.AnimalChange{Stage: &calf}), game.ErrCalf},
		{itIsEntered, func(t *testing.T, f fair) { f.MustEnter(t, f.Ann, f.Show, 0) }, game.ErrDuplicateEntry},
		{"the gold is spent", func(t *testing.T, f fair) {
			f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = :gold, ls = :seq", map[string]any{":gold": 49, ":seq": 7})
		}, game.InsufficientGold(50)},
	}
	for i, first := range things {
		for _, second := range things[i+1:] {
			t.Run(first.name+" and "+second.name, func(t *testing.T) {
				t.Parallel()
				f := newFair(t, game.TierRookie, 50, 1)
				f.Meanwhile(func() {
					if first.name == itIsEntered { // which cannot be done without gold
						first.happen(t, f)
						second.happen(t, f)
						return
					}
					second.happen(t, f)
					first.happen(t, f)
				})
				checkError(t, f.enter(t.Context(), f.Ann, 0), first.want)
			})
		}
	}
}

func TestGateIsSealedDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.Meanwhile(func() { f.seal(t, 1, 2*time.Second) })
	waited := 0
	look := storetest.Before(func() {
		waited++
		storetest.Equal(t, "entries behind the seal", len(f.ranks(t)), 0)
	})
	unseal := storetest.Before(func() { f.At(store.GateKey(f.Show, 0)).Edit(t, "REMOVE su", nil) })
	f.Wire.Next("GetItem", look, look, unseal)
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	storetest.Equal(t, "reads behind the seal", waited, 2)
	f.CheckGold(t, f.Ann.ID, 450, 500, -50)
	f.Invariants(t)
}

// Who has an entry need not wait to be told so.
func TestADuplicateDoesNotWaitBehindASeal(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.Meanwhile(func() {
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.seal(t, 1, store.SealLease)
	})
	f.Wire.Next("GetItem", storetest.Before(func() { t.Error("looked for a seal") }))
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrDuplicateEntry)
	f.Wire.Forget()
	f.CheckGold(t, f.Ann.ID, 450, 500, -50)
}

func TestShowIsJudgedBehindASeal(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.seal(t, 1, 2*time.Second)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() { f.MustJudge(t, f.Ann, f.Show) }))
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrShowClosed)
	f.CheckGold(t, f.Ann.ID, 500, 500)
	f.Invariants(t)
}

// A judging that died leaves a seal behind. It ends by itself, and nobody has to remove it.
func TestSealExpiresByItself(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.seal(t, 1, store.SealLease)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() { f.Clock.Move(store.SealLease) }))
	// On a real clock the seal would last for longer.
	ctx, cancel := context.WithTimeout(t.Context(), store.SealLease-time.Second)
	defer cancel()
	checkError(t, f.enter(ctx, f.Ann, 0), nil)
	f.CheckFaults(t)
	f.Wire.Reset()
	checkError(t, f.enter(ctx, f.Ann, 1), nil)
	storetest.Equal(t, "round trips past the old seal", f.Wire.Cost().RoundTrips, 2)
	f.Invariants(t)
}

// The clock of a judging that died was an hour fast: nobody waits for its seal, which takes a look at the gate and
// another attempt.
func TestSealOfAClockThatIsFast(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.seal(t, 1, time.Hour)
	f.Wire.Reset()
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	storetest.Equal(t, "round trips past the seal", f.Wire.Cost().RoundTrips, 5)
	f.Invariants(t)
}

// An entry that meets conflicts for seconds, as in a crowd, sends what it has read the clock for long ago; a seal that
// is set meanwhile stops it all the same.
func TestSealStopsAnEntryThatIsOldByThen(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Before(func() {
		f.Clock.Move(3 * time.Second)
		f.seal(t, 1, store.SealLease)
	}))
	f.Wire.Next("GetItem", storetest.Before(func() { f.Clock.Move(store.SealLease) })) // the look at the gate
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	f.CheckFaults(t)
	f.Invariants(t)
}

func TestEntrantsDoNotWaitBehindASealForLongerThanTheirDeadline(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.seal(t, 1, store.SealLease)
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Before(func() { t.Error("tried to write while the gate was sealed") }))
	checkError(t, f.enter(soon(t), f.Ann, 0), context.DeadlineExceeded)
	f.Wire.Forget()
	f.CheckGold(t, f.Ann.ID, 500, 500)
	f.Invariants(t)
}
