package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// untilTheNextAttempt runs do before the first write of an operation, which then fails, and cancels the context before
// the second write.
func (f fair) untilTheNextAttempt(t *testing.T, do func()) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	f.Meanwhile(do)
	f.Meanwhile(cancel)
	return ctx
}

// inTheWay is what may happen between the read and the write of an entry of Ann's first animal, in the rules' order.
var inTheWay = []struct {
	name   string
	happen func(t *testing.T, f fair)
	want   error
}{
	{"the caller is banned", func(t *testing.T, f fair) { f.Ban(t, f.Ann.ID) }, game.ErrUnauthorized},
	{"the show is judged", func(t *testing.T, f fair) { f.MustJudge(t, f.Ann, f.Show) }, game.ErrShowClosed},
	{"the show is cancelled", func(t *testing.T, f fair) { f.MustCancel(t, f.Show) }, game.ErrShowClosed},
	{"entries close", func(t *testing.T, f fair) { f.MustSet(t, f.Show, operate.ShowChange{EntryClosesAt: &f.Now}) }, game.ErrShowClosed},
	{"the animal dies", changing(operate.AnimalChange{DiedAt: new(game.Instant)}), game.ErrAnimalUnknown},
	{"the animal is gone", func(t *testing.T, f fair) { f.At(store.AnimalKey(f.Ann.ID, f.Ann.Animals[0].ID)).Delete(t) }, game.ErrAnimalUnknown},
	{"it is pregnant", changing(operate.AnimalChange{Status: new(game.StatusPregnant)}), game.ErrPregnant},
	{"it is a calf", changing(operate.AnimalChange{Stage: new(game.StageCalf)}), game.ErrCalf},
	{itIsEntered, func(t *testing.T, f fair) { f.MustEnter(t, f.Ann, f.Show, 0) }, game.ErrDuplicateEntry},
	{theGoldIsSpent, func(t *testing.T, f fair) {
		f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = :gold, ls = :seq", map[string]any{":gold": 49, ":seq": 7})
	}, game.InsufficientGold(50)},
}

const itIsEntered, theGoldIsSpent = "it is entered", "the gold is spent"

func changing(change operate.AnimalChange) func(t *testing.T, f fair) {
	return func(t *testing.T, f fair) { f.MustChange(t, f.Ann, 0, change) }
}

// The write of an entry does not rely on any earlier read. If it fails, it writes nothing. This holds for users and
// animals that operators have changed before, and for others.
func TestWhatComesInTheWayOfAnEntry(t *testing.T) {
	t.Parallel()
	for _, w := range writesOf("enter") {
		for _, c := range inTheWay {
			if c.name == theGoldIsSpent && w.name == "enter free" {
				continue
			}
			for _, changed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/changed before: %t", w.name, c.name, changed), func(t *testing.T) {
					t.Parallel()
					f := w.fair(t)
					if changed {
						f.Ban(t, f.Ann.ID)
						f.Unban(t, f.Ann.ID)
						f.MustChange(t, f.Ann, 0, operate.AnimalChange{Stage: new("elder")})
					}
					checkError(t, f.comesToNothing(t, w, func() { c.happen(t, f) }), c.want)
				})
			}
		}
	}
}

// Two of these events happen between the read and the write, so several conditions of one write fail. Storage reports
// them in the order of the write's items. The answer is the first in the order of the rules.
func TestSeveralThingsHappenDuringAnEntry(t *testing.T) {
	t.Parallel()
	for i, first := range inTheWay {
		for _, second := range inTheWay[i+1:] {
			if first.want == second.want {
				continue
			}
			t.Run(first.name+" and "+second.name, func(t *testing.T) {
				t.Parallel()
				f := newFair(t, game.TierRookie, 50, 1)
				f.Meanwhile(func() {
					if first.name == itIsEntered { // it needs gold
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

// If the animal changes during an entry, but the rules still allow the entry, its second attempt succeeds.
func TestAnimalChangesDuringAnEntry(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]operate.AnimalChange{
		"falls ill": {Status: new("ill")}, "grows old": {Stage: new("elder")}, "loses its phenotype": {DropPhenotype: true},
	} {
		for _, w := range writesOf("enter") {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := w.fair(t)
				f.Meanwhile(func() { f.MustChange(t, f.Ann, 0, change) })
				checkError(t, w.do(t.Context(), f), nil)
				w.check(t, f)
			})
		}
	}
}

// Only a damaged table has a participation without its entry. An entry does not overwrite it, nor its ledger row.
func TestParticipationsAreNeverOverwrittenByAnEntry(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		ctx := f.untilTheNextAttempt(t, func() {
			f.participation(0).Edit(t, "SET fr = :fe", map[string]any{":fe": map[string]any{"am": 7, "seq": 2}})
		})
		checkError(t, f.enter(ctx, f.Ann, 0), context.Canceled)
		storetest.Equal(t, "entries", len(f.ranks(t)), 0)
		f.CheckGold(t, f.Ann.ID, 500, 500, 7)
	}
}

// An entry without its participation is not overwritten, either.
func TestEntriesAreNeverOverwritten(t *testing.T) {
	t.Parallel()
	for _, fee := range []int64{50, 0} {
		f := newFair(t, game.TierRookie, fee, 1)
		f.MustEnter(t, f.Ann, f.Show, 0)
		f.participation(0).Delete(t)
		f.Unchanged(t, func() { checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrDuplicateEntry) })
	}
}
