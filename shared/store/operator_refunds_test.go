package store_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

func (f fair) refund(ctx context.Context) error { return f.changes().Refund(ctx, f.Show.ID, nil) }

// Each entry gets its fee back through the ledger, whatever the status of its player.
func TestFeesAreGivenBack(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 3)
	bob, cid := f.AddPlayer(t, storetest.Bob), f.AddPlayer(t, storetest.Cid)
	f.MustEnter(t, f.Ann, f.Show)
	f.MustEnter(t, bob, f.Show, 0)
	f.MustEnter(t, cid, f.Show, 1)
	checkError(t, f.cancelShow(t), nil)
	f.Ban(t, bob.ID)
	f.DeleteUser(t, cid.ID) // which leaves the balance and the ledger
	if at := f.record(t).RefundedAt; at != nil {
		t.Errorf("refunded at %v", at)
	}

	var calls []int
	checkError(t, f.Desk.Operator(f.AtTime(f.Now+7).Change()).Refund(t.Context(), f.Show.ID, func(settled, entries int) {
		storetest.Equal(t, "entries", entries, 5)
		calls = append(calls, settled)
	}), nil)
	storetest.Equal(t, "settled", calls, []int{1, 2, 3, 4, 5})
	f.CheckGold(t, f.Ann.ID, 500, 500, -50, -50, -50, 50, 50, 50)
	f.CheckGold(t, bob.ID, 500, 500, -50, 50)
	f.CheckGold(t, cid.ID, 500, 500, -50, 50)
	row := f.LedgerOf(t, bob.ID)[2]
	storetest.Equal(t, "row", row, game.LedgerEntry{
		ID: row.ID, UserID: bob.ID, Seq: 3, Amount: 50, Currency: "gold", Category: "refund", BalanceAfter: 500,
		Description: "Show cancelled: County Fair", RefID: &f.Show.ID, CreatedAt: f.Now + 7,
	})
	storetest.Equal(t, "refunded", f.record(t).RefundedAt, new(f.Now+7))
	f.Invariants(t)
	f.Unchanged(t, func() { checkError(t, f.refund(t.Context()), nil) })
}

// Only an open show can be cancelled, and only a cancelled one gives fees back. Afterwards, Refund reads only the show.
func TestCancellationsAndRefundsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	judged := f.AddShow(t)
	f.MustJudge(t, f.Ann, judged)
	f.Unchanged(t, func() {
		for show, want := range map[game.ID]struct{ cancel, refund error }{
			judged.ID: {operate.ErrNotOpen, store.ErrNotCancelled}, game.NewID(): {store.ErrUnknownShow, store.ErrUnknownShow},
			"": {store.ErrUnknownShow, store.ErrUnknownShow},
		} {
			checkError(t, f.changes().CancelShow(t.Context(), show), want.cancel)
			checkError(t, f.changes().Refund(t.Context(), show, nil), want.refund)
		}
		checkError(t, f.refund(t.Context()), store.ErrNotCancelled)
	})
	f.MustCancel(t, f.Show)
	f.Wire.Reset()
	f.Unchanged(t, func() { checkError(t, f.refund(t.Context()), nil) })
	storetest.Equal(t, "requests for what has been given back", f.Wire.Cost().Requests, 1)
}

func TestFreeEntriesHaveNothingToGetBack(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 2)
	f.MustEnter(t, f.Ann, f.Show)
	f.MustCancel(t, f.Show)
	f.CheckGold(t, f.Ann.ID, 500, 500)
	storetest.Equal(t, "refunded", f.record(t).RefundedAt, &f.Now)
}

// late plays an attempt for which refundPatience has ended.
func late(*http.Request, http.RoundTripper) (*http.Response, error) {
	return nil, &smithy.CanceledError{Err: context.DeadlineExceeded}
}

// Refund stops at once if its context ends. A second call continues.
func TestRefundsAreTakenUpAgain(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	f.MustEnter(t, f.Ann, f.Show) // one player's fees are given back one after the other
	checkError(t, f.cancelShow(t), nil)
	ctx, cancel := context.WithCancel(t.Context())
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Before(cancel))
	err := f.refund(ctx)
	checkError(t, err, context.Canceled)
	_, ok := errors.AsType[*store.UnpaidError](err)
	assert.True(t, !ok && f.record(t).RefundedAt == nil, "went on: %v", err)
	f.Invariants(t)
	checkError(t, f.refund(t.Context()), nil)
	f.CheckGold(t, f.Ann.ID, 500, 500, -50, -50, -50, 50, 50, 50)
}

// If a player stays busy, Refund pays all others, and names the player's entry.
func TestABusyPlayerKeepsNoOthersWaiting(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	f.MustEnter(t, f.Ann, f.Show)
	checkError(t, f.cancelShow(t), nil)
	f.Wire.Next("TransactWriteItems", storetest.Pass, late)
	err := f.refund(t.Context())
	unpaid, _ := errors.AsType[*store.UnpaidError](err)
	require.True(t, unpaid != nil && len(unpaid.Unpaid) == 1, "%v", err)
	storetest.Equal(t, "player", unpaid.Unpaid[0].Player, f.Ann.ID)
	f.CheckGold(t, f.Ann.ID, 450, 500, -50, -50, -50, 50, 50)
	f.Wire.Reset()
	checkError(t, f.refund(t.Context()), nil)
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 7) // show, two of entries, participations; the refund's two; the end
	f.CheckGold(t, f.Ann.ID, 500, 500, -50, -50, -50, 50, 50, 50)
}

// If the table is silent, Refund ends after 32 refunds, and not after all.
func TestRefundsEndIfTheTableIsSilent(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	const players = 60
	for range players {
		f.MustEnter(t, f.AddPlayer(t, storetest.Anybody), f.Show, 0)
	}
	checkError(t, f.cancelShow(t), nil)
	f.Wire.Next("TransactWriteItems", slices.Repeat([]storetest.Fault{late}, players)...)
	err := f.refund(t.Context())
	checkError(t, err, context.DeadlineExceeded)
	_, ok := errors.AsType[*store.UnpaidError](err)
	assert.False(t, ok, "%v", err)
	f.Wire.Forget()
}

// Another change comes between the read and the write of a refund. The fee is given back once, and only if it was paid:
// the condition on the participation decides, not that on the ledger's number.
func TestAFeeIsGivenBackOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, f fair)
		balance   int64
	}{
		"another refund": {func(t *testing.T, f fair) { checkError(t, f.Operator().Refund(t.Context(), f.Show.ID, nil), nil) }, 500},
		"its mark alone": {func(t *testing.T, f fair) { f.participation(0).Edit(t, "SET rr = :seq", map[string]any{":seq": 3}) }, 450},
		"no fee at all":  {func(t *testing.T, f fair) { f.participation(0).Edit(t, "REMOVE fr", nil) }, 450},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := cancelledFair(t)
			f.Meanwhile(func() { c.meanwhile(t, f) })
			checkError(t, f.refund(t.Context()), nil)
			storetest.Equal(t, "balance", f.AccountOf(t, f.Ann.ID).GoldBalance, c.balance)
		})
	}
}

// Refund notes once, and only in a cancelled show, that all fees have been given back. If the note fails, it fails.
func TestTheEndOfRefundsIsNotedOnce(t *testing.T) {
	t.Parallel()
	f := cancelledFair(t)
	first := f.Now + 5
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Cancelled("NewCode"))
	assert.Error(t, f.refund(t.Context()), "noted what the table refused")
	f.CheckFaults(t)
	f.Meanwhile(func() {
		checkError(t, f.Rival.Operator(f.AtTime(first).Change()).Refund(t.Context(), f.Show.ID, nil), nil)
	})
	checkError(t, f.refund(t.Context()), nil)
	storetest.Equal(t, "refunded", f.record(t).RefundedAt, &first)

	f = cancelledFair(t)
	show := f.At(store.ShowKey(f.Show.ID))
	f.Wire.Next("TransactWriteItems", storetest.Pass, storetest.Before(func() { show.Delete(t) }))
	checkError(t, f.refund(t.Context()), nil)
	storetest.Equal(t, "show that is gone", show.Read(t), nil)
}

// Refunds wait for an entry that is not visible yet when they begin.
func TestRefundsWaitForEntriesThatAreCounted(t *testing.T) {
	t.Parallel()
	f := cancelledFair(t)
	entry, part := f.At(store.EntryKey(f.Show.ID, f.Ann.Animals[0].ID, 2)), f.participation(0)
	entryRow, partRow := entry.Read(t), part.Read(t)
	entry.Delete(t)
	part.Delete(t)
	f.Wire.Reset()
	assert.True(t, f.refund(t.Context()) != nil && f.record(t).RefundedAt == nil, "left an entry out")
	storetest.Equal(t, "requests", f.Wire.Cost().Requests, 1+3*2) // the show; three times its two partitions
	f.Wire.Next("Query", storetest.Pass, storetest.Pass, storetest.Before(func() { entry.Restore(t, entryRow) }))
	f.Wire.Next("BatchGetItem", storetest.Pass, storetest.Pass, storetest.Before(func() { part.Restore(t, partRow) }))
	checkError(t, f.refund(t.Context()), nil)
	f.CheckGold(t, f.Ann.ID, 500, 500, -50, 50)
	f.Invariants(t)
}

// Refund pays all users that it can, names the others, and does not note that all is done. A repetition pays nothing.
func TestRefundsPayWhomTheyCan(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	bob, cid, dan, eve := f.AddPlayer(t, storetest.Bob), f.AddPlayer(t, storetest.Cid), f.AddPlayer(t, storetest.Anybody), f.AddPlayer(t, storetest.Anybody)
	for _, p := range []storetest.Player{cid, dan, eve} {
		f.MustEnter(t, p, f.Show, 0)
	}
	for _, p := range []storetest.Player{f.Ann, bob} {
		f.MustEnter(t, p, f.Show, 0, 1)
	}
	checkError(t, f.cancelShow(t), nil)
	part := func(p storetest.Player) storetest.Row {
		return f.At(store.ParticipationKey(p.ID, f.Season.ID, f.Show.ID, p.Animals[0].ID))
	}
	f.At(store.UserKey(f.Ann.ID)).Delete(t)
	part(cid).Delete(t)
	part(dan).Edit(t, "SET fr = :text", map[string]any{":text": "much"})
	f.At(store.EntryKey(f.Show.ID, eve.Animals[0].ID, 2)).Delete(t)
	for range 2 {
		err := f.refund(t.Context())
		rest, ok := errors.AsType[*store.UnpaidError](err)
		require.True(t, ok, err)
		storetest.Equal(t, "entries", []int64{int64(rest.Entries), rest.Counted}, []int64{6, 7})
		reasons := map[game.ID]string{f.Ann.ID: "there is no such user", cid.ID: "is missing", dan.ID: "unmarshal"}
		for _, u := range rest.Unpaid {
			reason := reasons[u.Player]
			assert.True(t, reason != "" && strings.Contains(u.Err.Error(), reason) && strings.Contains(err.Error(), string(u.Animal)),
				"%s is not paid: %v", u.Player, u.Err)
		}
		storetest.Equal(t, "unpaid", len(rest.Unpaid), len(reasons)+1)
		assert.True(t, slices.IsSortedFunc(rest.Unpaid, func(a, b store.Unpaid) int {
			return strings.Compare(string(a.Player+a.Animal), string(b.Player+b.Animal))
		}), "not in order: %v", rest.Unpaid)
		checkError(t, err, store.ErrUnknownUser)
		checkError(t, err, store.DamagedShow{Show: f.Show.ID, What: "the show counts 7 entries, and 6 are there"})
		assert.True(t, strings.HasPrefix(err.Error(), "there is no refund for 5 of 7 entries: 7 were counted, 6 are there\nanimal "), err)
		f.CheckGold(t, bob.ID, 500, 500, -50, -50, 50, 50)
		at := f.record(t).RefundedAt
		assert.True(t, at == nil, "refunded at %v", at)
	}
}
