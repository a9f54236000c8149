package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// before lets something happen between the reads and the write of the next operation.
func (f fair) before(do func()) { f.Wire.Next("TransactWriteItems", storetest.Before(do)) }

// untilTheNextAttempt lets something happen before the write of an operation that cannot succeed after it, and ends the context at its second attempt.
func (f fair) untilTheNextAttempt(t *testing.T, do func()) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	f.before(do)
	f.before(cancel)
	return ctx
}

func TestShowIsJudgedDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 2)
		f.before(func() { f.MustJudge(t, f.player, f.show, f.now) })
		checkError(t, f.enter(t.Context(), f.player, 0), game.ErrShowClosed)
		checkFaults(t, f.Table)
		f.checkGold(t, f.player, 500, 500)
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
		closes := map[string]any{":closes": int64(f.now) + c.closes}
		f.before(func() {
			f.At(store.GateKey(f.show.ID, 0)).Edit(t, "SET cl = :closes", closes)
			f.At(store.ShowKey(f.show.ID)).Edit(t, "SET cl = :closes", closes)
		})
		checkError(t, f.enter(t.Context(), f.player, 0), c.want)
		checkFaults(t, f.Table)
		entered := 1
		if c.want != nil {
			entered = 0
			f.checkGold(t, f.player, 500, 500)
		}
		checkEqual(t, "entries", len(f.ranks(t)), entered)
	}
}

func TestAnimalIsEnteredTwiceAtOnce(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.before(func() { f.MustEnter(t, f.player, f.show, f.player.Animals[0], f.now) })
		checkError(t, f.enter(t.Context(), f.player, 0), game.ErrDuplicateEntry)
		checkFaults(t, f.Table)
		checkEqual(t, "balance", f.account(t, f.player).GoldBalance, 500-fee)
		f.Invariants(t)
	}
}

// The first entry takes the last of the gold: what the second one meets is still a duplicate.
func TestAnimalIsEnteredTwiceForTheLastGold(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 500, 1)
	f.before(func() { f.MustEnter(t, f.player, f.show, f.player.Animals[0], f.now) })
	checkError(t, f.enter(t.Context(), f.player, 0), game.ErrDuplicateEntry)
	checkFaults(t, f.Table)
	f.checkGold(t, f.player, 0, 500, -500)
	f.Invariants(t)
}

func TestAnimalChangesDuringAnEntry(t *testing.T) {
	t.Parallel()
	calf, pregnant, ill, died := game.StageCalf, game.StatusPregnant, "ill", game.Instant(1)
	for name, c := range map[string]struct {
		change store.AnimalChange
		want   error
	}{
		"dies":              {store.AnimalChange{DiedAt: &died}, game.ErrAnimalUnknown},
		"gets pregnant":     {store.AnimalChange{Status: &pregnant}, game.ErrPregnant},
		"becomes a calf":    {store.AnimalChange{Stage: &calf}, game.ErrCalf},
		"falls ill":         {store.AnimalChange{Status: &ill}, nil}, // which the rules do not mind: the second attempt goes through
		"loses a phenotype": {store.AnimalChange{DropPhenotype: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, fee := range []int64{50, 0} {
				f := newFair(t, game.TierRookie, fee, 1)
				f.before(func() {
					if _, err := f.Rival.ChangeAnimal(t.Context(), f.player.ID, f.player.Animals[0].ID, c.change); err != nil {
						t.Error(err)
					}
				})
				checkError(t, f.enter(t.Context(), f.player, 0), c.want)
				checkFaults(t, f.Table)
				entered := 0
				if c.want == nil {
					entered = 1
				}
				checkEqual(t, "entries", len(f.ranks(t)), entered)
				f.Invariants(t)
			}
		})
	}
}

func TestAnimalIsDeletedDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.before(func() { f.At(store.AnimalKey(f.player.ID, f.player.Animals[0].ID)).Delete(t) })
	checkError(t, f.enter(t.Context(), f.player, 0), game.ErrAnimalUnknown)
	checkFaults(t, f.Table)
	f.Invariants(t)
}

func TestCallerIsBannedDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.before(func() { f.ban(t, f.player) })
		checkError(t, f.enter(t.Context(), f.player, 0), game.ErrUnauthorized)
		checkFaults(t, f.Table)
		checkEqual(t, "entries", len(f.ranks(t)), 0)
		f.checkGold(t, f.player, 500, 500)
		f.Invariants(t)
	}
}

func TestCallerIsDeletedDuringAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.before(func() { f.At(store.UserKey(f.player.ID)).Delete(t) })
		checkError(t, f.enter(t.Context(), f.player, 0), game.ErrUnauthorized)
		checkFaults(t, f.Table)
		checkEqual(t, "entries", len(f.ranks(t)), 0)
	}
}

func TestGoldMovesDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	other := f.Show(t, f.season, f.now, game.TierRookie, 30, 1)
	f.before(func() { f.MustEnter(t, f.player, other, f.player.Animals[0], f.now) })
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Error(err)
	}
	checkFaults(t, f.Table)
	f.checkGold(t, f.player, 420, 500, -30, -50)
	f.Invariants(t)
}

// The balance goes away and comes back: only the ledger's number tells.
func TestGoldMovesAndComesBackDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	other := f.Show(t, f.season, f.now, game.TierRookie, 100, 1) // whose first prize is its fee
	f.before(func() {
		f.MustEnter(t, f.player, other, f.player.Animals[0], f.now)
		f.MustJudge(t, f.player, other, f.now)
		if _, _, err := f.Rival.Claim(t.Context(), f.player.ID, other.ID, f.now); err != nil {
			t.Error(err)
		}
	})
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Error(err)
	}
	checkFaults(t, f.Table)
	f.checkGold(t, f.player, 450, 500, -100, 100, -50)
	f.Invariants(t)
}

// Here nothing but the ledger's number could tell, least of all a balance that has come back to what it was: no row stands in the way.
func TestAccountIsAheadOfWhatAnEntryRead(t *testing.T) {
	t.Parallel()
	for _, gold := range []int64{300, 500} {
		f := newFair(t, game.TierRookie, 50, 1)
		f.before(func() {
			f.At(store.UserKey(f.player.ID)).Edit(t, "SET g = :gold, ls = :seq", map[string]any{":gold": gold, ":seq": 7})
		})
		if err := f.enter(t.Context(), f.player, 0); err != nil {
			t.Error(err)
		}
		checkFaults(t, f.Table)
		if a := f.account(t, f.player); a.GoldBalance != gold-50 || a.LedgerSeq != 8 {
			t.Errorf("got a balance of %d after %d rows, want %d after 8", a.GoldBalance, a.LedgerSeq, gold-50)
		}
	}
}

// Only a broken table has a row that the account does not know of. It is not overwritten, and nobody is charged without a row.
func TestLedgerRowsAreNeverOverwrittenByAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	row := f.At(store.LedgerKey(f.player.ID, 2))
	ctx := f.untilTheNextAttempt(t, func() { row.Edit(t, "SET am = :am, seq = :seq", map[string]any{":am": 7, ":seq": 2}) })
	checkError(t, f.enter(ctx, f.player, 0), context.Canceled)
	checkFaults(t, f.Table)
	checkEqual(t, "entries", len(f.ranks(t)), 0)
	f.checkGold(t, f.player, 500, 500, 7)
}

// Gold becomes short in between: the duplicate that is not there does not hide it.
func TestGoldRunsOutDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 300, 1)
	other := f.Show(t, f.season, f.now, game.TierRookie, 300, 1)
	f.before(func() { f.MustEnter(t, f.player, other, f.player.Animals[0], f.now) })
	checkError(t, f.enter(t.Context(), f.player, 0), game.InsufficientGold(300))
	checkFaults(t, f.Table)
	f.checkGold(t, f.player, 200, 500, -300)
	f.Invariants(t)
}

// seal seals the show's only gate as a judging does, until the given time from now.
func (f fair) seal(t *testing.T, d time.Duration) {
	t.Helper()
	until := game.InstantOf(f.Clock.Now()).Add(d)
	f.At(store.GateKey(f.show.ID, 0)).Edit(t, "SET su = :until", map[string]any{":until": int64(until)})
}

func TestGateIsSealedDuringAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.before(func() { f.seal(t, time.Hour) })
	waited := 0
	look := storetest.Before(func() {
		waited++
		checkEqual(t, "entries behind the seal", len(f.ranks(t)), 0)
	})
	unseal := storetest.Before(func() { f.At(store.GateKey(f.show.ID, 0)).Edit(t, "REMOVE su", nil) })
	f.Wire.Next("GetItem", look, look, look, unseal)
	if err := f.enter(t.Context(), f.player, 0); err != nil {
		t.Error(err)
	}
	checkFaults(t, f.Table)
	checkEqual(t, "reads behind the seal", waited, 3)
	f.checkGold(t, f.player, 450, 500, -50)
	f.Invariants(t)
}

func TestShowIsJudgedBehindASeal(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.seal(t, time.Hour)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() { f.MustJudge(t, f.player, f.show, f.now) }))
	checkError(t, f.enter(t.Context(), f.player, 0), game.ErrShowClosed)
	checkFaults(t, f.Table)
	f.checkGold(t, f.player, 500, 500)
	f.Invariants(t)
}

// A judging that died leaves a seal behind. It ends by itself, and nobody has to remove it.
func TestSealExpiresByItself(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.seal(t, 5*time.Second)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() { f.Clock.Move(5 * time.Second) }))
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second) // on a real clock the seal would last for longer
	defer cancel()
	if err := f.enter(ctx, f.player, 0); err != nil {
		t.Error(err)
	}
	checkFaults(t, f.Table)
	f.Wire.Reset()
	if err := f.enter(ctx, f.player, 1); err != nil {
		t.Error(err)
	}
	checkEqual(t, "round trips past the old seal", f.Wire.Cost().RoundTrips, 2)
	f.Invariants(t)
}

func TestEntrantsDoNotWaitBehindASealForLongerThanTheirDeadline(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.seal(t, time.Hour)
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Before(func() { t.Error("tried to write while the gate was sealed") }))
	checkError(t, f.enter(soon(t), f.player, 0), context.DeadlineExceeded)
	f.checkGold(t, f.player, 500, 500)
	f.Invariants(t)
}
