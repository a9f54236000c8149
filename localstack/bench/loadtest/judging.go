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

// crowd has the number of a show's entries, and the numbers of players who judge the show, read it repeatedly, or try
// to enter it while the judging holds its lease. The lease is a lock with a time limit, for which other calls wait.
type crowd struct{ entries, judges, readers, entrants int }

// judged is the outcome of a crowd at one show.
type judged struct {
	judges, readers, entrants  answers
	judging, reading, entering capacity.Counts // the requests and units of each group in the table
	looks                      int             // entrants' reads of the show's item
	leased                     bool            // the judging had its lease when the entrants began
	inList, inShow, ranked     int             // the numbers of entries afterwards, as entries returns them
}

// judgeAmong lets the judges of the crowd judge a show at the same time. The readers read it repeatedly, from before
// the judging until its end. The entrants try to enter it when the judging has its lease.
func (b *bench) judgeAmong(ctx context.Context, scale float64, c crowd) (*judged, error) {
	f, err := b.fair(ctx, plan{
		scale: scale, processes: max(c.judges, c.readers, c.entrants), gates: store.DefaultGates, entries: c.entries,
		players: c.judges + c.readers + c.entrants, warm: map[string]int{"POST /judge": c.judges, "GET ": c.readers, "POST /enter": c.entrants},
	})
	if err != nil {
		return nil, err
	}
	defer f.close()
	j := &judged{}
	group, inner := errgroup.WithContext(ctx)
	judging, over := context.WithCancel(inner)
	var first sync.WaitGroup // the readers who have no answer yet
	first.Add(c.readers)
	for _, p := range f.players[c.judges : c.judges+c.readers] {
		group.Go(func() error {
			seen := sync.OnceFunc(first.Done)
			defer seen()
			for judging.Err() == nil {
				a, err := f.detail(inner, p)
				if err != nil {
					return err
				}
				j.readers.add(a.Status, a.took)
				seen()
			}
			return nil
		})
	}
	group.Go(func() error {
		defer over()
		first.Wait()
		together, inner := errgroup.WithContext(inner)
		j.judges.each(inner, together, f.players[:c.judges], f.judge)
		return together.Wait()
	})
	if c.entrants > 0 {
		j.leased = f.awaitLease(judging)
		j.entrants.each(inner, group, f.players[c.judges+c.readers:], f.enter)
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	j.judging, j.reading, j.entering = f.of("judge"), f.of("reader"), f.of("entrant")
	j.looks = f.ofOperation("entrant", "GetItem").Requests
	j.inList, j.inShow, j.ranked, err = f.entries(ctx)
	b.tell("%+v: %s in %s, readers %s, entrants %s", c, &j.judges, seconds(j.judges.within(1)), &j.readers, &j.entrants)
	return j, err
}

// whole reports whether the ranking, the list of shows and the show itself each have exactly this number of entries.
func (j *judged) whole(entries int) bool {
	return j.ranked == entries && j.inList == entries && j.inShow == entries
}

// judgeBesideReaders checks that readers of a show do not starve its judging.
func judgeBesideReaders(ctx context.Context, b *bench, scale float64) (found findings, err error) {
	found.table.header = []string{"Readers", "Judge's answer", "#after", "#its RCU", "#its requests", "#throttled", "Readers' answers", "#half within", "#99 % within", "#their RCU"}
	entries := int(fullEntries / scale)
	for _, readers := range []int{0, 3, 8} {
		j, err := b.judgeAmong(ctx, scale, crowd{entries: entries, judges: 1, readers: readers})
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

// mostWritten is the most units that one request of a judging may write in one partition, for a show of any size. A
// partition serves 1,000 write units a second.
const mostWritten = 50

// judge250000 checks that the largest possible show is judged within 25 s. The function's time limit is 28 s.
func judge250000(ctx context.Context, b *bench, scale float64) (findings, error) {
	return b.judgeLarge(ctx, scale, int(store.Ceiling/scale))
}

func (b *bench) judgeLarge(ctx context.Context, scale float64, entries int) (found findings, err error) {
	j, err := b.judgeAmong(ctx, scale, crowd{entries: entries, judges: 1})
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
