package store_test

import (
	"context"
	"flag"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// These tests play what a popular show brings, on a table with the limits of a real one. TestBudget has what each call
// costs alone; here is what becomes of them together. They play it small; larger, with figures:
//
//	go test ./shared/store -run UnderLimits -v -parallel=1 -scaled-by=10 -readers=8 -entrants=400 -arrivals=200
//
// A table of a tenth of the size takes as long for a tenth of the entries. Much larger than that, this machine is the
// limit, and not the table's.
var (
	scaledBy = flag.Float64("scaled-by", 20, "how much smaller than a show of 50,000 entries, and than its table, the tests of crowds are")
	readers  = flag.Int("readers", 3, "how many read the show that is judged in the tests of crowds")
	entrants = flag.Int("entrants", 40, "how many want in while the show is judged in the tests of crowds")
	arrivals = flag.Int("arrivals", 45, "how many enter after each other in each of four lanes in the tests of crowds")
)

const (
	judgeTime = 28 * time.Second // what the functions have (template.yaml)
	enterTime = 11500 * time.Millisecond
	otherTime = 7500 * time.Millisecond
)

type askerKey struct{}

// underLimits puts a table's limits between the fair's own store and the engine. What the scene lays out goes past
// them.
func underLimits(f fair, o capacity.Options) *capacity.Limits {
	o.Who = func(r *http.Request) string {
		who, _ := r.Context().Value(askerKey{}).(string)
		return who
	}
	l := capacity.New(o)
	client := f.Client.Options().HTTPClient.(*http.Client)
	client.Transport = l.Transport(client.Transport)
	return l
}

// call makes a call with the time that its function has, whose requests are counted as those of an asker.
func call(t *testing.T, asker string, atMost time.Duration, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), askerKey{}, asker), atMost)
	defer cancel()
	return do(ctx)
}

func unitsOf(l *capacity.Limits, asker string) capacity.Counts {
	return l.Snapshot().Where(func(r capacity.Row) bool { return r.Who == asker })
}

// crowdedFair has a large show with the gates that it gets by default.
func crowdedFair(t *testing.T) (f fair, entries int) {
	t.Helper()
	f, entries = newFair(t, game.TierRookie, 0, store.DefaultGates), int(50_000 / *scaledBy)
	f.fill(t, f.Show, store.DefaultGates, entries)
	return f, entries
}

// Readers who look at the show again and again neither starve a judging nor fail.
func TestJudgingUnderLimitsBesideReaders(t *testing.T) {
	t.Parallel()
	f, _ := crowdedFair(t)
	l := underLimits(f, capacity.Fresh().Scale(*scaledBy))
	judged, first := make(chan struct{}), make(chan struct{})
	var once sync.Once
	atOnce(t, 1+*readers, func(i int) error {
		if i == 0 {
			defer close(judged)
			<-first
			return logged(t, "the judging", func() error { return call(t, "judge", judgeTime, f.judge) })
		}
		defer once.Do(func() { close(first) })
		for {
			select {
			case <-judged:
				return nil
			default:
			}
			if err := call(t, "reader", otherTime, func(ctx context.Context) error {
				_, _, err := f.ShowWithEntries(ctx, f.Show.ID)
				return err
			}); err != nil {
				return err
			}
			once.Do(func() { close(first) })
		}
	}, nil)
	t.Logf("the judge: %+v, the readers: %+v", unitsOf(l, "judge"), unitsOf(l, "reader"))
	f.checkList(t, game.ShowCompleted, "", f.Show.Name)
}

// Of six judges one judges, and the others wait for it: together they read little more than one alone, which reads
// every entry (with others, 26 of which make a unit) and every animal.
func TestJudgesUnderLimits(t *testing.T) {
	t.Parallel()
	f, entries := crowdedFair(t)
	l := underLimits(f, capacity.Fresh().Scale(*scaledBy))
	counts := atOnce(t, 6, func(int) error { return call(t, "judge", judgeTime, f.judge) }, nil, game.ErrShowNotOpen)
	storetest.Equal(t, "answers", counts, map[error]int{nil: 1, game.ErrShowNotOpen: 5})
	alone := float64(entries) * (1 + 1/26.0)
	got := unitsOf(l, "judge")
	t.Logf("six judges: %+v; one reads %.0f", got, alone)
	if got.Read > 1.5*alone {
		t.Errorf("six judges take %.0f read units, one takes %.0f", got.Read, alone)
	}
}

// Those who want in while a judging seals the gates wait almost for free, and every one of them gets an answer that is
// true.
func TestEntriesUnderLimitsBehindASeal(t *testing.T) { // by itself: it goes by deadlines
	f, entries := crowdedFair(t)
	players := make([]storetest.Player, *entrants)
	for i := range players {
		players[i] = f.AddPlayer(t, storetest.Anybody)
	}
	f.seal(t, store.DefaultGates, store.SealLease) // as a judging does that was overtaken
	l := underLimits(f, capacity.Fresh().Scale(*scaledBy))
	counts := atOnce(t, *entrants+1, func(i int) error {
		if i == *entrants {
			return logged(t, "the judging", func() error { return call(t, "judge", judgeTime, f.judge) })
		}
		return call(t, "entrant", enterTime, func(ctx context.Context) error { return f.enter(ctx, players[i], 0) })
	}, nil, game.ErrShowClosed)
	storetest.Equal(t, "answers", counts[nil]+counts[game.ErrShowClosed], *entrants+1)
	// An attempt reads 3 units; who waits makes several, and looks at a gate in between.
	t.Logf("the judge: %+v, the entrants: %+v", unitsOf(l, "judge"), unitsOf(l, "entrant"))
	if got := unitsOf(l, "entrant").Read; got > float64(*entrants*15) {
		t.Errorf("%d entrants take %.0f read units", *entrants, got)
	}
	storetest.Equal(t, "entries", len(f.ranks(t)), entries+counts[nil]-1)
}

// Four who are always entering at once, as many as 300 arrivals a second are with holds of 12 ms, hardly ever meet at
// one of the gates: all get in, and the count is right. How slow the machine is does not matter, since nobody new comes
// before one of the four is in.
func TestEntriesUnderLimitsRarelyMeet(t *testing.T) {
	t.Parallel()
	const lanes = 4
	f, all := newFair(t, game.TierRookie, 50, store.DefaultGates), lanes**arrivals
	players := make([]storetest.Player, all)
	for i := range players {
		players[i] = f.AddPlayer(t, storetest.Anybody)
	}
	l := underLimits(f, capacity.Fresh())
	atOnce(t, lanes, func(lane int) error {
		for _, p := range players[lane**arrivals:][:*arrivals] {
			if err := call(t, "entrant", enterTime, func(ctx context.Context) error { return f.enter(ctx, p, 0) }); err != nil {
				return err
			}
		}
		return nil
	}, nil)
	writes := l.Snapshot().Of("TransactWriteItems")
	t.Logf("%d entries: %+v", all, writes)
	if writes.Requests > all*3/2 { // one in 1.23 is to be expected: three others, 16 gates
		t.Errorf("%d entries took %d attempts", all, writes.Requests)
	}
}

// logged tells how long something took: a figure for those who measure, that no test goes by.
func logged(t *testing.T, what string, do func() error) error {
	start := time.Now()
	err := do()
	t.Logf("%s took %v", what, time.Since(start))
	return err
}
