package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/store"
)

// fullEntrants is the number of players, at full size, who try to enter during the judging.
const fullEntrants = 400

// mostReads is the most units that one entrant may read during a judging: three before the wait, four after it, and one
// for each look at the show. There are about seven looks in seven seconds.
const mostReads = 15

// behindALease checks the players who try to enter while a judging has the lease (the mark that makes others wait).
// They must write nothing and read almost nothing.
func behindALease(ctx context.Context, b *bench, scale float64) (findings, error) {
	return b.behindALease(ctx, scale, int(store.Ceiling/scale), int(fullEntrants/scale))
}

func (b *bench) behindALease(ctx context.Context, scale float64, entries, entrants int) (found findings, err error) {
	f, err := b.fair(ctx, plan{
		scale: scale, processes: entrants, gates: store.DefaultGates, entries: entries, players: 1 + entrants,
		warm: map[string]int{"POST /enter": entrants, "POST /judge": 1},
	})
	if err != nil {
		return found, err
	}
	defer f.close()
	var waiting, judging answers
	group, inner := errgroup.WithContext(ctx)
	over := make(chan struct{})
	group.Go(func() error {
		defer close(over)
		alone, inner := errgroup.WithContext(inner)
		judging.each(inner, alone, f.players[:1], f.judge)
		return alone.Wait()
	})
	leased := f.awaitLease(over)
	waiting.each(inner, group, f.players[1:], f.enter)
	if err := group.Wait(); err != nil {
		return found, err
	}
	judges, waiters, looks := f.of("judge"), f.of("entrant"), f.ofOperation("entrant", "GetItem").Requests
	inList, inShow, _, err := f.entries(ctx)
	if want := entries + waiting.count(entered); err == nil && (inList != want || inShow != want) {
		err = fmt.Errorf("%d entries in the list and %d in the show, want %d", inList, inShow, want)
	}
	each := waiters.Read / float64(entrants)
	found.table.header = []string{"Who", "Answers", "#half within", "#the last after", "#RCU", "#WCU", "#requests", "#looks at the show"}
	found.table.add("the judge", &judging, seconds(judging.within(0.5)), seconds(judging.within(1)), units(judges.Read), units(judges.Written), judges.Requests, 0)
	found.table.add(fmt.Sprintf("%d entrants", entrants), &waiting, seconds(waiting.within(0.5)), seconds(waiting.within(1)), units(waiters.Read), units(waiters.Written), waiters.Requests, looks)
	found.goals = []goal{{
		"Judging while 400 entrants wait for the lease", fmt.Sprintf("200; the entrants get 404, write nothing and read at most %d units each", mostReads),
		fmt.Sprintf("%s after %s; %s, %.0f WCU, %.1f RCU each", &judging, seconds(judging.within(1)), &waiting, waiters.Written, each),
		leased && judging.count(http.StatusOK) == 1 && waiting.count(http.StatusNotFound) == entrants &&
			looks >= entrants && waiters.Written == 0 && each <= mostReads,
	}}
	return found, err
}

// awaitLease waits until the judge has written its lease, a mark that makes others wait, and then returns true. If the
// judging ends before, it returns false. It recognizes the lease because the judging makes no other UpdateItem.
func (f *fair) awaitLease(over <-chan struct{}) (leased bool) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for f.ofOperation("judge", "UpdateItem").Written == 0 {
		select {
		case <-over:
			return false
		case <-tick.C:
		}
	}
	return true
}

// ofOperation returns the counts of the requests of one operation that the name asker has caused.
func (f *fair) ofOperation(asker, operation string) capacity.Counts {
	return f.stack.Limits.Snapshot().Where(func(r capacity.Row) bool { return r.Who == asker && r.Operation == operation })
}
