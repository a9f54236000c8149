package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
)

// fair is a fresh table with a season and a show, behind the real functions. The fair's store writes the preparation
// without the table's limits. Players' calls use HTTP, and the limits apply to them.
type fair struct {
	*world.World
	limits    *capacity.Limits
	show      game.Show // for rookies, open for another hour, at 50 gold
	players   []player  // who have not entered
	transport *client.Transport
}

// plan describes a fair.
type plan struct {
	scale     float64 // the factor by which the table's capacity is smaller than a new table's
	processes int     // of each function, at most
	gates     int     // of the show
	entries   int     // in the show, up to three of each further player
	players   int
	// warm has a function's processes that run from the beginning, by the end of the function's path below
	// /events/shows/{id}: "/judge", for example. Starts would take time from the measured calls.
	warm map[string]int
}

type player = world.Player

// fair opens a fair as the plan p describes it, and starts to count capacity units. The functions must be built
// already. The caller must close the fair.
func (b *bench) fair(ctx context.Context, p plan) (*fair, error) {
	fresh := capacity.Fresh()
	fresh.PartitionRead /= p.scale
	fresh.PartitionWrite /= p.scale
	fresh.Who = func(r *http.Request) string { return r.Header.Get("X-Amzn-Trace-Id") }
	limits := capacity.New(fresh)
	w, err := world.Open(ctx, world.Config{Template: b.template, Between: limits.Transport, Processes: p.processes})
	if err != nil {
		return nil, err
	}
	f := &fair{World: w, limits: limits, transport: &client.Transport{API: w.API, HTTP: &http.Client{
		Timeout:   40 * time.Second,                           // the gateway answers within 30
		Transport: &http.Transport{MaxIdleConnsPerHost: 1000}, // more than the clients of any scene
	}}}
	if err := f.layOut(ctx, p); err != nil {
		f.close()
		return nil, fmt.Errorf("preparing the show: %w", err)
	}
	limits.Reset()
	b.tell("prepared a show of %d entries", p.entries)
	return f, nil
}

func (f *fair) layOut(ctx context.Context, p plan) error {
	season, err := f.NewSeason(ctx, game.NewID())
	if err != nil {
		return err
	}
	show := game.Show{Name: "The Crowded Show", Tier: game.TierRookie, EntryFee: 50, SeasonID: season.ID}
	if f.show, err = f.NewShow(ctx, show, p.gates); err != nil {
		return err
	}
	if err := atOnce(ctx, 8, (p.entries+2)/3, func(ctx context.Context, i int) error {
		player, err := f.newPlayer(ctx)
		for _, animal := range player.Animals[:min(3, p.entries-3*i)] {
			if err == nil {
				_, _, err = f.Store.Enter(ctx, player.ID, f.show.ID, animal.ID, world.Now())
			}
		}
		return err
	}); err != nil {
		return err
	}
	f.players = make([]player, p.players)
	if err := atOnce(ctx, 8, p.players, func(ctx context.Context, i int) (err error) {
		f.players[i], err = f.newPlayer(ctx)
		return err
	}); err != nil {
		return err
	}
	for path, processes := range p.warm {
		method := http.MethodPost
		if path == "" {
			method = http.MethodGet
		}
		// No show has this id, so the function refuses the call.
		if err := atOnce(ctx, processes, processes, func(ctx context.Context, _ int) error {
			_, err := f.call(ctx, "warm-up", f.players[0], method, "/events/shows/nothing"+path, nil)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// atOnce calls do n times, at most limit times concurrently.
func atOnce(ctx context.Context, limit, n int, do func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, limit))
	for i := range n {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}

// newPlayer creates a player as a registration does, with three animals and 500 gold.
func (f *fair) newPlayer(ctx context.Context) (player, error) {
	return f.Register(ctx, world.NewPlayer(world.NewName(), world.Now()), "no hash: no log-in")
}

// close ends everything that the fair has started.
func (f *fair) close() {
	f.transport.HTTP.CloseIdleConnections()
	if err := f.World.Close(); err != nil {
		fmt.Println("Closing the service:", err)
	}
}
