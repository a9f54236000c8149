package store_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/upkeep"
)

// day is the age above which an audit treats results as leftovers.
const day = 24 * time.Hour

// littered is a fair with an open show, for failed judgings that leave results. It checks no invariants at the end.
func littered(t *testing.T) fair {
	t.Helper()
	s := storetest.NewScene(t, now())
	s.AddFair(t, storetest.Fee(0), storetest.Gates(2))
	return fair{s}
}

// litter makes a judging of the show fail: its next requests of this operation get the faults.
func (f fair) litter(t *testing.T, operation string, faults ...storetest.Fault) {
	t.Helper()
	f.Wire.Next(operation, faults...)
	assert.Error(t, f.judge(t.Context()), "the show is judged")
	f.CheckFaults(t)
}

// oneThenDenied waits until n requests are under way. It lets the first one through, and then denies the others access.
// If n is the number of parallel requests, most later requests are certainly not sent.
func oneThenDenied(n int) []storetest.Fault {
	var others sync.WaitGroup
	others.Add(n - 1)
	passed := make(chan struct{})
	faults := slices.Repeat([]storetest.Fault{func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		others.Done()
		<-passed
		return storetest.Denied(r, pass)
	}}, n)
	faults[0] = func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		others.Wait()
		defer close(passed)
		return pass.RoundTrip(r)
	}
	return faults
}

// results returns the keys of all results in the table: those that the show leads to, and the others.
func (f fair) results(t *testing.T) (own, others []string) {
	t.Helper()
	rows := f.Rows(t)
	pk, sk := store.ShowKey(f.Show.ID)
	verdict, _ := rows[pk+" "+sk]["vd"].(string)
	for key := range rows {
		switch _, of, are := strings.Cut(key, "#R#"); {
		case !are:
		case verdict != "" && strings.HasPrefix(of, verdict+"#"):
			own = append(own, key)
		default:
			others = append(others, key)
		}
	}
	return own, others
}

// auditTable audits the table this long after the fair began.
func (f fair) auditTable(t *testing.T, after time.Duration) (upkeep.TableAudit, error) {
	t.Helper()
	return f.AuditTable(t.Context(), f.Now.Add(after), func(upkeep.LedgerAudit) error { return nil })
}

// checkAudit audits the table, and checks the numbers of deleted results and of hidden names.
func (f fair) checkAudit(t *testing.T, after time.Duration, leftovers, names int) {
	t.Helper()
	got := must(f.auditTable(t, after))(t)
	storetest.Equal(t, "audit", got, upkeep.TableAudit{Leftovers: leftovers, NamesHidden: names})
}

// Two failed judgings leave results: one has written all, and the other one only one item. The audit deletes these when
// they are more than a day old, and keeps the results of the judging that completed the show.
func TestAuditDeletesLeftovers(t *testing.T) {
	t.Parallel()
	f := littered(t)
	f.fill(t, f.Show, 2, 250) // 2 sheets, 3 pages
	f.litter(t, "TransactWriteItems", storetest.Denied)
	f.litter(t, "PutItem", oneThenDenied(5)...)
	checkError(t, f.judge(t.Context()), nil)
	own, others := f.results(t)
	require.True(t, len(own) == 5 && len(others) == 5+1, "%d results, and %d leftovers", len(own), len(others))
	f.Unchanged(t, func() { f.checkAudit(t, day, 0, 0) })
	_, before, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	checkError(t, err, nil)
	f.Unchanged(t, func() { // an audit that has not read the whole table deletes nothing
		enough := errors.New("enough")
		_, err := f.AuditTable(t.Context(), f.Now.Add(day+time.Hour), func(upkeep.LedgerAudit) error { return enough })
		checkError(t, err, enough)
	})
	f.checkAudit(t, day+time.Hour, len(others), 0)
	kept, left := f.results(t)
	assert.True(t, len(kept) == len(own) && len(left) == 0, "%d of %d results are there, and %d leftovers", len(kept), len(own), len(left))
	_, after, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	checkError(t, err, nil)
	storetest.Equal(t, "entries", after, before)
	f.At("SHOW#"+string(f.Show.ID)+"#R#other#S0", "SHEET").Edit(t, "SET en = :other", map[string]any{":other": "other"})
	// The audit keeps results whose keys name no judging. It sends requests only for shows with leftovers.
	f.Unchanged(t, func() {
		f.Wire.Reset()
		f.checkAudit(t, day+time.Hour, 0, 0)
		storetest.Equal(t, "requests", f.Wire.Cost().Requests, 33)
	})
}

// The audit also deletes leftovers of a show that was never judged. If the failed judging's transaction arrives after
// that, as from a machine that slept, it does not complete the show.
func TestAuditDeletesLeftoversOfShowsThatAreNotJudged(t *testing.T) {
	t.Parallel()
	for _, cancelled := range []bool{false, true} {
		f := littered(t)
		f.MustEnter(t, f.Ann, f.Show, 0)
		late, arrive := storetest.Late(storetest.Denied)
		f.litter(t, "TransactWriteItems", late)
		if cancelled {
			f.MustCancel(t, f.Show)
		}
		f.checkAudit(t, day+time.Hour, 1, 0)
		_, left := f.results(t)
		assert.Empty(t, left, "%q are left", left)
		f.Unchanged(t, arrive)
		if !cancelled {
			checkError(t, f.judge(t.Context()), nil)
		}
	}
}

// The scan reads a show before a late attempt completes it. The audit then keeps the show's results.
func TestAuditMeetsAJudging(t *testing.T) {
	t.Parallel()
	f := littered(t)
	f.MustEnter(t, f.Ann, f.Show, 0)
	late, arrive := storetest.Late(storetest.Denied)
	f.litter(t, "TransactWriteItems", late)
	f.Wire.Next("UpdateItem", storetest.Before(arrive)) // after the scan
	f.checkAudit(t, day+time.Hour, 0, 0)
	f.CheckFaults(t)
	own, others := f.results(t)
	assert.True(t, len(own) == 1 && len(others) == 0, "results %q, leftovers %q", own, others)
	storetest.Equal(t, "ranks", f.ranks(t), map[game.ID]int{f.Ann.Animals[0].ID: 1})
}

// The audit keeps results whose show is missing or damaged, since they may help to repair the table.
func TestAuditLeavesResultsOfDamagedShows(t *testing.T) {
	t.Parallel()
	f := littered(t).judged(t, 0)
	show := f.At(store.ShowKey(f.Show.ID))
	show.Edit(t, "REMOVE vd", nil)
	f.Unchanged(t, func() { f.checkAudit(t, day+time.Hour, 0, 0) })
	show.Delete(t)
	f.Unchanged(t, func() { f.checkAudit(t, day+time.Hour, 0, 0) })
}

// The next audit deletes what one could not, also if the numbers of the rest have a longer gap than a judging leaves.
func TestAuditDeletesTheNextDayWhatFailed(t *testing.T) {
	t.Parallel()
	f := littered(t)
	f.fill(t, f.Show, 2, 3_000) // 18 sheets, 30 pages
	f.litter(t, "TransactWriteItems", storetest.Denied)
	_, all := f.results(t)
	f.Wire.Next("DeleteItem", oneThenDenied(16)...)
	_, err := f.auditTable(t, day+time.Hour)
	assert.True(t, err != nil && strings.Contains(err.Error(), string(f.Show.ID)), err)
	f.CheckFaults(t)
	_, left := f.results(t)
	require.True(t, len(left) != 0 && len(left) != len(all), "%d of %d are left", len(left), len(all))
	for _, key := range left {
		if pk, sk, _ := strings.Cut(key, " "); sk == "SHEET" && !strings.HasSuffix(pk, "#S17") || sk == "PAGE#000000" {
			f.At(pk, sk).Delete(t)
		}
	}
	_, left = f.results(t)
	require.True(t, len(left) >= 5, "only %q are left", left)
	f.checkAudit(t, 2*day, len(left), 0)
	_, left = f.results(t)
	assert.Empty(t, left, "%q are left", left)
}

// A judging's first attempt to write a page arrives late: after a player on the page was deleted, and another one got
// another username. It changes nothing.
func TestALatePageChangesNothing(t *testing.T) {
	t.Parallel()
	f := littered(t)
	bob := f.AddPlayer(t, storetest.Bob)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	f.MustEnter(t, bob, f.Show, 0)
	late, arrive := storetest.Late(storetest.Lost)
	f.Wire.Next("PutItem", late)
	checkError(t, f.judge(t.Context()), nil)
	f.CheckFaults(t)
	f.DeleteUser(t, f.Ann.ID)
	must(f.Operator().SetUser(t.Context(), bob.ID, operate.UserChange{Username: new("Bobby")}))(t)
	f.Unchanged(t, arrive)
	storetest.Equal(t, "names", f.names(t, f.Show.ID), map[game.ID]string{
		f.Ann.Animals[0].ID: game.DeletedPlayer, f.Ann.Animals[1].ID: game.DeletedPlayer, bob.Animals[0].ID: "Bobby",
	})
	f.Invariants(t)
}

// The audit removes the name of a deleted player from a page and from an entry.
func TestAuditHidesNamesThatCameBack(t *testing.T) {
	t.Parallel()
	f := littered(t)
	f.MustEnter(t, f.Ann, f.Show, 0, 1)
	checkError(t, f.judge(t.Context()), nil)
	f.DeleteUser(t, f.Ann.ID)
	hidden := f.names(t, f.Show.ID)
	name := map[string]any{":name": f.Ann.Username}
	f.At(store.PageKey(t.Context(), f.Store, f.Show.ID, 0)).Edit(t, "SET us[0] = :name, us[1] = :name", name)
	f.checkAudit(t, 0, 0, 2)
	storetest.Equal(t, "names", f.names(t, f.Show.ID), hidden)
	f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[1].ID, 2)).Edit(t, "SET un = :name", name)
	f.checkAudit(t, 0, 0, 1)
	f.Unchanged(t, func() { // it reads a deleted user's entries once
		f.Wire.Reset()
		f.checkAudit(t, 0, 0, 0)
		storetest.Equal(t, "requests", f.Wire.Cost().Requests, 40)
	})
}

// An audit writes missing notes of pending refunds, even if it ends early. It keeps existing notes.
func TestAuditNotesRefunds(t *testing.T) {
	t.Parallel()
	s := storetest.NewScene(t, now())
	s.AddFair(t, storetest.Fee(50))
	f := fair{s}
	f.MustEnter(t, f.Ann, f.Show, 0)
	checkError(t, f.cancelShow(t), nil)
	f.Unchanged(t, func() { f.checkAudit(t, time.Hour, 0, 0) })
	f.At("PENDING", "REFUNDS#"+string(f.Show.ID)).Delete(t)
	enough := errors.New("enough")
	checkError(t, errOf(f.AuditTable(t.Context(), f.Now+7, func(upkeep.LedgerAudit) error { return enough })), enough)
	f.checkUnfinished(t, store.PendingWork{Work: store.WorkRefunds, Show: f.Show.ID, Since: f.Now + 7})
	f.At("PENDING", "REFUNDS#"+string(f.Show.ID)).Delete(t)
	f.Wire.Next("TransactWriteItems", storetest.Denied)
	_, err := f.auditTable(t, 0)
	assert.ErrorContains(t, err, "note the refunds of "+string(f.Show.ID))
	// Refunds end while an audit is about to note them.
	f.Meanwhile(func() { checkError(t, f.Rival.Operator(f.Change()).Refund(t.Context(), f.Show.ID, nil), nil) })
	f.checkAudit(t, 0, 0, 0)
	f.checkUnfinished(t)
	f.Invariants(t)
}

// If one task of an audit fails, it still does the others: notes of refunds, names and leftovers.
func TestAuditDoesWhatItCan(t *testing.T) {
	t.Parallel()
	f := littered(t)
	bad := f.AddShow(t, storetest.Fee(0), storetest.Gates(1))
	f.MustEnter(t, f.Ann, bad, 0)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.litter(t, "TransactWriteItems", storetest.Denied)
	f.MustCancel(t, bad)
	f.DeleteUser(t, f.Ann.ID)
	cid, damaged := f.AddPlayer(t, storetest.Cid), f.AddPlayer(t, storetest.Bob)
	f.At(store.UserKey(damaged.ID)).Edit(t, "SET st = :damaged", map[string]any{":damaged": []int{7}})
	f.At(store.ShowKey(bad.ID)).Edit(t, "SET gn = :damaged", map[string]any{":damaged": "many"})
	audited := map[game.ID]bool{}
	got, err := f.AuditTable(t.Context(), f.Now.Add(day+time.Hour), func(a upkeep.LedgerAudit) error { audited[a.User] = true; return nil })
	storetest.Equal(t, "audit", got, upkeep.TableAudit{Leftovers: 1})
	storetest.Equal(t, "ledgers", audited, map[game.ID]bool{f.Ann.ID: true, cid.ID: true, damaged.ID: true})
	for _, failed := range []string{"refunds of " + string(bad.ID), "hide the name of " + string(f.Ann.ID)} {
		assert.True(t, err != nil && strings.Contains(err.Error(), failed), "%q is not in the error %v", failed, err)
	}
}
