package store_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

// A call gets the lease of an open show, unless another call has it: then the call waits. If a lease ends later than
// any lease can, no call waits for it. No call gets the lease of a show that is not open, or waits for it.
func TestWhoGetsTheLease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	clock := f.Clock.Now() // it stands still
	s := store.New(f.Client, f.Name, func() time.Time { return clock })
	until := strconv.FormatInt(int64(game.InstantOf(clock.Add(leaseTime))), 10)
	show, mine, others := f.At(store.ShowKey(f.Show.ID)), game.NewID(), game.NewID()
	f.inTime()
	const moment = time.Millisecond
	for name, c := range map[string]struct {
		status     game.ShowStatus
		by         game.ID // who has it; "": never taken
		left       time.Duration
		got, waits bool
	}{
		"nobody's":                      {game.ShowOpen, "", 0, true, false},
		"mine":                          {game.ShowOpen, mine, moment, true, false},
		"another's, over":               {game.ShowOpen, others, 0, true, false},
		"another's, for a moment yet":   {game.ShowOpen, others, moment, false, true},
		"another's, as long as can be":  {game.ShowOpen, others, longestLease, false, true},
		"another's, longer than can be": {game.ShowOpen, others, longestLease + moment, true, false},
		"nobody's, judged":              {game.ShowCompleted, "", 0, false, false},
		"another's, cancelled":          {game.ShowCancelled, others, moment, false, false},
	} {
		if c.by == "" {
			show.Edit(t, "SET st = :st REMOVE lb, lu", map[string]any{":st": c.status})
		} else {
			show.Edit(t, "SET st = :st, lb = :lb, lu = :lu", map[string]any{
				":st": c.status, ":lb": c.by, ":lu": int64(game.InstantOf(clock.Add(c.left))),
			})
		}
		waits := must(store.Waits(t.Context(), s, f.Show.ID, mine))(t)
		before := f.Rows(t)[show.Key()]
		got := must(store.TakeLease(t.Context(), s, f.Show.ID, mine))(t)
		assert.True(t, got == c.got && waits == c.waits, "%s: got it: %v, waits: %v, want %v, %v", name, got, waits, c.got, c.waits)
		if c.got {
			before["lb"], before["lu"] = string(mine), attributevalue.Number(until)
		}
		storetest.Equal(t, name+": the show", f.Rows(t)[show.Key()], before)
	}
	f.Wire.Forget()
}

// If a gate's count differs from the entries, the judging reads them again, twice, before it takes the lease.
func TestEntriesAreReadAgainBeforeTheLease(t *testing.T) {
	t.Parallel()
	for reads, leases := range map[int]int64{3: 0, 4: 1} {
		f := newFair(t, game.TierRookie, 0, 1)
		right := storetest.Before(f.counts(t, 1))
		// The gate and the entries are read by a request each, and once the notes of changed animals.
		f.Wire.Next("Query", append(slices.Repeat([]storetest.Fault{storetest.Pass}, 2*(reads-1)+1), right, right)...)
		ctx, took := tally.New(t.Context())
		checkError(t, f.judge(ctx), nil)
		storetest.Equal(t, fmt.Sprint("leases of a judging that read ", reads, " times"), took.Get(tally.Leases), leases)
		f.Invariants(t)
	}
}

// If the table refuses the write of a lease, for example because access is denied, the judging returns a fault.
func TestALeaseThatIsRefusedForGood(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T, f fair) (then func()){
		"large": func(t *testing.T, f fair) func() { return f.counts(t, leaseFrom) },
		"overtaken": func(_ *testing.T, f fair) func() {
			f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
			return func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierRookie, 0, 1)
			then := lay(t, f)
			f.Wire.Next("UpdateItem", func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
				then()
				return storetest.Denied(r, pass)
			})
			err := f.judge(t.Context())
			assert.True(t, err != nil && strings.Contains(err.Error(), "AccessDenied"), "got the error %v", err)
			checkError(t, f.judge(t.Context()), nil)
			f.Invariants(t)
		})
	}
}
