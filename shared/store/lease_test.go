package store_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

// A lease lasts leaseTime. No call waits longer than longestLease. A judging of leaseFrom entries takes a lease.
const (
	leaseTime    = 6 * time.Second
	longestLease = 8 * time.Second
	leaseFrom    = 2_000
)

// lease gives the show's lease to a call with a new id, for the given time.
func (f fair) lease(t *testing.T, d time.Duration) {
	t.Helper()
	f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET lb = :id, lu = :until", map[string]any{
		":id": game.NewID(), ":until": int64(game.InstantOf(f.Clock.Now()).Add(d)),
	})
}

// inTime removes the time limit of the next 100 writes of a lease, which a busy machine may exceed.
func (f fair) inTime() {
	f.Wire.Next("UpdateItem", slices.Repeat([]storetest.Fault{func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		return pass.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
	}}, 100)...)
}

// counts makes the show's only gate count n entries that do not exist, so that a judging treats the show as large.
// right corrects the count.
func (f fair) counts(t *testing.T, n int) (right func()) {
	t.Helper()
	gate := f.At(store.GateKey(f.Show, 0))
	set := func(n int) { gate.Edit(t, "SET n = :n", map[string]any{":n": n}) }
	set(n)
	return sync.OnceFunc(func() { set(0) })
}

// countsAtFirst makes the gate count n entries only when the next judging reads first. The judging then reads again.
func (f fair) countsAtFirst(t *testing.T, n int) {
	t.Helper()
	right := storetest.Before(f.counts(t, n))
	// First the gate, the entries and the notes of changed animals, then the gate and the entries.
	f.Wire.Next("Query", storetest.Pass, storetest.Pass, storetest.Pass, right, right)
}

// If a judging dies, its lease ends by itself, and the next judging completes the show.
func TestLeaseExpiresByItself(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.lease(t, leaseTime)
	f.countsAtFirst(t, leaseFrom)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() { f.Clock.Move(leaseTime) }))
	checkError(t, f.judge(t.Context()), nil)
	f.Invariants(t)
}

// A failed judging keeps no call waiting: it ends its own lease, and not the lease of a call that came in between.
func TestFailedJudgingEndsItsLease(t *testing.T) {
	t.Parallel()
	for name, judge := range map[string]func(f fair) error{
		"a player's":    func(f fair) error { return f.judge(t.Context()) },
		"an operator's": func(f fair) error { return errOf(f.changes().JudgeShow(t.Context(), f.Show.ID)) },
	} {
		f := newFair(t, game.TierRookie, 0, 1)
		fails := func(cameBetween func()) (lease types.AttributeValue) {
			f.inTime()
			f.countsAtFirst(t, leaseFrom)
			f.Wire.Next("TransactWriteItems", func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
				cameBetween()
				return storetest.Cancelled("ValidationError")(r, pass)
			})
			assert.Error(t, judge(f), "%s: want an error", name)
			f.Wire.Forget()
			return f.At(store.ShowKey(f.Show.ID)).Read(t)["lu"]
		}
		lease := fails(func() {})
		assert.True(t, lease == nil, "%s has left a lease until %v", name, lease)
		assert.NotNil(t, fails(func() { f.lease(t, leaseTime) }), "%s has ended another's lease", name)
		f.Clock.Move(leaseTime)
		checkError(t, judge(f), nil)
		f.Invariants(t)
	}
}

// If the lease cannot be written in time, the judging goes on without it.
func TestJudgingGoesOnWithoutALease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.countsAtFirst(t, leaseFrom)
	f.Wire.Next("UpdateItem", slices.Repeat([]storetest.Fault{storetest.Unavailable}, 1000)...)
	checkError(t, f.judge(t.Context()), nil)
	f.Wire.Forget()
	f.Invariants(t)
}

// A second judge waits for the lease of the first, and judges the show if the first judge dies. Its own attempt has not
// failed, so it takes no lease for a small show.
func TestSecondJudgeTakesNoLease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.countsAtFirst(t, leaseFrom)
	f.Wire.Next("UpdateItem", storetest.Before(func() { f.lease(t, leaseTime) }))
	f.Wire.Next("GetItem", storetest.Before(func() { f.Clock.Move(leaseTime) }))
	ctx, took := tally.New(t.Context())
	checkError(t, f.judge(ctx), nil)
	storetest.Equal(t, "leases", took.Get(tally.Leases), 0)
}

// After conflicts, an operator's change waits for the lease of another call, and writes nothing meanwhile.
func TestAChangeWaitsForTheJudgingUnderWay(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.lease(t, leaseTime)
	f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
	over := false
	f.Wire.Next("UpdateItem", storetest.Before(func() {
		assert.True(t, over, "asked for the lease while another call had it")
	}))
	// The change reads the show twice. Then it looks at the lease three times.
	f.Wire.Next("GetItem", storetest.Pass, storetest.Pass, storetest.Pass, storetest.Pass, storetest.Before(func() { over = true; f.Clock.Move(leaseTime) }))
	checkError(t, f.changes().SetShow(t.Context(), f.Show.ID, operate.ShowChange{EntryClosesAt: new(f.Show.EntryClosesAt + 1000)}), nil)
	f.Invariants(t)
}

// A judging renews its lease.
func TestLeaseIsRenewed(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	show, right := f.At(store.ShowKey(f.Show.ID)), f.counts(t, leaseFrom)
	var mu sync.Mutex
	ends := map[string]bool{} // the ends of the lease
	untilRenewed := func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		if end, is := show.Read(t)["lu"].(*types.AttributeValueMemberN); is {
			ends[end.Value] = true
		}
		if len(ends) < 3 {
			return storetest.Throttle(r, pass)
		}
		right()
		return pass.RoundTrip(r)
	}
	f.inTime()
	f.Wire.Next("Query", append(slices.Repeat([]storetest.Fault{storetest.Pass}, 3), slices.Repeat([]storetest.Fault{untilRenewed}, 200)...)...)
	checkError(t, f.judge(t.Context()), nil)
	f.Wire.Forget()
	assert.True(t, len(ends) >= 3, "not renewed twice: it ended at %v", ends)
	row := show.Read(t)
	assert.True(t, row["lb"] == nil && row["lu"] == nil, "the judged show is %v", row)
	f.Invariants(t)
}

// A small judging takes no lease, and so does not end one if it fails.
func TestSmallJudgingsTakeNoLease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Wire.Next("UpdateItem", storetest.Before(func() { t.Error("wrote a lease") }))
	f.countsAtFirst(t, leaseFrom-1)
	f.Wire.Next("TransactWriteItems", storetest.Cancelled("ValidationError"))
	assert.Error(t, f.judge(t.Context()), "want an error")
	f.countsAtFirst(t, leaseFrom-1)
	checkError(t, f.judge(t.Context()), nil)
	f.Wire.Forget()
	f.Invariants(t)
}

// Readers wait for the lease, and then read the results once.
func TestReadersWaitForTheJudgingUnderWay(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.lease(t, leaseTime)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Pass, storetest.Before(func() {
		f.At(store.ShowKey(f.Show.ID)).Edit(t, "REMOVE lb, lu", nil)
		f.MustJudge(t, f.Ann, f.Show)
	}))
	f.Wire.Reset()
	show, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	assert.True(t, err == nil && show.Status == game.ShowCompleted && ranked(entries), "%v, %v, %v", show, entries, err)
	storetest.Equal(t, "requests: three looks at the show, its results", f.Wire.Cost().Requests, 4)
}

// If a judging renews its lease again and again, readers wait only for eight seconds, and return an open show.
func TestReadersPatienceEnds(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.lease(t, leaseTime)
	later := storetest.Before(func() { // the judging has renewed its lease
		f.Clock.Move(3 * time.Second)
		f.lease(t, leaseTime)
	})
	f.Wire.Next("GetItem", append([]storetest.Fault{storetest.Pass}, slices.Repeat([]storetest.Fault{later}, 20)...)...)
	f.Wire.Reset()
	show, entries, err := f.WithChance(func(time.Duration) time.Duration { return 0 }).ShowWithEntries(t.Context(), f.Show.ID)
	assert.True(t, err == nil && show.Status == game.ShowOpen && len(entries) == 1, "%v, %v, %v", show, entries, err)
	f.Wire.Forget()
	storetest.Equal(t, "requests: the show, three looks within eight seconds, its entries", f.Wire.Cost().Requests, 5)
}

// If the show does not exist any more when readers look again, they get game.ErrShowUnknown.
func TestReadersWaitForAShowThatGoes(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.lease(t, leaseTime)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() { f.At(store.ShowKey(f.Show.ID)).Delete(t) }))
	_, _, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	checkError(t, err, game.ErrShowUnknown)
}

// An entry that the rules refuse does not wait for the lease.
func TestARefusedEntryDoesNotWait(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 300, 1)
	f.MustEnter(t, f.Ann, f.Show, 0)
	f.lease(t, leaseTime)
	f.Wire.Next("GetItem", storetest.Pass, storetest.Before(func() { t.Error("waited") })) // after the gate
	checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrDuplicateEntry)
	checkError(t, f.enter(t.Context(), f.Ann, 1), game.InsufficientGold(300))
	f.Wire.Forget()
}

// After EntryConflicts conflicts, an entry reads the show again, and finds a lease that is new.
func TestAnEntryInConflictsFindsTheLease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	conflicts := slices.Repeat([]storetest.Fault{storetest.Conflict}, store.EntryConflicts)
	conflicts[0] = func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		f.lease(t, leaseTime)
		return storetest.Conflict(r, pass)
	}
	f.Wire.Next("TransactWriteItems", conflicts...)
	looked := false
	f.Wire.Next("GetItem", storetest.Before(func() {
		looked = true
		f.At(store.ShowKey(f.Show.ID)).Edit(t, "REMOVE lb, lu", nil)
	}))
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	assert.True(t, looked, "it entered without a look at the lease")
	f.Invariants(t)
}
