package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	// fullViewed is the number of entries of the viewed show at full size.
	fullViewed = 10_000
	// fullViews is the most concurrent views at full size. It equals ViewConcurrency of prod (samconfig.toml).
	fullViews = 100
	// viewing is the number of seconds for which one account reads the show repeatedly while others play.
	viewing = 10
	// playing is the number of calls of each kind that the other players make in each second, at any scale.
	playing = 2
)

// viewed has the responses to views of one show, and to the calls that other players make at the same time.
type viewed struct {
	views, failed           *answers // failed: the views that are not 200
	refresh, entries, claim *answers
}

// views lets one player read a popular show so often that the table throttles these reads, but not other players.
func views(ctx context.Context, b *bench, scale float64) (found findings, err error) {
	v, err := b.view(ctx, scale, 200/scale, viewing)
	if err != nil {
		return found, err
	}
	found.table.header = []string{"Call", "Answers", "#half within", "#99 % within", "#the last after"}
	for _, row := range []struct {
		name string
		*answers
	}{{"a view of the show", v.views}, {"of these, what is not 200", v.failed}, {"refresh", v.refresh}, {"enter, in the same show", v.entries}, {"claim", v.claim}} {
		found.table.add(row.name, row.answers, milliseconds(row.within(0.5)), milliseconds(row.within(0.99)), milliseconds(row.within(1)))
	}
	found.goals = []goal{{
		"200 views a second of an open show of 10,000 entries", "each 200 or 503, and none fails after 4 s or more",
		fmt.Sprintf("%s, the last failure after %s", v.views, milliseconds(v.failed.within(1))), v.served() && v.failed.within(1) < 4*time.Second,
	}, {
		"Others who refresh, enter and claim meanwhile", "all succeed",
		fmt.Sprintf("refresh %s, enter %s, claim %s", v.refresh, v.entries, v.claim), v.undisturbed(),
	}}
	return found, nil
}

// served reports whether each view got 200 or 503.
func (v *viewed) served() bool {
	return v.views.count(http.StatusOK)+v.views.count(http.StatusServiceUnavailable) == len(v.views.took)
}

func (v *viewed) undisturbed() bool {
	n := len(v.refresh.took)
	return n > 0 && v.refresh.count(http.StatusOK) == n && v.entries.count(entered) == n && v.claim.count(http.StatusOK) == n
}

// view lets one player read a show at the given rate a second. Meanwhile other players refresh their tokens, enter the
// same show, and claim a prize of another show.
func (b *bench) view(ctx context.Context, scale, rate, seconds float64) (*viewed, error) {
	n := int(playing * seconds)
	f, err := b.fair(ctx, plan{
		scale: scale, processes: 16, gates: 1, entries: int(fullViewed / scale), players: n + 1,
		warm: map[string]int{"GET ": 16, "POST /enter": 2, "POST /claim-reward": 2},
	})
	if err != nil {
		return nil, err
	}
	defer f.close()
	if err := f.Stack.Reserve("GetShow", max(1, int(fullViews/scale))); err != nil {
		return nil, err
	}
	players, viewer := f.players[:n], f.players[n]
	over, err := f.judgedShow(ctx, players)
	if err != nil {
		return nil, err
	}
	v := &viewed{failed: &answers{}}
	group, inner := errgroup.WithContext(ctx)
	among := func(into **answers, n int, rate float64, call func(ctx context.Context, i int) (answer, error)) {
		group.Go(func() (err error) {
			*into, err = openLoop(inner, n, rate, call)
			return err
		})
	}
	among(&v.views, int(rate*seconds), rate, func(ctx context.Context, _ int) (answer, error) {
		a, err := f.detail(ctx, viewer)
		if err == nil && a.Status != http.StatusOK {
			v.failed.add(a.Status, a.took)
		}
		return a, err
	})
	among(&v.entries, n, playing, func(ctx context.Context, i int) (answer, error) { return f.enter(ctx, players[i]) })
	among(&v.refresh, n, playing, func(ctx context.Context, i int) (answer, error) {
		return f.call(ctx, "other", players[i], "POST", "/auth/refresh", map[string]string{"refreshToken": players[i].Refresh})
	})
	among(&v.claim, n, playing, func(ctx context.Context, i int) (answer, error) {
		return f.call(ctx, "other", players[i], "POST", "/events/shows/"+string(over)+"/claim-reward", nil)
	})
	err = group.Wait()
	b.tell("views %s, refresh %s, enter %s, claim %s", v.views, v.refresh, v.entries, v.claim)
	return v, err
}

// judgedShow creates another show, enters the second animal of each player, and judges it. It returns the show's id.
func (f *fair) judgedShow(ctx context.Context, players []player) (game.ID, error) {
	show, err := f.NewShow(ctx, game.Show{Name: "The Finished Show", Tier: f.show.Tier, SeasonID: f.show.SeasonID}, 1)
	if err != nil {
		return "", err
	}
	now := game.InstantOf(time.Now())
	for _, p := range players {
		if _, _, err := f.Store.Enter(ctx, p.ID, show.ID, p.Animals[1].ID, now); err != nil {
			return "", err
		}
	}
	_, err = f.Store.Judge(ctx, players[0].ID, show.ID, now)
	return show.ID, err
}
