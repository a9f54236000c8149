package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/store"
)

// fullEntrants is the number of players, at full size, who try to enter during the judging.
const fullEntrants = 400

// mostReads is the most units that one entrant may read during a judging: three before the wait, four after it, and one
// for each of about seven looks at the show in seven seconds.
const mostReads = 15

// behindALease checks the players who try to enter while a judging holds its lease (a lock with a time limit). They
// must write nothing, and each may read at most mostReads units.
func behindALease(ctx context.Context, b *bench, scale float64) (findings, error) {
	return b.behindALease(ctx, scale, int(store.Ceiling/scale), int(fullEntrants/scale))
}

func (b *bench) behindALease(ctx context.Context, scale float64, entries, entrants int) (found findings, err error) {
	j, err := b.judgeAmong(ctx, scale, crowd{entries: entries, judges: 1, entrants: entrants})
	if err != nil {
		return found, err
	}
	each := j.entering.Read / float64(entrants)
	found.table.header = []string{"Who", "Answers", "#half within", "#the last after", "#RCU", "#WCU", "#requests", "#looks at the show"}
	found.table.add("the judge", &j.judges, seconds(j.judges.within(0.5)), seconds(j.judges.within(1)), units(j.judging.Read), units(j.judging.Written), j.judging.Requests, 0)
	found.table.add(fmt.Sprintf("%d entrants", entrants), &j.entrants, seconds(j.entrants.within(0.5)), seconds(j.entrants.within(1)), units(j.entering.Read), units(j.entering.Written), j.entering.Requests, j.looks)
	found.goals = []goal{{
		"Judging while 400 entrants wait for the lease", fmt.Sprintf("200; the entrants get 404, write nothing and read at most %d units each", mostReads),
		fmt.Sprintf("%s after %s; %s, %.0f WCU, %.1f RCU each", &j.judges, seconds(j.judges.within(1)), &j.entrants, j.entering.Written, each),
		j.leased && j.judges.count(http.StatusOK) == 1 && j.entrants.count(http.StatusNotFound) == entrants && j.whole(entries) &&
			j.looks >= entrants && j.entering.Written == 0 && each <= mostReads,
	}}
	return found, nil
}

// awaitLease waits until the judge has written its lease, and then returns true. If the judging ends before, awaitLease
// returns false. It recognizes the lease by the UpdateItem, because the judging makes no other.
func (f *fair) awaitLease(judging context.Context) (leased bool) {
	for f.ofOperation("judge", "UpdateItem").Written == 0 {
		if judging.Err() != nil {
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

// ofOperation does what of does, for the requests of one operation of DynamoDB.
func (f *fair) ofOperation(asker, operation string) capacity.Counts {
	return f.Stack.Limits.Snapshot().Where(func(r capacity.Row) bool { return r.Who == asker && r.Operation == operation })
}
