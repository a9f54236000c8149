package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// workers is how many calls are under way at once.
const workers = 12

// round is a part of the whole that has a table of its own, so that neither the table nor what has to be remembered
// grows for ever. It is planned from the seed and its number alone.
type round struct {
	number    int
	plan      *plan
	stage     *stage
	keys      *token.Keys
	transport *client.Transport
	began     time.Time
	figures   *figures
	log       *functionLog

	mu        sync.Mutex
	calls     []*logcheck.Record
	welcomed  []*logcheck.Record // players who were registered past the functions
	file      *bufio.Writer      // of calls, as JSON lines
	close     func() error
	known     map[string]bool           // violations that have been reported
	explained map[*logcheck.Record]bool // failures whose cause has been counted
}

// roundConfig says what a round is made of.
type roundConfig struct {
	seed          uint64
	number, calls int
	window        int    // calls between checks
	folder        string // of what is written
	stage         stageConfig
	figures       *figures
}

// playRound plays a round to its end, or to the first window with a violation. Errors are of the machine, not of the
// service.
func playRound(ctx context.Context, c roundConfig) (found []violation, err error) {
	r := &round{
		number: c.number, plan: newPlan(c.seed, c.number, c.calls), began: time.Now(), figures: c.figures, known: map[string]bool{},
		explained: map[*logcheck.Record]bool{},
	}
	if err := os.MkdirAll(c.folder, 0o755); err != nil {
		return nil, err
	}
	if r.log, err = newFunctionLog(filepath.Join(c.folder, "functions.jsonl"), c.figures); err != nil {
		return nil, err
	}
	file, err := os.Create(filepath.Join(c.folder, "calls.jsonl"))
	if err != nil {
		return nil, err
	}
	r.file = bufio.NewWriter(file)
	r.close = func() error { return errors.Join(r.file.Flush(), file.Close(), r.log.close()) }
	defer func() { err = errors.Join(err, r.end()) }()
	if err := r.open(ctx, c); err != nil {
		return nil, err
	}
	compared := 0
	defer func() { r.figures.addUncompared(len(r.calls) - compared) }()
	for !r.plan.over() && len(found) == 0 {
		from := r.plan.calls + 1
		if err := r.playWindow(ctx, min(r.plan.calls+c.window, r.plan.of)); err != nil {
			return nil, err
		}
		if found, err = r.check(ctx, from); err != nil {
			return found, err
		}
		compared = len(r.calls)
	}
	return found, nil
}

func (r *round) open(ctx context.Context, c roundConfig) (err error) {
	if r.keys, err = boot.DevelopmentKeys(); err != nil {
		return err
	}
	c.stage.log = r.log.add
	c.stage.faults.Seed = c.seed<<16 + uint64(c.number)
	if r.stage, err = newStage(ctx, c.stage); err != nil {
		return err
	}
	r.transport = &client.Transport{API: r.stage.stack.API, HTTP: &http.Client{
		Timeout:   40 * time.Second, // the gateway answers within 30
		Transport: &http.Transport{MaxIdleConnsPerHost: workers},
	}}
	now := game.InstantOf(time.Now())
	season := game.Season{ID: r.plan.season, Name: "Stress", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true}
	return r.stage.store.Operator(store.NewChange("stress", "", now)).CreateSeason(ctx, season)
}

// end closes what the round has opened, and counts what its stage has seen.
func (r *round) end() error {
	if r.stage == nil {
		return r.close()
	}
	r.transport.HTTP.CloseIdleConnections()
	r.figures.addStage(r.stage)
	return errors.Join(r.stage.close(), r.close())
}

// playWindow makes calls up to the number, with faults.
func (r *round) playWindow(ctx context.Context, to int) error {
	if err := r.stage.loud(ctx); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	waiting := make(chan operation)
	for range workers {
		group.Go(func() error {
			for o := range waiting {
				if err := r.do(ctx, o); err != nil {
					return fmt.Errorf("%s: %w", o.kind, err)
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer close(waiting)
		for r.plan.calls < to {
			if err := r.provide(ctx); err != nil {
				return err
			}
			for _, o := range r.plan.next() {
				select {
				case waiting <- o:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		return nil
	})
	return errors.Join(group.Wait(), r.stage.quiet(context.WithoutCancel(ctx)))
}

// provide creates the players and shows that the next calls are about. A show whose creation fails is simply not there.
func (r *round) provide(ctx context.Context) error {
	players, shows := r.plan.wanted()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, p := range players {
		group.Go(func() error { return r.untilItWorks(ctx, func() error { return r.welcome(ctx, p) }) })
	}
	for _, o := range shows {
		group.Go(func() error { return r.operate(ctx, o) })
	}
	return group.Wait()
}

// untilItWorks repeats what may meet an engine that is being started again, for a minute at most.
func (r *round) untilItWorks(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := do()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// do does one thing.
func (r *round) do(ctx context.Context, o operation) error {
	switch o.kind {
	case killFunction:
		r.stage.killFunction(o.draw)
		return nil
	case killEngine:
		return r.stage.killEngine(ctx)
	}
	if functions[o.kind] == "" || o.kind == logcheck.JudgeDue {
		return r.operate(ctx, o)
	}
	return r.play(ctx, o)
}

// record keeps a call that has ended.
func (r *round) record(c *logcheck.Record) {
	r.figures.add(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
	line, err := json.Marshal(c)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if err != nil {
		panic(fmt.Sprint("stress: keeping a call: ", err))
	}
}
