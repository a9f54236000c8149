package store_test

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
)

// Whoever asks for an open show's lease gets it, unless another call has it, and then waits just as long: until it is
// over, and not at all where it ends later than any can. Nobody waits for a show that is not open, or gets its lease.
func TestWhoGetsTheLease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	clock := f.Clock.Now() // it stands still
	s := store.New(f.Client, f.Name, func() time.Time { return clock })
	until := strconv.FormatInt(int64(game.InstantOf(clock.Add(store.JudgingLease))), 10)
	show, mine, others := f.At(store.ShowKey(f.Show.ID)), game.NewID(), game.NewID()
	f.inTime()
	const moment = time.Millisecond
	for name, c := range map[string]struct {
		status     game.ShowStatus
		by         game.ID // who has it; "": nobody has had it yet
		left       time.Duration
		got, waits bool
	}{
		"nobody's":                      {game.ShowOpen, "", 0, true, false},
		"mine":                          {game.ShowOpen, mine, moment, true, false},
		"another's, over":               {game.ShowOpen, others, 0, true, false},
		"another's, for a moment yet":   {game.ShowOpen, others, moment, false, true},
		"another's, as long as can be":  {game.ShowOpen, others, store.LongestLease, false, true},
		"another's, longer than can be": {game.ShowOpen, others, store.LongestLease + moment, true, false},
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
		waits, err := store.Waits(t.Context(), s, f.Show.ID, mine)
		checkError(t, err, nil)
		before := f.Rows(t)[show.Key()]
		got, err := store.TakeLease(t.Context(), s, f.Show.ID, mine)
		checkError(t, err, nil)
		if got != c.got || waits != c.waits {
			t.Errorf("%s: got it: %v, waits: %v, want %v, %v", name, got, waits, c.got, c.waits)
		}
		if c.got {
			before["lb"], before["lu"] = string(mine), attributevalue.Number(until)
		}
		storetest.Equal(t, name+": the show", f.Rows(t)[show.Key()], before)
	}
	f.Wire.Forget()
}

// A gate that goes in the moment before it is sealed does not come back as a seal.
func TestAGateGoesBeforeItIsSealed(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.Meanwhile(func() { f.MustEnter(t, f.Ann, f.Show, 0) })
	f.Wire.Next("UpdateItem", storetest.Before(func() { f.MustJudge(t, f.Ann, f.Show) }))
	checkError(t, f.judge(t.Context()), game.ErrShowNotOpen)
}

// A gate that is busy is free between any two entries: it is asked again in a moment, whatever the wait would be by now
// for what is throttled.
func TestABusyGateIsAskedAgainInAMoment(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	s := f.WithChance(func(bound time.Duration) time.Duration {
		if bound > 20*time.Millisecond && bound != store.MostBetweenSeals { // as after three attempts
			return time.Hour
		}
		return 0
	})
	f.Meanwhile(func() { f.MustEnter(t, f.Ann, f.Show, 0) })
	f.Wire.Next("UpdateItem", slices.Repeat([]storetest.Fault{storetest.ConflictPlainWrite}, 4)...)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // else it would hang
	defer cancel()
	_, err := s.Judge(ctx, f.Ann.ID, f.Show.ID, f.Now)
	checkError(t, err, nil)
}

// Where a gate counts others than there are, entries are read again, twice and under the same lease, before the gates
// are sealed.
func TestEntriesAreReadAgainBeforeASeal(t *testing.T) {
	t.Parallel()
	for reads, seals := range map[int]int64{3: 0, 4: 1} {
		f := newFair(t, game.TierRookie, 0, 1)
		right := storetest.Before(f.counts(t, store.LeaseFrom))
		// The gate and the entries are read by a request each.
		f.Wire.Next("Query", append(slices.Repeat([]storetest.Fault{storetest.Pass}, 2*(reads-1)), right, right)...)
		ctx, took := tally.New(t.Context())
		start := time.Now()
		checkError(t, f.judge(ctx), nil)
		storetest.Equal(t, "seals", took.Get(tally.Seals), seals)
		leases := took.Get(tally.Attempts) - seals - 1 // and what has judged it
		if most := 1 + int64(time.Since(start)/(store.JudgingLease/3)); leases < 1 || leases > most {
			t.Errorf("wrote the lease %d times, want 1 to %d", leases, most)
		}
		f.Invariants(t)
	}
}

// Each attempt takes the lease anew.
func TestEachAttemptTakesTheLease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	right := f.counts(t, store.LeaseFrom)
	f.Wire.Next("UpdateItem", storetest.Pass, storetest.Pass, storetest.Before(right)) // the lease, a seal, the lease
	ctx, took := tally.New(t.Context())
	checkError(t, f.judge(ctx), nil)
	if seals := took.Get(tally.Seals); seals > 1 {
		t.Errorf("sealed the gates %d times before it took the lease again", seals)
	}
	f.Invariants(t)
}

// A lease and a seal are tried again, or done without, where what is in the way may pass; what does not pass is a
// fault.
func TestCourtesiesThatAreRefusedForGood(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T, f fair) (then func()){
		"lease": func(t *testing.T, f fair) func() { return f.counts(t, store.LeaseFrom) },
		"seal": func(_ *testing.T, f fair) func() {
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
			if err := f.judge(t.Context()); err == nil || !strings.Contains(err.Error(), "AccessDenied") {
				t.Errorf("got the error %v", err)
			}
			checkError(t, f.judge(t.Context()), nil)
			f.Invariants(t)
		})
	}
}
