package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
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
	f.Unchanged(t, func() {
		synctest.Test(t, func(t *testing.T) {
			in := f.inABubble(t)
			planned = must(in.PlanRepair(t.Context(), must(in.TracesOf(t.Context(), show))(t)))(t)
		})
	})
	repairs := must(f.repair(t, show))(t)
	for _, p := range planned {
		assert.True(t, !p.Done || slices.Contains(repairs, p), "%+v was planned, and not done: %+v", p, repairs)
	}
	assert.True(t, len(repairs) <= 0 || len(planned) != 0 && planned[0].Done == repairs[0].Done,
		"%+v were planned, and done %+v", planned, repairs)
	left = slices.DeleteFunc(repairs, func(r operate.Repair) bool { return r.Done })
	f.Unchanged(t, func() {
		again := must(f.repair(t, show))(t)
		storetest.Equal(t, "second repair", again, left)
	})
	return left
}

// restore restores the table to these rows. It keeps the audit records that were added since.
func (f fair) restore(t *testing.T, rows []map[string]types.AttributeValue) {
	t.Helper()
	was := map[string]map[string]types.AttributeValue{}
	at := func(av map[string]types.AttributeValue) storetest.Row {
		return f.At(av["PK"].(*types.AttributeValueMemberS).Value, av["SK"].(*types.AttributeValueMemberS).Value)
	}
	for _, av := range rows {
		was[at(av).Key()] = av
	}
	for _, av := range f.Scan(t) {
		if row := at(av); was[row.Key()] == nil && !strings.HasPrefix(row.Key(), "AUDIT#") {
			row.Delete(t)
		}
	}
	for _, av := range rows {
		at(av).Restore(t, av)
	}
}

// EntriesOf returns a show's entries without their ids, and without the times of free entries.
func (f fair) entriesOf(t *testing.T, show game.ID) []game.Entry {
	t.Helper()
	of, entries, err := f.Rival.ShowWithEntries(t.Context(), show)
	checkError(t, err, nil)
	for i := range entries {
		if entries[i].ID = ""; of.Free() {
			entries[i].CreatedAt = 0
		}
	}
	return entries
}

// A repair restores each missing row of a show. Then the invariants hold, and players see the same entries as before.
func TestEachMissingRowOfAShowIsRepaired(t *testing.T) {
	t.Parallel()
	p := newPlayed(t)
	rows, checked := p.Scan(t), map[string]int{}
	for name, of := range map[string]game.Show{"completed": p.Show, "open": p.open, "free": p.free, "cancelled": p.cancelled} {
		show := of.ID
		gatePK, gateSK := store.GateKey(of, 0) // only open shows have gates
		before := p.entriesOf(t, show)
		for _, av := range rows {
			var k struct{ PK, SK string }
			checkError(t, attributevalue.UnmarshalMap(av, &k), nil)
			kind, _, _ := strings.Cut(k.PK+k.SK, "#")
			switch {
			case kind == "G":
				if k.PK != gatePK || k.SK != gateSK {
					continue
				}
			case !strings.Contains(k.PK+k.SK, string(show)), k.PK == "SHOW#"+string(show), strings.HasPrefix(k.SK, "CLAIM#"):
				continue // another show's row; the show itself or a receipt, which no repair makes
			}
			p.At(k.PK, k.SK).Delete(t)
			left := p.repaired(t, show)
			assert.Empty(t, left, "%s: %s %s is missing, and left: %+v", name, k.PK, k.SK, left)
			problems := p.Problems(t)
			assert.Empty(t, problems, "%s: %s %s was missing: %v", name, k.PK, k.SK, problems)
			storetest.Equal(t, name+" entries", p.entriesOf(t, show), before)
			p.restore(t, rows)
			checked[kind]++
		}
	}
	storetest.Equal(t, "rows that were missing", checked, map[string]int{"SHOW": 8, "USER": 7, "G": 2, "BOARD": 16})
	p.Invariants(t)
}

// A repair also corrects or removes wrong rows.
func TestWrongRowsOfAShowAreRepaired(t *testing.T) {
	t.Parallel()
	p := newPlayed(t)
	rows, later := p.Scan(t), p.open
	later.EntryClosesAt += 1000
	values := map[string]any{":n": 7, ":text": "other"}
	for name, c := range map[string]struct {
		show   game.Show
		row    storetest.Row
		change string
	}{
		"count of a gate":           {p.open, p.At(store.GateKey(p.open, 0)), "SET n = :n"},
		"terms of a gate":           {p.open, p.At(store.GateKey(p.open, 0)), "SET tm = :n"},
		"terms of a show":           {p.open, p.At(store.ShowKey(p.open.ID)), "SET tm = :n"},
		"gate of another time":      {p.open, p.At(store.GateKey(later, 0)), "SET n = :n"},
		"gate of a judged show":     {p.Show, p.At(store.GateKey(p.Show, 1)), "SET n = :n"},
		"gate of a cancelled show":  {p.cancelled, p.At(store.GateKey(p.cancelled, 1)), "SET n = :n"},
		"name on a board":           {p.open, p.At(store.BoardKey("", "", p.open)), "SET na = :text"},
		"count on a board":          {p.Show, p.At(store.BoardKey(game.ShowCompleted, "", p.Show)), "SET n = :n"},
		"board of another status":   {p.Show, p.At(store.BoardKey(game.ShowOpen, "", p.Show)), "SET na = :text"},
		"board of another time":     {p.open, p.At(store.BoardKey(game.ShowOpen, "", later)), "SET na = :text"},
		"count of a cancelled show": {p.cancelled, p.At(store.ShowKey(p.cancelled.ID)), "SET n = :n"},
		"count of a judged show":    {p.Show, p.At(store.ShowKey(p.Show.ID)), "SET n = :n"},
	} {
		c.row.Edit(t, c.change, used(c.change, values))
		left := p.repaired(t, c.show.ID)
		assert.Empty(t, left, "%s is left: %+v", name, left)
		problems := p.Problems(t)
		assert.Empty(t, problems, "%s: %v", name, problems)
		p.restore(t, rows)
	}
}

// A repair names what it could only guess, and leaves it as it is.
func TestARepairGuessesNothing(t *testing.T) {
	t.Parallel()
	p := newPlayed(t)
	rows, user := p.Scan(t), p.Ann.ID
	three := map[string]any{":n": 3}
	entryOf := func(who storetest.Player, i int) storetest.Row {
		return p.At(store.EntryKey(p.Show.ID, who.Animals[i].ID, 2))
	}
	animal, account, results := p.At(store.AnimalKey(user, p.Ann.Animals[0].ID)), p.At(store.UserKey(user)), p.At(store.ShowKey(p.Show.ID))
	page, receipt := p.At(store.PageKey(t.Context(), p.Store, p.Show.ID, 0)), p.receiptsOf(t, user)[0]
	whole := results.Read(t)["re"].(*types.AttributeValueMemberB).Value
	// The results without the first player: an id, the number of entries, and these entries of 5 bytes are cut off.
	withoutOne := map[string]any{":re": whole[16+1+5*int(whole[16]):]}
	for want, c := range map[string]struct {
		show   game.Show
		damage func()
	}{
		"its user or its animal":         {p.Show, func() { entryOf(p.Ann, 0).Delete(t); animal.Delete(t) }},
		"so is the user":                 {p.Show, func() { p.participation(0).Delete(t); account.Delete(t) }},
		"lacks the rows [3 4]":           {p.Show, func() { p.participation(0).Delete(t); p.participation(1).Delete(t) }},
		"has another amount":             {p.Show, func() { p.participation(1).Delete(t); p.At(store.LedgerKey(user, 5)).Edit(t, "SET ba = :n", three) }},
		"the animal's entry is user":     {p.Show, func() { entryOf(p.Ann, 0).Edit(t, "SET u = :u", map[string]any{":u": p.rival.ID}) }},
		"the results have other entries": {p.Show, func() { entryOf(p.Ann, 0).Delete(t); p.participation(0).Delete(t) }},
		"missing, also in the results": {p.Show, func() {
			results.Edit(t, "SET re = :re", withoutOne)
			entryOf(p.Ann, 0).Delete(t)
			entryOf(p.rival, 0).Delete(t)
		}},
		"judged entries 2 exist":        {p.Show, func() { page.Delete(t); entryOf(p.Ann, 0).Delete(t); p.participation(0).Delete(t) }},
		"contradicts existing receipts": {p.Show, func() { page.Delete(t); receipt.Edit(t, "SET rk = :n", three) }},
		"belongs to other results": {p.Show, func() {
			pk, _, _ := strings.Cut(receipt.Key(), " ")
			p.At(pk, "CLAIM#000777").Edit(t, "SET rk = :n", three)
		}},
		"there is a receipt": {p.open, func() { p.At(store.ReceiptKey(t.Context(), p.Store, p.open.ID, 0)).Edit(t, "SET rk = :n", three) }},
	} {
		c.damage()
		left := p.repaired(t, c.show.ID)
		assert.True(t, slices.ContainsFunc(left, func(r operate.Repair) bool { return strings.Contains(r.What, want) }),
			"%q is not among what is left: %+v", want, left)
		p.restore(t, rows)
	}
}

// A repair of some of a show's results compares the others with a new scoring. If they differ, it changes nothing.
func TestARepairOfResultsKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.fill(t, f.Show, 1, 150)
	f.MustJudge(t, f.Ann, f.Show)
	page := func(n int) storetest.Row { return f.At(store.PageKey(t.Context(), f.Store, f.Show.ID, n)) }
	before := f.entriesOf(t, f.Show.ID)
	page(1).Delete(t)
	storetest.Equal(t, "left", len(f.repaired(t, f.Show.ID)), 0)
	storetest.Equal(t, "entries", f.entriesOf(t, f.Show.ID), before)
	page(1).Delete(t)
	page(0).Edit(t, "SET n = :n", map[string]any{":n": 99})
	left := f.repaired(t, f.Show.ID)
	assert.True(t, len(left) == 1 && strings.Contains(left[0].What, "contradicts existing"), "left: %+v", left)
}

// The item of an open or cancelled show is restored from its rows on the boards. Of a completed one, the repair names all
// other records in order. If only gates are left, they are removed.
func TestRepairOfAMissingShow(t *testing.T) {
	t.Parallel()
	p := newPlayed(t)
	for _, show := range []game.Show{p.open, p.cancelled} {
		item := p.At(store.ShowKey(show.ID))
		before := item.Read(t)
		item.Delete(t)
		must(p.repair(t, show.ID))(t)
		delete(before, "rf") // the refunds begin again
		assert.Equal(t, before, item.Read(t), "the show")
	}
	checkError(t, p.Operator().Refund(t.Context(), p.cancelled.ID, nil), nil)
	p.Invariants(t)
	item, receipt := p.At(store.ShowKey(p.open.ID)), p.At(fmt.Sprintf("SHOW#%s#R#v#P0", p.open.ID), "CLAIM#000000")
	before := item.Read(t)
	item.Delete(t)
	receipt.Edit(t, "SET u = :u", map[string]any{":u": p.Ann.ID}) // the boards are wrong: the show was completed
	_, err := p.repair(t, p.open.ID)
	checkError(t, err, store.ErrUnknownShow)
	receipt.Delete(t)
	item.Restore(t, before)

	rows := p.Scan(t)
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
	p.restore(t, rows)
	p.Invariants(t)

	empty := p.AddShow(t, storetest.Gates(2))
	p.At(store.ShowKey(empty.ID)).Delete(t)
	for _, tier := range []string{"", empty.Tier} {
		p.At(store.BoardKey("", tier, empty)).Delete(t)
		p.At(store.BoardKey(game.ShowOpen, tier, empty)).Delete(t)
	}
	storetest.Equal(t, "removed", len(must(p.repair(t, empty.ID))(t)), 2)
	p.Invariants(t)
}

// If the user's item or ledger does not say that the fee was paid, a repair moves no gold, and says what it found.
func TestARepairMovesNoGold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		older bool // the user's item is as before the entry
		gone  bool // the participation, which is the fee's row, is missing
		says  string
	}{
		"the user is older than the ledger": {true, false, "is older than the ledger"},
		"the fee is not paid":               {true, true, "the fee of 50 gold is not paid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 50, 2)
			account := f.At(store.UserKey(f.Ann.ID))
			before := account.Read(t)
			f.MustEnter(t, f.Ann, f.Show, 0, 1)
			account.Restore(t, before)
			f.participation(0).Delete(t)
			if c.gone {
				f.participation(1).Delete(t)
			}
			gold := f.AccountOf(t, f.Ann.ID).GoldBalance
			left := f.repaired(t, f.Show.ID)
			assert.True(t, len(left) > 0 && strings.Contains(left[0].What, c.says), "%+v", left)
			storetest.Equal(t, "gold", f.AccountOf(t, f.Ann.ID).GoldBalance, gold)
		})
	}
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
