package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// fullEntrants want in, at full size, while the show is judged.
const fullEntrants = 400

// behindASeal: those who want in while a judging has sealed the gates wait almost for free. The first seals are those
// of a judging that was overtaken and then failed, as if its 28 seconds had been over; the next judging begins at once.
func behindASeal(ctx context.Context, b *bench, scale float64) (findings, error) {
	return b.behindASeal(ctx, scale, int(fullEntries/scale), int(fullEntrants/scale))
}

func (b *bench) behindASeal(ctx context.Context, scale float64, entries, entrants int) (found findings, err error) {
	f, err := b.fair(ctx, plan{
		scale: scale, processes: entrants, gates: store.DefaultGates, entries: entries, players: 2 + entrants,
		warm: map[string]int{"POST /enter": entrants, "POST /judge": 1},
	})
	if err != nil {
		return found, err
	}
	defer f.close()
	judge, late, players := f.players[0], f.players[1], f.players[2:]
	if err := f.abandon(ctx, judge, late); err != nil {
		return found, err
	}
	var waiting, judging answers
	group, inner := errgroup.WithContext(ctx)
	judging.each(inner, group, f.players[:1], f.judge)
	waiting.each(inner, group, players, f.enter)
	if err := group.Wait(); err != nil {
		return found, err
	}
	judges, waiters := f.of("judge"), f.of("entrant")
	inList, inShow, _, err := f.entries(ctx)
	accepted := waiting.count(entered)
	if want := entries + 1 + accepted; err == nil && (inList != want || inShow != want) {
		err = fmt.Errorf("%d entries in the list and %d in the show, want %d", inList, inShow, want)
	}
	share := waiters.Read / (waiters.Read + judges.Read)
	found.table.header = []string{"Who", "Answers", "#half within", "#the last after", "#RCU", "#share of the reads", "#WCU", "#requests"}
	found.table.add("the judge", &judging, seconds(judging.within(0.5)), seconds(judging.within(1)), units(judges.Read), percent(1-share), units(judges.Written), judges.Requests)
	found.table.add(fmt.Sprintf("%d entrants", entrants), &waiting, seconds(waiting.within(0.5)), seconds(waiting.within(1)), units(waiters.Read), percent(share), units(waiters.Written), waiters.Requests)
	found.goals = []goal{{
		"Judging while 400 entrants wait behind the seal", "200; the entrants take less than 5 % of the reads",
		fmt.Sprintf("%s after %s; entrants %s of the reads, %s", &judging, seconds(judging.within(1)), percent(share), &waiting),
		judging.count(200) == 1 && accepted+waiting.count(404) == entrants && share < 0.05,
	}}
	return found, err
}

var errAbandoned = errors.New("the judging is given up here")

// abandon lets a judging of the show fail once it has sealed all gates. It is the real one of package store, in this
// process and past the limits: the program of the function would have to be stopped at the right moment. It seals
// because an entry overtakes it: that of the late player.
func (f *fair) abandon(ctx context.Context, judge, late player) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var script faults.Script
	var overtaking error
	abandoned := false
	giveUp := func(*http.Request, http.RoundTripper) (*http.Response, error) {
		abandoned = true
		cancel()
		return nil, errAbandoned
	}
	script.Next("TransactWriteItems", faults.Before(func() {
		_, _, overtaking = f.store.Enter(ctx, late.ID, f.show.ID, late.animals[0].ID, game.InstantOf(time.Now()))
		// From here on each update seals a gate. The judging reads on behind the last one.
		script.Next("UpdateItem", append(slices.Repeat([]faults.Fault{faults.Pass}, store.DefaultGates-1),
			faults.Before(func() { script.Next("Query", giveUp) }))...)
	}))
	_, err := f.storeWith(func(o *dynamodb.Options) {
		line := o.HTTPClient.(*store.Line)
		line.Transport = script.Transport(line.Transport)
	}).Judge(ctx, judge.ID, f.show.ID, game.InstantOf(time.Now()))
	if err == nil || !abandoned || overtaking != nil {
		return fmt.Errorf("a judging that was to end behind its seals ended with %w, %w", err, overtaking)
	}
	return nil
}
