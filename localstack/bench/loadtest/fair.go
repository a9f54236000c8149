package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
)

// atOnce is the number of players that the preparation creates concurrently. It is enough to keep the engine busy.
const atOnce = 8

// fair is a fresh table with a season and a show, behind the real functions. The fair's store writes the preparation
// without the table's limits. Players' calls use HTTP, and the limits apply to them.
type fair struct {
	*world.World
	show      game.Show // for rookies, open for another hour, at 50 gold
	players   []player  // who have not entered
	tell      func(format string, args ...any)
	transport *client.Transport
}

// plan describes a fair.
type plan struct {
	scale     float64 // the factor by which the table's capacity is smaller than a new table's
	processes int     // of each function, at most
	gates     int     // of the show
	entries   int     // in the show, three of each player
	players   int
	// warm is the number of processes of a function that run from the beginning. Its keys have a method and the end of
	// a path below /events/shows/{id}, such as "POST /enter". Starts would take time from the measured calls.
	warm map[string]int
}

// fair opens a fair as the plan p describes it, and starts to count capacity units. The functions must be built
// already. The caller must close the fair.
func (b *bench) fair(ctx context.Context, p plan) (_ *fair, err error) {
	f := &fair{tell: b.tell}
	limits := capacity.Fresh()
	limits.Scale = p.scale
	limits.Who = func(r *http.Request) string { return r.Header.Get("X-Amzn-Trace-Id") }
	if f.World, err = world.Open(ctx, world.Config{Template: b.template, Limits: &limits, Processes: p.processes}); err != nil {
		return nil, err
	}
	f.transport = &client.Transport{API: f.API, HTTP: &http.Client{
		Timeout:   40 * time.Second,                           // the gateway answers within 30
		Transport: &http.Transport{MaxIdleConnsPerHost: 1000}, // more than the clients of any scene
	}}
	if err := f.layOut(ctx, p); err != nil {
		f.close()
		return nil, err
	}
	f.Stack.Limits.Reset()
	return f, nil
}

func (f *fair) layOut(ctx context.Context, p plan) error {
	season, err := f.NewSeason(ctx, game.NewID())
	if err != nil {
		return err
	}
	if f.show, err = f.NewShow(ctx, game.Show{Name: "The Crowded Show", Tier: game.TierRookie, EntryFee: 50, SeasonID: season.ID}, p.gates); err != nil {
		return err
	}
	if err := f.enterAll(ctx, p.entries); err != nil {
		return err
	}
	f.players = make([]player, p.players)
	if err := f.prepare(ctx, "players", p.players, atOnce, func(ctx context.Context, i int) (err error) {
		f.players[i], err = f.newPlayer(ctx)
		return err
	}); err != nil {
		return err
	}
	for call, processes := range p.warm {
		method, path, _ := strings.Cut(call, " ")
		// No show has this id, so the function refuses the call.
		if err := f.prepare(ctx, "processes", processes, processes, func(ctx context.Context, _ int) error {
			_, err := f.call(ctx, "warm-up", f.players[0], method, "/events/shows/nothing"+path, nil)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// close ends everything that the fair has started.
func (f *fair) close() {
	f.transport.HTTP.CloseIdleConnections()
	if err := f.World.Close(); err != nil {
		f.tell("Closing the service: %v", err)
	}
}

type player = world.Player

// newPlayer creates a player as a registration does, with three animals and 500 gold.
func (f *fair) newPlayer(ctx context.Context) (player, error) {
	return f.Register(ctx, world.NewPlayer(world.NewName(), world.Now()), "no hash: no log-in")
}

// enterAll makes new players enter the given number of animals in the show, three animals each.
func (f *fair) enterAll(ctx context.Context, entries int) error {
	return f.prepare(ctx, "entries", (entries+2)/3, atOnce, func(ctx context.Context, i int) error {
		p, err := f.newPlayer(ctx)
		if err != nil {
			return err
		}
		for _, animal := range p.Animals[:min(3, entries-3*i)] {
			if _, _, err := f.Store.Enter(ctx, p.ID, f.show.ID, animal.ID, world.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// prepare calls do n times, at most limit times concurrently. what names the results.
func (f *fair) prepare(ctx context.Context, what string, n, limit int, do func(ctx context.Context, i int) error) error {
	f.tell("preparing %d %s", n, what)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(limit)
	for i := range n {
		group.Go(func() error { return do(ctx, i) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("preparing %s: %w", what, err)
	}
	return nil
}
