package store_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/limits"
	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// These tests play what a popular show brings, on a table with the limits of a real one and a twentieth of its size.
// TestBudget has what each call costs alone; here is what becomes of them together.

const (
	scaledBy  = 20
	largeShow = 2_500            // entries, which stand for 50,000
	judgeTime = 28 * time.Second // what the functions have (template.yaml)
	otherTime = 7500 * time.Millisecond
)

type askerKey struct{}

// underLimits puts a table's limits between the fair's own store and the engine. What the scene lays out goes past
// them.
func underLimits(f fair, o limits.Options) *limits.Limits {
	o.Who = func(r *http.Request) string {
		who, _ := r.Context().Value(askerKey{}).(string)
		return who
	}
	l := limits.New(o)
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

func unitsOf(l *limits.Limits, asker string) limits.Counts {
	return l.Snapshot().Where(func(r limits.Row) bool { return r.Who == asker })
}

// crowdedFair has a large show with the gates that it gets by default.
func crowdedFair(t *testing.T, entries int) fair {
	t.Helper()
	f := newFair(t, game.TierRookie, 0, store.DefaultGates)
	checkError(t, f.Fill(t.Context(), f.Show, store.DefaultGates, entries), nil)
	return f
}

// Readers who look at the show again and again neither starve a judging nor fail.
func TestJudgingUnderLimitsBesideReaders(t *testing.T) {
	t.Parallel()
	f := crowdedFair(t, largeShow)
	underLimits(f, limits.Fresh().Scale(scaledBy))
	judged, first := make(chan struct{}), make(chan struct{})
	var once sync.Once
	atOnce(t, 4, func(i int) error {
		if i == 0 {
			defer close(judged)
			<-first
			return call(t, "judge", judgeTime, f.judge)
		}
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
	f.checkList(t, game.ShowCompleted, "", f.Show.Name)
}

// Of six judges one judges, and the others wait for it: together they read little more than one alone, which reads
// every entry (with others, 26 of which make a unit) and every animal.
func TestJudgesUnderLimits(t *testing.T) {
	t.Parallel()
	f := crowdedFair(t, largeShow)
	l := underLimits(f, limits.Fresh().Scale(scaledBy))
	counts := atOnce(t, 6, func(int) error { return call(t, "judge", judgeTime, f.judge) }, nil, game.ErrShowNotOpen)
	storetest.Equal(t, "answers", counts, map[error]int{nil: 1, game.ErrShowNotOpen: 5})
	const alone = largeShow + largeShow/26.0
	if got := unitsOf(l, "judge").Read; got > 1.5*alone {
		t.Errorf("six judges take %.0f read units, one takes %.0f", got, alone)
	}
}

// Those who want in while a judging seals the gates wait almost for free, and every one of them gets an answer that is
// true.
func TestEntriesUnderLimitsBehindASeal(t *testing.T) {
	t.Parallel()
	const entrants = 40
	f := crowdedFair(t, largeShow)
	players := make([]storetest.Player, entrants)
	for i := range players {
		players[i] = f.AddPlayer(t, storetest.Anybody)
	}
	f.seal(t, store.DefaultGates, store.SealLease) // as a judging does that was overtaken
	l := underLimits(f, limits.Fresh().Scale(scaledBy))
	counts := atOnce(t, entrants+1, func(i int) error {
		if i == entrants {
			return call(t, "judge", judgeTime, f.judge)
		}
		return call(t, "entrant", otherTime, func(ctx context.Context) error { return f.enter(ctx, players[i], 0) })
	}, nil, game.ErrShowClosed)
	storetest.Equal(t, "answers", counts[nil]+counts[game.ErrShowClosed], entrants+1)
	// An attempt reads 3 units; who waits makes several, and looks at a gate in between.
	if got := unitsOf(l, "entrant").Read; got > entrants*15 {
		t.Errorf("%d entrants take %.0f read units", entrants, got)
	}
	storetest.Equal(t, "entries", len(f.ranks(t)), largeShow+counts[nil]-1)
}

// Sixty arrivals a second at one show: hardly any meets another one, all get in, and the count is right.
func TestArrivalsUnderLimits(t *testing.T) {
	t.Parallel()
	const rate, arrivals = 60, 180
	f := newFair(t, game.TierRookie, 50, store.DefaultGates)
	players := make([]storetest.Player, arrivals)
	for i := range players {
		players[i] = f.AddPlayer(t, storetest.Anybody)
	}
	l := underLimits(f, limits.Fresh())
	start := time.Now()
	atOnce(t, arrivals, func(i int) error {
		time.Sleep(time.Until(start.Add(time.Duration(i) * time.Second / rate)))
		return call(t, "entrant", otherTime, func(ctx context.Context) error { return f.enter(ctx, players[i], 0) })
	}, nil)
	if writes := l.Snapshot().Of("TransactWriteItems"); writes.Requests > arrivals*3/2 {
		t.Errorf("%d entries took %+v", arrivals, writes)
	}
	f.Invariants(t)
}
