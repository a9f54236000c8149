package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// world is the real service that all scenarios play in, and what the suite sees of it past every proxy: its table.
type world struct {
	engine *engine.Engine
	stack  *stack.Stack
	store  *store.Store
	keys   *token.Keys
	season game.Season
	hash   string // of everybody's password
}

const everybodysPassword = "a long password"

// folder has what is built for the tests; TestMain makes and removes it.
var folder string

// opened is the world, once somebody has needed it.
var opened *world

// theWorld opens the world at the first call.
var theWorld = sync.OnceValues(func() (*world, error) {
	w := &world{}
	opened = w // to be closed, also after an error
	return w, w.open(context.Background())
})

func (w *world) open(ctx context.Context) error {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	programs := filepath.Join(folder, ".build", "functions") // where a developer's `make run` does not have its own
	if err := build.Make(ctx, template.Root, os.Stderr, os.Environ(), "functions", "FUNCTIONS_DIR="+programs); err != nil {
		return err
	}
	template.Root = folder
	if w.keys, err = boot.DevelopmentKeys(); err != nil {
		return err
	}
	if w.engine, err = engine.Start(ctx, engine.Options{}); err != nil {
		return err
	}
	if err := engine.CreateTable(ctx, w.engine.Client(), stack.TableName); err != nil {
		return err
	}
	w.store, w.hash = store.New(w.engine.Client(), stack.TableName, time.Now), password.Hash(everybodysPassword)
	now := game.InstantOf(time.Now())
	w.season = game.Season{ID: game.NewID(), Name: "Conformance", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true}
	if err := w.operator().CreateSeason(ctx, w.season); err != nil {
		return err
	}
	w.stack, err = stack.Serve(ctx, stack.Config{Template: template, Engine: w.engine, Kind: engine.Embedded, Log: func(string, string) {}})
	return err
}

func (w *world) close() error {
	var err error
	if w.stack != nil {
		err = w.stack.Close()
	}
	if w.engine != nil {
		w.engine.Close()
	}
	return err
}

func (w *world) operator() store.Operator {
	return w.store.Operator(store.NewChange("conformance", "", game.InstantOf(time.Now())))
}

// player is somebody who is registered, with a session that no client knows of yet.
type player struct {
	game.Account
	animals         []game.Animal
	access, refresh string
}

// register makes a player with 500 gold and three animals, of which each is better than the next in any show.
func (w *world) register(ctx context.Context) (player, error) {
	now := game.InstantOf(time.Now())
	name := newName()
	p := player{Account: game.NewAccount(game.Registration{Email: name + "@example.com", Username: name, RanchName: "Ranch of " + name}, w.hash, now)}
	session, err := w.keys.IssueSession(p.User, now)
	if err != nil {
		return player{}, err
	}
	p.access, p.refresh = session.Access, session.Refresh
	p.animals = game.Starters(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), p.ID, p.Ranch.ID, now)
	for i := range p.animals {
		p.animals[i].Condition, p.animals[i].Phenotype = game.FixedMax, &game.Phenotype{}
		for trait := range p.animals[i].Phenotype {
			p.animals[i].Phenotype[trait] = game.Fixed(90_00 - 40_00*i)
		}
	}
	return p, w.store.CreateAccount(ctx, p.Account, p.animals, game.StarterEntry(p.ID, now), session.Record)
}

// newName returns a username that nobody else has.
func newName() string { return strings.ReplaceAll(string(game.NewID()), "-", "")[:20] }

// issued returns an access token of the player's that was issued at another time than now, and is as long good as any.
func (w *world) issued(p player, at time.Time) (string, error) {
	return w.keys.IssueAccess(p.User, game.InstantOf(at))
}

// show makes an open show.
func (w *world) show(ctx context.Context, tier string, fee int64) (game.Show, error) {
	show := game.Show{
		ID: game.NewID(), Name: "County Fair", Tier: tier, EntryFee: fee, EntryClosesAt: game.InstantOf(time.Now()).Add(time.Hour), Status: game.ShowOpen,
		SeasonID: w.season.ID,
	}
	return show, w.operator().CreateShow(ctx, show, 1)
}

// gold returns what a player has, which the ledger must lead to.
func (w *world) gold(ctx context.Context, user game.ID) (int64, error) {
	audit, err := w.store.AuditLedger(ctx, user)
	if err == nil && len(audit.Differences) > 0 {
		err = fmt.Errorf("the ledger of %s: %v", user, audit.Differences)
	}
	return audit.Balance, err
}
