package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
)

// mostWritten is the most units that one request of a judging may write in one partition, for a show of any size. A
// partition serves 1,000 write units a second.
const mostWritten = 50

// judgings checks that readers of a show do not starve its judging, and that the largest possible show is judged in
// time: the function's time limit is 28 s.
func judgings(ctx context.Context, b *bench) (string, error) {
	const scale = 20
	var table strings.Builder
	table.WriteString("| Entries | Readers | Judge's answer | after | RCU | throttled " +
		"| Readers' answers | half within | 99 % within | their RCU | Goal reached |\n" +
		"|---:|---:|---|---:|---:|---:|---|---:|---:|---:|---|\n")
	for _, c := range []struct {
		entries, readers int
		limit            time.Duration
	}{
		{50_000, 0, 20 * time.Second},
		{50_000, 3, 20 * time.Second},
		{50_000, 8, 20 * time.Second},
		{store.Ceiling, 0, 25 * time.Second},
	} {
		j, err := b.judgeBeside(ctx, scale, c.entries/scale, c.readers)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&table, "| %d | %d | %s | %v | %.0f | %d | %s | %v | %v | %.0f | %s |\n",
			c.entries/scale, c.readers, &j.judge, j.judge.within(1), j.judging.Read, j.judging.Throttled,
			&j.readers, j.readers.within(0.5), j.readers.within(0.99), j.reading.Read,
			reached(j.small() && j.judge.within(1) <= c.limit))
	}
	return table.String(), nil
}

// judged is the outcome of a judging.
type judged struct {
	judge, readers   answers
	judging, reading capacity.Counts // the requests and units in the table
}

// small reports whether the judging succeeded without a write that grows with the show.
func (j *judged) small() bool {
	return j.judge.all(200) && j.judging.Largest <= mostWritten
}

// judgeBeside lets a player judge a show, while readers read it repeatedly, from before the judging until its end.
func (b *bench) judgeBeside(ctx context.Context, scale float64, entries, readers int) (*judged, error) {
	f, err := b.fair(ctx, plan{
		scale: scale, processes: max(1, readers), gates: records.DefaultGates, entries: entries, players: 1 + readers,
		warm: map[string]int{"/judge": 1, "": readers},
	})
	if err != nil {
		return nil, err
	}
	defer f.close()
	j := &judged{}
	group, inner := errgroup.WithContext(ctx)
	judging, over := context.WithCancel(inner)
	defer over()
	first := make(chan struct{}, readers) // has an element for each reader with an answer
	for _, p := range f.players[1:] {
		group.Go(func() error {
			for n := 0; judging.Err() == nil; n++ {
				a, err := f.detail(inner, p)
				if err != nil {
					return err
				}
				j.readers.add(a)
				if n == 0 {
					first <- struct{}{}
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer over()
		for range readers {
			select {
			case <-first:
			case <-inner.Done():
				return nil
			}
		}
		a, err := f.judge(inner, f.players[0])
		j.judge.add(a)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	j.judging, j.reading = f.limits.Counts("judge", ""), f.limits.Counts("reader", "")
	b.tell("%d readers: %s in %v, readers %s", readers, &j.judge, j.judge.within(1), &j.readers)
	return j, nil
}
