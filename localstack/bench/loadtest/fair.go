package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// layers is how many things at once are laid out past the limits: enough to keep the engine busy.
const layers = 8

// fair is a fresh table with a season on it, and the real functions before it. What it lays out by its store goes past
// the limits; what players do comes over HTTP and meets them.
type fair struct {
	engine    *engine.Engine
	stack     *stack.Stack
	store     *store.Store
	keys      *token.Keys
	season    game.Season
	tell      func(format string, args ...any)
	transport *client.Transport
	failed    sync.Once
}

// fair opens a fair on a table just made, as much smaller as the scale says, where a function has at most so many
// processes. The functions must have been built, and the fair must be closed.
func (b *bench) fair(ctx context.Context, scale float64, processes int) (*fair, error) {
	f := &fair{tell: b.tell}
	if err := f.open(ctx, b.template, capacity.Fresh().Scale(scale), processes); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *fair) open(ctx context.Context, template *samtemplate.Template, o capacity.Options, processes int) (err error) {
	if f.keys, err = boot.DevelopmentKeys(); err != nil {
		return err
	}
	if f.engine, err = engine.Start(ctx, engine.Options{}); err != nil {
		return err
	}
	if err := engine.CreateTable(ctx, f.engine.Client(), stack.TableName); err != nil {
		return err
	}
	f.store = f.storeWith(time.Now)
	now := game.InstantOf(time.Now())
	f.season = game.Season{ID: game.NewID(), Name: "Crowded", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true}
	if err := f.store.Operator(store.NewChange("crowd", "", now)).CreateSeason(ctx, f.season); err != nil {
		return err
	}
	f.stack, err = stack.Serve(ctx, stack.Config{
		Template: template, Engine: f.engine, Kind: engine.Embedded, Limits: &o, Processes: processes, Log: f.watch,
	})
	if err == nil {
		f.transport = newTransport(f.stack.API)
	}
	return err
}

// watch tells why the first call that failed has failed; a line that is no record is a crash, or the gateway's word.
func (f *fair) watch(function, line string) {
	var record struct {
		Level string `json:"level"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal([]byte(line), &record); err != nil {
		record.Level, record.Error = "ERROR", line
	}
	if record.Level == "ERROR" {
		f.failed.Do(func() { f.tell("%s: %.600s", function, record.Error) })
	}
}

// storeWith returns the store past the limits, with a clock and what else its client shall have.
func (f *fair) storeWith(clock func() time.Time, options ...func(*dynamodb.Options)) *store.Store {
	options = append([]func(*dynamodb.Options){store.ClientOptions}, options...)
	return store.New(dynamodb.New(f.engine.Client().Options(), options...), stack.TableName, clock)
}

// close ends everything that the fair has started.
func (f *fair) close() {
	if f.transport != nil {
		f.transport.HTTP.CloseIdleConnections()
	}
	if f.stack != nil {
		if err := f.stack.Close(); err != nil {
			f.tell("Closing the stack: %v", err)
		}
	}
	if f.engine != nil {
		f.engine.Close()
	}
}

// player is somebody with an access token.
type player struct {
	game.User
	animals []game.Animal
	token   string
}

// register creates n players as a registration does, with three animals and 500 gold each.
func (f *fair) register(ctx context.Context, n int) ([]player, error) {
	players := make([]player, n)
	return players, f.inLayers(ctx, "players", n, func(ctx context.Context, i int) error {
		var err error
		players[i], err = f.newPlayer(ctx)
		return err
	})
}

func (f *fair) newPlayer(ctx context.Context) (player, error) {
	now := game.InstantOf(time.Now())
	name := strings.ReplaceAll(string(game.NewID()), "-", "")[:20]
	account := game.NewAccount(game.Registration{Email: name + "@example.com", Username: name, RanchName: "Ranch of " + name}, "no hash: nobody logs in", now)
	session, err := f.keys.IssueSession(account.User, now)
	if err != nil {
		return player{}, err
	}
	p := player{User: account.User, token: session.Access}
	p.animals = game.Starters(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), account.ID, account.Ranch.ID, now)
	return p, f.store.CreateAccount(ctx, account, p.animals, game.StarterEntry(account.ID, now), session.Record)
}

// show creates a show that is open for some hours more, as it is made by default.
func (f *fair) show(ctx context.Context, name, tier string, closes time.Duration, gates int) (game.Show, error) {
	now := game.InstantOf(time.Now())
	show := game.Show{
		ID: game.NewID(), Name: name, Tier: tier, EntryFee: 50, EntryClosesAt: now.Add(closes), Status: game.ShowOpen,
		SeasonID: f.season.ID,
	}
	return show, f.store.Operator(store.NewChange("crowd", "", now)).CreateShow(ctx, show, gates)
}

// crowded creates a show that so many animals have been entered in, one after the other, as players do it: by threes.
func (f *fair) crowded(ctx context.Context, entries, gates int) (game.Show, error) {
	show, err := f.show(ctx, "The Crowded Show", game.TierRookie, time.Hour, gates)
	if err != nil {
		return show, err
	}
	return show, f.inLayers(ctx, "entries", (entries+2)/3, func(ctx context.Context, i int) error {
		p, err := f.newPlayer(ctx)
		if err != nil {
			return err
		}
		for k := range min(3, entries-3*i) {
			if _, _, err := f.store.Enter(ctx, p.ID, show.ID, p.animals[k].ID, game.InstantOf(time.Now())); err != nil {
				return err
			}
		}
		return nil
	})
}

// inLayers does something n times, several at once, and tells how far it is.
func (f *fair) inLayers(ctx context.Context, what string, n int, do func(ctx context.Context, i int) error) error {
	begin, told := time.Now(), atomic.Int64{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(layers)
	var done atomic.Int64
	for i := range n {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := do(ctx, i); err != nil {
				return fmt.Errorf("laying out %s: %w", what, err)
			}
			seconds := int64(time.Since(begin) / (5 * time.Second))
			if count := done.Add(1); told.Swap(seconds) < seconds {
				f.tell("laying out %s: %d %%", what, 100*count/int64(n))
			}
			return nil
		})
	}
	return group.Wait()
}
