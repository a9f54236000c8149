package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// repairShow finds the records of a show, and repairs it.
func repairShow(ctx context.Context, s operate.Desk, c operate.Change, show game.ID) ([]operate.Repair, error) {
	traces, err := s.TracesOf(ctx, show)
	if err != nil {
		return nil, err
	}
	return s.Operator(c).RepairShow(ctx, traces)
}

// repair repairs a show in a synctest bubble, in which waiting takes no time.
func (f fair) repair(t *testing.T, show game.ID) (repairs []operate.Repair, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in := f.inABubble(t)
		repairs, err = repairShow(t.Context(), in.Desk, f.Change(), show)
	})
	return repairs, err
}

// repaired repairs a show as planned, checks that a second repair changes nothing, and returns what was left.
func (f fair) repaired(t *testing.T, show game.ID) (left []operate.Repair) {
	t.Helper()
	var planned []operate.Repair
	f.Unchanged(t, func() { planned = must(f.PlanRepair(t.Context(), must(f.TracesOf(t.Context(), show))(t)))(t) })
	repairs := must(f.repair(t, show))(t)
	for _, p := range planned {
		assert.True(t, !p.Done || slices.Contains(repairs, p), "%+v was planned, and not done: %+v", p, repairs)
	}
	assert.True(t, len(planned) > 0 && planned[0].Done, "planned %+v, and done %+v", planned, repairs)
	left = slices.DeleteFunc(repairs, func(r operate.Repair) bool { return r.Done })
	f.Unchanged(t, func() {
		again := must(f.repair(t, show))(t)
		storetest.Equal(t, "second repair", again, left)
	})
	return left
}

// A repair restores rows of each kind. Then the invariants hold, and players see the same entries as before. Package
// operate tests the plan of a repair for each row.
func TestARepairOfEachKind(t *testing.T) {
	t.Parallel()
	p := newPlayed(t)
	part := func(who storetest.Player, show game.Show, i int) storetest.Row {
		return p.At(store.ParticipationKey(who.ID, show.SeasonID, show.ID, who.Animals[i].ID))
	}
	page := p.At(store.PageKey(t.Context(), p.Store, p.Show.ID, 0))
	entry := func(who storetest.Player, show game.Show) storetest.Row {
		return p.At(store.EntryKey(show.ID, who.Animals[0].ID, 2))
	}
	for show, lost := range map[game.Show][]storetest.Row{
		p.Show:      {part(p.Ann, p.Show, 0), entry(p.rival, p.Show), page},
		p.open:      {p.At(store.GateKey(p.open, 0)), p.At(store.ShowKey(p.open.ID))},
		p.free:      {part(p.Ann, p.free, 0)},
		p.cancelled: {part(p.rival, p.cancelled, 1), p.At(store.ShowKey(p.cancelled.ID))},
	} {
		_, before, err := p.Rival.ShowWithEntries(t.Context(), show.ID)
		checkError(t, err, nil)
		for _, row := range lost {
			row.Delete(t)
		}
		assert.Empty(t, p.repaired(t, show.ID))
		_, after, err := p.Rival.ShowWithEntries(t.Context(), show.ID)
		checkError(t, err, nil)
		storetest.Equal(t, "entries", after, before)
	}
	checkError(t, p.Operator().Refund(t.Context(), p.cancelled.ID, nil), nil)
	p.Invariants(t)
}

// If the item of a completed show is missing, the repair names all other records in order.
func TestRepairOfAMissingShow(t *testing.T) {
	t.Parallel()
	p := newPlayed(t)
	p.At(store.ShowKey(p.Show.ID)).Delete(t)
	repairs, err := p.repair(t, p.Show.ID)
	checkError(t, err, store.ErrUnknownShow)
	sorted := slices.IsSortedFunc(repairs, func(a, b operate.Repair) int { return strings.Compare(a.Record, b.Record) })
	assert.True(t, len(repairs) >= 6 && !repairs[0].Done && sorted, "got %+v", repairs)
	traces := must(p.TracesOf(t.Context(), p.Show.ID))(t)
	planned, err := p.PlanRepair(t.Context(), traces)
	checkError(t, err, store.ErrUnknownShow)
	storetest.Equal(t, "planned", planned, repairs)
	p.Wire.Next("GetItem", storetest.Denied)
	planned, err = p.PlanRepair(t.Context(), traces)
	assert.True(t, err != nil && planned == nil, "a plan without the show's item: %+v, %v", planned, err)
}

// If a repair finds a fee that is not given back, it begins the refunds again: the show does not say any more that all
// are done, and the work is noted, so that FinishPending does it.
func TestARepairFindsAFeeToGiveBack(t *testing.T) {
	t.Parallel()
	f := cancelledFair(t)
	f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET rf = :n", map[string]any{":n": int64(f.Now)})
	f.At("PENDING", "REFUNDS#"+string(f.Show.ID)).Delete(t)
	f.participation(0).Delete(t)
	storetest.Equal(t, "left", len(f.repaired(t, f.Show.ID)), 0)
	f.Invariants(t)
	works := must(f.Unfinished(t.Context()))(t)
	require.Len(t, works, 1)
	storetest.Equal(t, "finished", must(f.Finish(t.Context(), works[0], f.Now))(t), true)
	f.CheckGold(t, f.Ann.ID, 500, 500, -50, 50)
	f.Invariants(t)
}

// A repair undoes no change between its reads and its write, and needs only one change.
func TestWhatComesInTheWayOfARepair(t *testing.T) {
	t.Parallel()
	damages := map[string]func(t *testing.T, f fair){
		"gate":      func(t *testing.T, f fair) { f.Gate(t, f.Show).Edit(t, "SET n = :n", map[string]any{":n": 7}) },
		"lost gate": func(t *testing.T, f fair) { f.Gate(t, f.Show).Delete(t) },
		"board":     func(t *testing.T, f fair) { f.At(store.BoardKey("", "", f.Show)).Delete(t) },
		"name": func(t *testing.T, f fair) {
			f.At(store.BoardKey("", "", f.Show)).Edit(t, "SET na = :n", map[string]any{":n": "other"})
		},
		"entry":              func(t *testing.T, f fair) { f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 1)).Delete(t) },
		"participation":      func(t *testing.T, f fair) { f.participation(0).Delete(t) },
		"free participation": func(t *testing.T, f fair) { f.participation(0).Delete(t) },
	}
	others := map[string]func(t *testing.T, f fair){
		"entry": func(t *testing.T, f fair) {
			_, _, err := f.Rival.Enter(soon(t), f.Ann.ID, f.Show.ID, f.Ann.Animals[2].ID, f.Now)
			checkUnlessStuck(t, err)
		},
		"judging": func(t *testing.T, f fair) {
			_, err := f.Rival.Judge(soon(t), f.Ann.ID, f.Show.ID, f.Now)
			checkUnlessStuck(t, err)
		},
		"cancellation": func(t *testing.T, f fair) { checkUnlessStuck(t, f.Operator().CancelShow(soon(t), f.Show.ID)) },
		"terms": func(t *testing.T, f fair) {
			checkUnlessStuck(t, f.Operator().SetShow(soon(t), f.Show.ID, operate.ShowChange{EntryClosesAt: new(f.Show.EntryClosesAt + 1000)}))
		},
		"deletion": func(t *testing.T, f fair) {
			_, _ = f.Operator().DeleteUser(t.Context(), f.Ann.ID) // it fails if a record of an entry is missing
		},
		"repair": func(t *testing.T, f fair) {
			must(repairShow(t.Context(), f.Rival, f.Change(), f.Show.ID))(t)
		},
	}
	for damaged, damage := range damages {
		for name, other := range others {
			t.Run(damaged+"/"+name, func(t *testing.T) {
				t.Parallel()
				fee := int64(50)
				if damaged == "free participation" {
					fee = 0
				}
				f := newFair(t, game.TierRookie, fee, 1)
				f.MustEnter(t, f.Ann, f.Show, 0, 1)
				damage(t, f)
				f.Meanwhile(func() { other(t, f) })
				repairs := must(repairShow(t.Context(), f.Desk, f.Change(), f.Show.ID))(t)
				left := slices.DeleteFunc(repairs, func(r operate.Repair) bool { return r.Done })
				assert.Empty(t, left, "left: %+v", left)
				f.CheckFaults(t)
				// A deletion finds entries by their participations.
				if name == "deletion" && strings.HasSuffix(damaged, "participation") {
					f.DeleteUser(t, f.Ann.ID)
				}
				f.Invariants(t)
				// Both repairs of a name on a board write the same.
				n := len(f.recordsOf(t, "repair show"))
				assert.True(t, n <= 1 || damaged+name == "namerepair", "%d changes", n)
			})
		}
	}
}

// checkUnlessStuck checks the error of a call that may run until its deadline in a damaged table.
func checkUnlessStuck(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, context.DeadlineExceeded) {
		checkError(t, err, nil)
	}
}

// A repair does not treat an entry that is only partly visible as damage, whichever part it sees first.
func TestARepairWaitsForAnEntry(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	held := f.holdEntry(t, 1)
	f.Apply(t, held.Take(ofGates))
	f.then(t, "Query", 1, held.Take(ofAll))
	repairs := must(repairShow(t.Context(), f.Desk, f.Change(), f.Show.ID))(t)
	storetest.Equal(t, "repairs", len(repairs), 0)
	f.Invariants(t)
	synctest.Test(t, func(t *testing.T) {
		in := f.inABubble(t)
		var gates, entries time.Time // when they are read
		in.Wire.Next("BatchGetItem", storetest.Before(func() { gates = time.Now() }))
		in.Wire.Next("Query", storetest.Before(func() { entries = time.Now() }))
		must(repairShow(t.Context(), in.Desk, f.Change(), f.Show.ID))(t)
		waited := entries.Sub(gates)
		assert.True(t, waited == 300*time.Millisecond, "waited %v for what is becoming visible", waited)
	})
}

// A repair that does not fit one change makes several. Repeating it under the first id returns the same repairs.
func TestARepairOfManyRecords(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 3)
	f.fill(t, f.Show, 3, 150)
	f.At(store.GateKey(f.Show, 1)).Delete(t)
	change := f.Change()
	repairs := must(repairShow(t.Context(), f.Desk, change, f.Show.ID))(t)
	storetest.Equal(t, "repairs", len(repairs), 151)
	f.Unchanged(t, func() {
		again := must(repairShow(t.Context(), f.Desk, change, f.Show.ID))(t)
		storetest.Equal(t, "repetition", again, repairs)
	})
	storetest.Equal(t, "changes", len(f.recordsOf(t, "repair show")), 3)
}

// A repair leaves the gates of other shows alone, also if their ids begin with the same bytes, as ids with a time may.
func TestARepairLeavesShowsWithSimilarIDs(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	similar := func(d *storetest.ShowDraft) { d.ID = f.Show.ID[:16] + d.ID[16:] }
	for _, tier := range []string{game.TierPro, game.TierElite} {
		f.MustEnter(t, f.Ann, f.AddShow(t, storetest.Tier(tier), storetest.Gates(3), similar), 0)
	}
	later := f.AddShow(t, similar, func(d *storetest.ShowDraft) { d.EntryClosesAt += 1000 })
	f.Unchanged(t, func() {
		repairs, err := repairShow(t.Context(), f.Desk, f.Change(), f.Show.ID)
		assert.True(t, len(repairs) == 0 && err == nil, "%v, %v", repairs, err)
	})
	for _, operation := range []string{"Scan", "GetItem"} {
		f.Wire.Next(operation, storetest.Denied)
		_, err := f.TracesOf(t.Context(), f.Show.ID)
		assert.Error(t, err, "left out what a failed %s would have found", operation)
	}
	f.At(store.GateKey(f.Show, 1)).Delete(t)
	f.At(store.GateKey(later, 0)).Delete(t)
	repairs, err := f.repair(t, f.Show.ID)
	assert.True(t, len(repairs) == 1 && err == nil, "%v, %v", repairs, err)
	repairs, err = f.repair(t, later.ID)
	assert.True(t, len(repairs) == 1 && err == nil, "%v, %v", repairs, err)
	f.Invariants(t)
}
