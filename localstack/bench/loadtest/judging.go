package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/store"
)

// fullEntries is the number of entries of the scenes' popular show at full size.
const fullEntries = 50_000

// judged is the outcome of judges and readers of one show.
type judged struct {
	judges, readers        answers
	judging, reading       capacity.Counts // their units of the table
	inList, inShow, ranked int             // entries, afterwards
}

// judgeAmong lets so many players judge a show of so many entries at once, while so many others read it repeatedly.
func (b *bench) judgeAmong(ctx context.Context, scale float64, entries, gates, judges, readers int) (*judged, error) {
	f, err := b.fair(ctx, plan{
		scale: scale, processes: max(judges, readers), gates: gates, entries: entries, players: judges + readers,
		warm: map[string]int{"POST /judge": judges, "GET ": readers},
	})
	if err != nil {
		return nil, err
	}
	defer f.close()
	j := &judged{}
	group, inner := errgroup.WithContext(ctx)
	over, first := make(chan struct{}), make(chan struct{})
	seen := sync.OnceFunc(func() { close(first) })
	if readers == 0 {
		seen()
	}
	for _, p := range f.players[judges:] {
		group.Go(func() error {
			defer seen()
			for {
				select {
				case <-over:
					return nil
				default:
				}
				a, err := f.detail(inner, p)
				if err != nil {
					return err
				}
				j.readers.add(a.Status, a.took)
				seen()
			}
		})
	}
	group.Go(func() error {
		defer close(over)
		<-first
		together, inner := errgroup.WithContext(inner)
		j.judges.each(inner, together, f.players[:judges], f.judge)
		return together.Wait()
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	j.judging, j.reading = f.of("judge"), f.of("reader")
	j.inList, j.inShow, j.ranked, err = f.entries(ctx)
	b.tell("%d judges, %d readers: %s in %s, readers %s", judges, readers, &j.judges, seconds(j.judges.within(1)), &j.readers)
	return j, err
}

// whole reports whether so many entries are ranked, in the list and in the show.
func (j *judged) whole(entries int) bool {
	return j.ranked == entries && j.inList == entries && j.inShow == entries
}

// judgeBesideReaders checks that readers of a show neither starve its judging nor fail.
func judgeBesideReaders(ctx context.Context, b *bench, scale float64) (found findings, err error) {
	found.table.header = []string{"Readers", "Judge's answer", "#after", "#its RCU", "#its requests", "#throttled", "Readers' answers", "#half within", "#99 % within", "#their RCU"}
	entries := int(fullEntries / scale)
	for _, readers := range []int{0, 3, 8} {
		j, err := b.judgeAmong(ctx, scale, entries, store.DefaultGates, 1, readers)
		if err != nil {
			return found, err
		}
		took := j.judges.within(1)
		found.table.add(readers, &j.judges, seconds(took), units(j.judging.Read), j.judging.Requests, j.judging.Throttled,
			&j.readers, milliseconds(j.readers.within(0.5)), milliseconds(j.readers.within(0.99)), units(j.reading.Read))
		if readers > 0 {
			found.goals = append(found.goals, goal{
				fmt.Sprintf("Judging 50,000 entries while %d clients read that show in a loop", readers), "200 within 20 s",
				fmt.Sprintf("%s after %s", &j.judges, seconds(took)), j.judges.count(200) == 1 && j.whole(entries) && took.Seconds() <= 20,
			})
		}
	}
	return found, nil
}

// mostWritten is the most units that a request of a judging writes in one partition, for a show of any size: a
// partition serves 1,000 units a second.
const mostWritten = 50

// judge250000 checks that a show at its ceiling is judged within a function's time limit.
func judge250000(ctx context.Context, b *bench, scale float64) (findings, error) {
	return b.judgeLarge(ctx, scale, int(store.Ceiling/scale))
}

func (b *bench) judgeLarge(ctx context.Context, scale float64, entries int) (found findings, err error) {
	j, err := b.judgeAmong(ctx, scale, entries, store.DefaultGates, 1, 0)
	if err != nil {
		return found, err
	}
	took := j.judges.within(1)
	found.table.header = []string{"#Entries", "Judge's answer", "#after", "#RCU", "#WCU", "#requests", "#throttled", "#largest write", "#ranked", "#in the list", "#in the show"}
	found.table.add(entries, &j.judges, seconds(took), units(j.judging.Read), units(j.judging.Written), j.judging.Requests, j.judging.Throttled,
		units(j.judging.Largest), j.ranked, j.inList, j.inShow)
	found.goals = []goal{{
		"Judging 250,000 entries", "200 within 25 s", fmt.Sprintf("%s after %s", &j.judges, seconds(took)),
		j.judges.count(http.StatusOK) == 1 && took.Seconds() <= 25,
	}, {
		"No write of it grows with the show", fmt.Sprintf("at most %d units of a partition each; every entry has its rank and is counted", mostWritten),
		fmt.Sprintf("%.0f units, %d ranked, %d in the list", j.judging.Largest, j.ranked, j.inList),
		j.judging.TooLarge == 0 && j.judging.Largest <= mostWritten && j.whole(entries),
	}}
	return found, nil
}
