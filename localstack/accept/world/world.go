// Package world serves the real functions on a fresh table, which callers can read and change as operators.
package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/token"
)

// Config says how to serve the functions, on the embedded engine. Set Folder or Template.
type Config struct {
	Folder    string                      // the folder in which Open builds the functions of the repository's template
	Template  *samtemplate.Template       // with built functions; then Folder is unused
	Processes int                         // the most processes of a function; 0: the gateway's default
	Between   stack.Between               // is between the functions and the engine; nil for nothing
	Log       func(function, line string) // gets the output of the functions; may be nil
}

// World is a running service, with direct access to its table.
type World struct {
	API    string // base URL
	Stack  *stack.Stack
	Engine *engine.Engine
	Store  operate.Desk
	Keys   *token.Keys // the keys that sign and verify the service's tokens
}

// Open builds the functions, unless cfg has a Template, and serves them on a fresh table. The caller must Close the
// World. After an error, nothing is left running.
func Open(ctx context.Context, cfg Config) (*World, error) {
	w := &World{}
	if err := w.open(ctx, cfg); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// compile builds the functions in a folder, and returns their template.
func compile(ctx context.Context, folder string) (*samtemplate.Template, error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return nil, err
	}
	err = build.Make(ctx, template.Root, os.Stderr, "functions", "FUNCTIONS_DIR="+folder+"/.build/functions")
	template.Root = folder
	return template, err
}

func (w *World) open(ctx context.Context, cfg Config) (err error) {
	if cfg.Template == nil {
		if cfg.Template, err = compile(ctx, cfg.Folder); err != nil {
			return err
		}
	}
	if w.Engine, err = engine.Start(ctx, engine.Options{Progress: os.Stderr}); err != nil {
		return err
	}
	if err := engine.CreateTable(ctx, w.Engine.Client(), stack.TableName); err != nil {
		return err
	}
	w.Store = operate.Open(store.New(dynamodb.New(w.Engine.Client().Options(), table.ClientOptions), stack.TableName, time.Now))
	if w.Keys, err = boot.DevelopmentKeys(ctx, w.Store); err != nil {
		return err
	}
	if cfg.Log == nil {
		cfg.Log = func(string, string) {}
	}
	w.Stack, err = stack.Serve(ctx, stack.Config{
		Template: cfg.Template, Engine: w.Engine, Between: cfg.Between,
		Processes: cfg.Processes, Log: cfg.Log,
	})
	if err == nil {
		w.API = w.Stack.API
	}
	return err
}

// Close ends everything that Open has started.
func (w *World) Close() (err error) {
	if w.Stack != nil {
		err = w.Stack.Close()
	}
	if w.Engine != nil {
		w.Engine.Close()
	}
	return err
}

// Now returns the present time, rounded to the precision of the table's records.
func Now() game.Instant { return game.InstantOf(time.Now()) }

// Operator returns an operator for one change at the present time.
func (w *World) Operator() operate.Operator { return w.OperatorAt(Now()) }

// OperatorAt returns an operator for one change at the given time. For example, a show can be created in the past.
func (w *World) OperatorAt(now game.Instant) operate.Operator {
	return w.Store.Operator(operate.NewChange("accept", "", now))
}

// NewSeason creates an active season with this id, and returns it. The season began an hour ago and ends in a day.
func (w *World) NewSeason(ctx context.Context, id game.ID) (game.Season, error) {
	season := game.Season{ID: id, Name: "Acceptance", StartDate: Now().Add(-time.Hour), EndDate: Now().Add(24 * time.Hour), IsActive: true}
	return season, w.Operator().CreateSeason(ctx, season)
}

// NewShow creates an open show with the given number of gates (counters of entries), and returns it. If show has no
// closing time, it closes in an hour. A closing time may be in the past. If show has no id, it gets a new one.
func (w *World) NewShow(ctx context.Context, show game.Show, gates int) (game.Show, error) {
	made := Now()
	show.EntryClosesAt = cmp.Or(show.EntryClosesAt, made.Add(time.Hour))
	show.ID, show.Status = cmp.Or(show.ID, game.NewID()), game.ShowOpen
	return show, w.OperatorAt(min(made, show.EntryClosesAt-1)).CreateShow(ctx, show, gates)
}

// Player is a player with three animals, 500 gold and, once registered, a session.
type Player struct {
	game.Account
	token.Session
	Animals []game.Animal
}

// NewName returns an unused username.
func NewName() string { return strings.ReplaceAll(string(game.NewID()), "-", "")[:20] }

// NewPlayer returns a player of this name, whom Register can register.
func NewPlayer(name string, now game.Instant) Player {
	account := game.NewAccount(game.Registration{Email: name + "@example.com", Username: name, RanchName: "Ranch of " + name}, now)
	animals := game.Starters(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), account.ID, account.Ranch.ID, now)
	return Player{Account: account, Animals: animals}
}

// Register registers a player as the endpoint does, with the password's hash. It returns the player with a session.
func (w *World) Register(ctx context.Context, p Player, hash string) (_ Player, err error) {
	if p.Session, err = w.Keys.IssueSession(p.User, p.CreatedAt); err != nil {
		return p, err
	}
	return p, w.Store.CreateAccount(ctx, p.Account, hash, p.Animals, game.StarterEntry(p.ID, p.CreatedAt), p.Record)
}

// Cancel cancels a show and refunds the fees.
func (w *World) Cancel(ctx context.Context, show game.ID) error {
	return errors.Join(w.Operator().CancelShow(ctx, show), w.Operator().Refund(ctx, show, func(int, int) {}))
}

// Fold makes the standings of all seasons current. If another fold overtakes it, it begins again.
func (w *World) Fold(ctx context.Context) error {
	for {
		seasons, err := w.Store.Unfolded(ctx, Now())
		for _, season := range seasons {
			err = errors.Join(err, w.Store.Fold(ctx, season))
		}
		if !errors.Is(err, store.ErrOtherFold) {
			return err
		}
	}
}

// Gold returns a player's gold. It returns an error if the sum of the player's ledger differs.
func (w *World) Gold(ctx context.Context, user game.ID) (int64, error) {
	audit, err := w.Store.AuditLedger(ctx, user)
	if err == nil && len(audit.Differences) > 0 {
		err = fmt.Errorf("the ledger of %s: %v", user, audit.Differences)
	}
	return audit.Balance, err
}
