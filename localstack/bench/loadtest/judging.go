package main

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// judged is what came of judges and readers who met at one show.
type judged struct {
	entries         int
	judges, readers answers
	judging         capacity.Counts // what the judges took of the table
	reading         capacity.Counts // what the readers took
	whole           bool            // the list says that the show is completed, with all its entries
}

// judgeAmong lets so many players judge a show of so many entries at once, while so many others read it again and
// again.
func (b *bench) judgeAmong(ctx context.Context, scale float64, entries, judges, readers int) (*judged, error) {
	f, err := b.fair(ctx, scale, max(judges, readers))
	if err != nil {
		return nil, err
	}
	defer f.close()
	j := &judged{entries: entries}
	show, err := f.crowded(ctx, entries, store.DefaultGates)
	if err != nil {
		return nil, err
	}
	players, err := f.register(ctx, judges+readers)
	if err != nil {
		return nil, err
	}
	if err := f.warmUp(ctx, players[0], judges, "POST", nothing+"/judge"); err != nil {
		return nil, err
	}
	if err := f.warmUp(ctx, players[0], readers, "GET", nothing); err != nil {
		return nil, err
	}
	f.stack.Limits.Reset()
	group, inner := errgroup.WithContext(ctx)
	over, first := make(chan struct{}), make(chan struct{})
	seen := sync.OnceFunc(func() { close(first) })
	if readers == 0 {
		seen()
	}
	for i := range readers {
		group.Go(func() error {
			defer seen()
			for {
				select {
				case <-over:
					return nil
				default:
				}
				a, err := f.call(inner, "reader", players[judges+i], "GET", path(show), nil)
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
		for i := range judges {
			together.Go(func() error {
				a, err := f.call(inner, "judge", players[i], "POST", path(show)+"/judge", nil)
				if err == nil {
					j.judges.add(a.Status, a.took)
				}
				return err
			})
		}
		return together.Wait()
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	j.judging, j.reading = f.of("judge"), f.of("reader")
	shows, _, err := f.list(ctx, players[0], "status=completed")
	if err != nil {
		return nil, err
	}
	j.whole = len(shows) == 1 && int(shows[0].EntryCount) == j.entries
	b.tell("%d judges, %d readers: %s in %s, readers %s", judges, readers, &j.judges, seconds(j.judges.within(1)), &j.readers)
	return j, nil
}

// judgeBesideReaders: those who look at a show neither starve its judging nor fail.
func judgeBesideReaders(ctx context.Context, b *bench, scale float64) (findings, error) {
	shown := report.Table{Header: []string{"Readers", "Judge's answer", "#after", "#its RCU", "#its requests", "#throttled", "Readers' answers", "#half within", "#99 % within", "#their RCU"}}
	var goals []goal
	for _, readers := range []int{0, 3, 8} {
		j, err := b.judgeAmong(ctx, scale, int(fullEntries/scale), 1, readers)
		if err != nil {
			return findings{}, err
		}
		took := j.judges.within(1)
		shown.Add(readers, &j.judges, seconds(took), fmt.Sprintf("%.0f", j.judging.Read), j.judging.Requests, j.judging.Throttled,
			&j.readers, milliseconds(j.readers.within(0.5)), milliseconds(j.readers.within(0.99)), fmt.Sprintf("%.0f", j.reading.Read))
		if readers > 0 {
			goals = append(goals, goal{
				fmt.Sprintf("Judging 50,000 entries while %d clients read that show in a loop", readers), "200 within 20 s",
				fmt.Sprintf("%s after %s", &j.judges, seconds(took)), j.judges.count(200) == 1 && j.whole && took.Seconds() <= 20,
			})
		}
	}
	return findings{goals, map[string]report.Table{"judge-beside-readers": shown}}, nil
}

// sixJudges: one of many judges judges, the others wait for it.
func sixJudges(ctx context.Context, b *bench, scale float64) (findings, error) {
	shown := report.Table{Header: []string{"Judges", "Answers", "#the last after", "#RCU", "#WCU", "#requests", "#throttled", "#cost, of one's"}}
	var alone, all *judged
	for _, judges := range []int{1, 6} {
		j, err := b.judgeAmong(ctx, scale, int(fullEntries/scale), judges, 0)
		if err != nil {
			return findings{}, err
		}
		if all = j; alone == nil {
			alone = j
		}
		times := cost(j.judging) / cost(alone.judging)
		shown.Add(judges, &j.judges, seconds(j.judges.within(1)), fmt.Sprintf("%.0f", j.judging.Read), fmt.Sprintf("%.0f", j.judging.Written),
			j.judging.Requests, j.judging.Throttled, fmt.Sprintf("%.2f", times))
	}
	times := cost(all.judging) / cost(alone.judging)
	return findings{
		[]goal{{
			"6 players judge one show of 50,000 at once", "one 200, five 404, below 1.5 times the units of one",
			fmt.Sprintf("%s, %.2f times the units", &all.judges, times),
			all.judges.count(200) == 1 && all.judges.count(404) == 5 && all.whole && times < 1.5,
		}},
		map[string]report.Table{"six-judges": shown},
	}, nil
}

// manyEntries is the size of a show that an operator can make without gates to speak of.
const manyEntries = 20_000

// twentyThousandEntries: a large show with one gate is judged whole, pays its best entrant and is counted right.
func twentyThousandEntries(ctx context.Context, b *bench, scale float64) (findings, error) {
	f, err := b.fair(ctx, scale, 1)
	if err != nil {
		return findings{}, err
	}
	defer f.close()
	entries := int(manyEntries / scale)
	show, err := f.crowded(ctx, entries, 1)
	if err != nil {
		return findings{}, err
	}
	players, err := f.register(ctx, 1)
	if err != nil {
		return findings{}, err
	}
	f.stack.Limits.Reset()
	judged, err := f.call(ctx, "judge", players[0], "POST", path(show)+"/judge", nil)
	if err != nil {
		return findings{}, err
	}
	cost := f.of("judge")
	ranked, err := f.checkRanking(ctx, show)
	if err != nil {
		return findings{}, err
	}
	inList, inShow, err := f.entriesOf(ctx, players[0], show)
	if err != nil {
		return findings{}, err
	}
	shown := report.Table{Header: []string{"#Entries", "Judge's answer", "#after", "#RCU", "#WCU", "#ranked", "#in the list", "#in the show"}}
	shown.Add(entries, judged.Status, seconds(judged.took), fmt.Sprintf("%.0f", cost.Read), fmt.Sprintf("%.0f", cost.Written), ranked, inList, inShow)
	return findings{
		[]goal{{
			fmt.Sprintf("Judging %d entries that came through one gate", manyEntries), "200; every entry has its rank by its score and is counted",
			fmt.Sprintf("%d, %d ranked, %d in the list", judged.Status, ranked, inList),
			judged.Status == http.StatusOK && ranked == entries && inList == entries && inShow == entries,
		}},
		map[string]report.Table{"twenty-thousand-entries": shown},
	}, nil
}

// checkRanking returns how many entries have the rank that their score gives them among all.
func (f *fair) checkRanking(ctx context.Context, show game.Show) (right int, err error) {
	_, entries, err := f.store.ShowWithEntries(ctx, show.ID)
	if err != nil {
		return 0, err
	}
	for i, e := range entries { // by rank, as a completed show lists them
		if e.Rank != nil && *e.Rank == i+1 && e.Score != nil && (i == 0 || entries[i-1].Score != nil && *entries[i-1].Score >= *e.Score) {
			right++
		}
	}
	return right, nil
}
