package store_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// By default, TestMain runs two tests at once for each processor: they wait more than they compute.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	storetest.Main(m)
}

func now() game.Instant { return game.InstantOf(time.Now()) }

// newScene returns the scene of an empty table. At the end it checks the invariants, unless rows were written by hand.
func newScene(t *testing.T) *storetest.Scene {
	t.Helper()
	s := storetest.NewScene(t, now())
	s.KeepInvariants(t)
	return s
}

// fair is a scene with the steps and checks of these tests.
type fair struct{ *storetest.Scene }

// newFair returns a fair with an open show that has this tier, fee and number of gates.
func newFair(t *testing.T, tier string, fee int64, gates int) fair {
	t.Helper()
	s := newScene(t)
	s.AddFair(t, storetest.Tier(tier), storetest.Fee(fee), storetest.Gates(gates))
	return fair{s}
}

// bareFair is a fair without a show.
func bareFair(t *testing.T) fair {
	t.Helper()
	s := newScene(t)
	s.AddSeason(t)
	s.Ann = s.AddPlayer(t, storetest.Ann)
	return fair{s}
}

// judged enters animals of Ann's by their numbers and judges the show.
func (f fair) judged(t *testing.T, animals ...int) fair {
	t.Helper()
	f.MustEnter(t, f.Ann, f.Show, animals...)
	f.MustJudge(t, f.Ann, f.Show)
	return f
}

// fill writes this many entries into the show, without the rules.
func (f fair) fill(t *testing.T, show game.Show, gates, entries int) {
	t.Helper()
	f.Edited()
	checkError(t, f.Fill(t.Context(), show, gates, entries), nil)
}

// enter enters the player's animal i in the show.
func (f fair) enter(ctx context.Context, p storetest.Player, i int) error {
	_, _, err := f.Enter(ctx, p.ID, f.Show.ID, p.Animals[i].ID, f.Now)
	return err
}

func (f fair) judge(ctx context.Context) error {
	return errOf(f.Judge(ctx, f.Ann.ID, f.Show.ID, f.Now))
}

// ranks returns the ranks in the show's list by animal; unranked entries have 0.
func (f fair) ranks(t *testing.T) map[game.ID]int {
	t.Helper()
	_, entries, err := f.Rival.ShowWithEntries(t.Context(), f.Show.ID)
	require.NoError(t, err)
	ranks := map[game.ID]int{}
	for _, e := range entries {
		ranks[e.AnimalID] = 0
		if e.Rank != nil {
			ranks[e.AnimalID] = *e.Rank
		}
	}
	return ranks
}

func checkError(t *testing.T, err, want error) {
	t.Helper()
	assert.ErrorIs(t, err, want, "got the error %v, want %v", err, want)
}

// must returns the result of a call that must succeed: must(f.Account(ctx, id))(t).
func must[T any](result T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		checkError(t, err, nil)
		return result
	}
}

// errOf returns the error of a call whose result does not matter.
func errOf[T any](_ T, err error) error { return err }

// betweenRequests runs do in a new fair for each request that do sends, and calls change before that request. Then it
// calls what do returns.
func betweenRequests(t *testing.T, do func(t *testing.T, f fair) (check func(*testing.T)), change func(t *testing.T, f fair)) {
	t.Helper()
	for n, changed := 0, true; changed; n++ {
		f, sent := newFair(t, game.TierRookie, 0, 1), 0
		f.Wire.Through(storetest.Fault(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
			if sent++; sent == n+1 {
				change(t, f)
			}
			return next.RoundTrip(r)
		}).On)
		check := do(t, f)
		f.Wire.Through(nil)
		if changed = sent > n; changed {
			t.Run(fmt.Sprint("before request ", n), check)
		}
	}
}

// soon returns a context that ends after 200 ms: long enough for several attempts.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// atOnce runs n calls of do at once and returns how often each error occurred. The errors are those of wants, nil
// included; any other fails the test.
func atOnce(t *testing.T, n int, do func(i int) error, wants ...error) map[error]int {
	t.Helper()
	counts, errs := map[error]int{}, make([]error, n)
	start, group := make(chan struct{}), sync.WaitGroup{}
	for i := range n {
		group.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	group.Wait()
next:
	for _, err := range errs {
		for _, want := range wants {
			if errors.Is(err, want) {
				counts[want]++
				continue next
			}
		}
		t.Errorf("unexpected error: %v", err)
	}
	return counts
}

// each makes n calls of do, four at once.
func each(n int, do func(i int)) {
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := worker; i < n; i += 4 {
				do(i)
			}
		})
	}
	group.Wait()
}
