package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// enter enters a player's animal.
func (f *fair) enter(ctx context.Context, p player, show game.Show, animal int) (answer, error) {
	return f.call(ctx, "entrant", p, "POST", path(show)+"/enter", map[string]string{"animalId": string(p.animals[animal].ID)})
}

// enterAtOnce has the group enter each player's first animal.
func (f *fair) enterAtOnce(ctx context.Context, group *errgroup.Group, players []player, show game.Show, got *answers) {
	for _, p := range players {
		group.Go(func() error {
			a, err := f.enter(ctx, p, show, 0)
			got.add(a.Status, a.took)
			return err
		})
	}
}

// entered is the status of an entry that was accepted.
const entered = http.StatusCreated

// behindASeal: those who want in while a judging has sealed the gates wait almost for free. The first seals are those
// of a judging that was overtaken and then failed, as if its 28 seconds had been over; the next judging begins at once.
func behindASeal(ctx context.Context, b *bench, scale float64) (findings, error) {
	return b.behindASeal(ctx, scale, int(fullEntries/scale), int(fullEntrants/scale))
}

func (b *bench) behindASeal(ctx context.Context, scale float64, entries, entrants int) (findings, error) {
	f, err := b.fair(ctx, scale, entrants)
	if err != nil {
		return findings{}, err
	}
	defer f.close()
	show, err := f.crowded(ctx, entries, store.DefaultGates)
	if err != nil {
		return findings{}, err
	}
	players, err := f.register(ctx, entrants+2)
	if err != nil {
		return findings{}, err
	}
	judge, late, players := players[0], players[1], players[2:]
	if err := f.warmUp(ctx, judge, entrants, "POST", nothing+"/enter"); err != nil {
		return findings{}, err
	}
	if err := f.warmUp(ctx, judge, 1, "POST", nothing+"/judge"); err != nil {
		return findings{}, err
	}
	if err := f.abandon(ctx, show, judge, late, 0, fails); err != nil {
		return findings{}, err
	}
	f.stack.Limits.Reset()
	var waiting, judging answers
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error {
		a, err := f.call(inner, "judge", judge, "POST", path(show)+"/judge", nil)
		judging.add(a.Status, a.took)
		return err
	})
	f.enterAtOnce(inner, group, players, show, &waiting)
	if err := group.Wait(); err != nil {
		return findings{}, err
	}
	judges, waiters := f.of("judge"), f.of("entrant")
	inList, inShow, err := f.entriesOf(ctx, judge, show)
	if err != nil {
		return findings{}, err
	}
	accepted := waiting.count(entered)
	exact := inList == entries+1+accepted && inShow == inList
	share := waiters.Read / (waiters.Read + judges.Read)
	shown := report.Table{Header: []string{"Who", "Answers", "#half within", "#the last after", "#RCU", "#share of the reads", "#WCU", "#requests"}}
	shown.Add("the judge", &judging, seconds(judging.within(0.5)), seconds(judging.within(1)), fmt.Sprintf("%.0f", judges.Read), percent(1-share), fmt.Sprintf("%.0f", judges.Written), judges.Requests)
	shown.Add(fmt.Sprintf("%d entrants", entrants), &waiting, seconds(waiting.within(0.5)), seconds(waiting.within(1)), fmt.Sprintf("%.0f", waiters.Read), percent(share), fmt.Sprintf("%.0f", waiters.Written), waiters.Requests)
	return findings{
		[]goal{{
			"Judging while 400 entrants wait behind the seal", "200; the entrants take less than 5 % of the reads",
			fmt.Sprintf("%s after %s; entrants %s of the reads, %s", &judging, seconds(judging.within(1)), percent(share), &waiting),
			judging.count(200) == 1 && exact && accepted+waiting.count(404) == entrants && share < 0.05,
		}},
		map[string]report.Table{"behind-a-seal": shown},
	}, nil
}

func percent(f float64) string { return fmt.Sprintf("%.1f %%", 100*f) }

// What the service promises those who wait: a seal lasts five seconds, a lease six, and a clock that is ahead by more
// than two is not believed.
const (
	longestSeal  = 7 * time.Second
	longestLease = 8 * time.Second
	// usual is what an answer takes besides, on a machine that has other things to do.
	usual = time.Second
)

// fastClock: whatever clock a judging had that died after it had sealed the gates, nobody waits longer than its lease
// and its seals last, and the skew that is allowed for.
func fastClock(ctx context.Context, b *bench, scale float64) (findings, error) {
	shown := report.Table{Header: []string{"The dead judging's clock", "Entrants", "#half within", "#the last after", "A reader", "#after", "The next judge", "#after"}}
	var goals []goal
	for _, c := range []struct {
		clock string
		ahead time.Duration
	}{{"right", 0}, {"1.5 s fast", 1500 * time.Millisecond}, {"1 h fast", time.Hour}} {
		waiting, reading, judging, err := b.afterADeath(ctx, scale, int(fullEntries/scale), c.ahead)
		if err != nil {
			return findings{}, err
		}
		last := waiting.within(1)
		shown.Add(c.clock, waiting, seconds(waiting.within(0.5)), seconds(last), reading, seconds(reading.within(1)), judging, seconds(judging.within(1)))
		if c.ahead > 0 {
			goals = append(goals, goal{
				"A judging whose clock is " + c.clock + " dies after sealing", "entrants wait at most lease and skew allowance (7 s)",
				fmt.Sprintf("entrants %s, the last after %s; a reader after %s; the next judge %s", waiting, seconds(last), seconds(reading.within(1)), judging),
				waiting.count(entered) == deathEntrants && last <= longestSeal+usual && reading.within(1) <= longestLease+usual && judging.count(200) == 1,
			})
		}
	}
	return findings{goals, map[string]report.Table{"fast-clock": shown}}, nil
}

// deathEntrants come as the judging dies.
const deathEntrants = 10

// afterADeath returns what entrants and a reader get who come as a judging dies, and then the next judge.
func (b *bench) afterADeath(ctx context.Context, scale float64, entries int, ahead time.Duration) (waiting, reading, judging *answers, err error) {
	f, err := b.fair(ctx, scale, deathEntrants)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.close()
	show, err := f.crowded(ctx, entries, store.DefaultGates)
	if err != nil {
		return nil, nil, nil, err
	}
	players, err := f.register(ctx, deathEntrants+2)
	if err != nil {
		return nil, nil, nil, err
	}
	judge, late, players := players[0], players[1], players[2:]
	if err := f.warmUp(ctx, judge, deathEntrants, "POST", nothing+"/enter"); err != nil {
		return nil, nil, nil, err
	}
	if err := f.abandon(ctx, show, judge, late, ahead, dies); err != nil {
		return nil, nil, nil, err
	}
	waiting, reading, judging = &answers{}, &answers{}, &answers{}
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() error {
		a, err := f.call(inner, "reader", judge, "GET", path(show), nil)
		reading.add(a.Status, a.took)
		return err
	})
	f.enterAtOnce(inner, group, players, show, waiting)
	if err := group.Wait(); err != nil {
		return nil, nil, nil, err
	}
	a, err := f.call(ctx, "judge", judge, "POST", path(show)+"/judge", nil)
	judging.add(a.Status, a.took)
	return waiting, reading, judging, err
}
