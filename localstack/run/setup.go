package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// initialise sets up the LocalStack and ends.
func initialise(ctx context.Context, cfg config, out io.Writer) error {
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	e, err := engine.Start(ctx, engine.Options{Kind: cfg.engine})
	if err != nil {
		return err
	}
	defer e.Close()
	return setUp(ctx, cfg, t, e, out)
}

// setUp creates what the template defines and the functions need, as far as it is not there yet, and fills an empty
// table if wanted.
func setUp(ctx context.Context, cfg config, t *samtemplate.Template, e *engine.Engine, out io.Writer) error {
	if err := engine.CreateTable(ctx, e.Client(), stack.TableName); err != nil {
		return err
	}
	if err := engine.ExpireItems(ctx, e.Client(), stack.TableName); err != nil {
		return err
	}
	if cfg.engine == engine.LocalStack {
		created, err := stack.CreateSecret(ctx, t, secretsmanager.New(secretsmanager.Options{
			Region: running.Region, BaseEndpoint: aws.String(e.Endpoint()), Credentials: running.Credentials(),
		}))
		if err != nil {
			return err
		}
		if !created {
			fmt.Fprintf(out, "The secret %s exists already and is kept\n", stack.SecretName)
		}
	}
	if !cfg.seed {
		return nil
	}
	found, err := e.Client().Scan(ctx, &dynamodb.ScanInput{TableName: aws.String(stack.TableName), Limit: aws.Int32(1)})
	if err != nil {
		return fmt.Errorf("looking into the table %s: %w", stack.TableName, err)
	}
	if len(found.Items) > 0 {
		fmt.Fprintln(out, "The table holds data already: no demo is added")
		return nil
	}
	table := store.New(dynamodb.New(e.Client().Options(), store.ClientOptions), stack.TableName, time.Now)
	if err := seedDemo(ctx, table, game.InstantOf(time.Now())); err != nil {
		return err
	}
	fmt.Fprintf(out, "Created a demo season with %d shows (SEED=none leaves them out)\n", len(demoShows))
	return nil
}

const day = 24 * time.Hour

// demoShows has something for every rule of entering: every tier, free and paid, closing soon and late, one that a new
// player cannot afford, and one that pays no prize. Several rookie shows that a new player can pay stay open for many
// days: whoever tries the service judges them one after the other.
var demoShows = [...]struct {
	name   string
	tier   string
	fee    int64
	closes time.Duration // from now
}{
	{"Early Bird Parade", game.TierRookie, 0, 5 * time.Minute},
	{"Market Day Trials", game.TierPro, 50, 30 * time.Minute},
	{"Silver Bell Evening", game.TierElite, 250, time.Hour},
	{"Harvest Exhibition", "exhibition", 0, 3 * time.Hour},
	{"County Champions", game.TierPro, 75, 12 * time.Hour},
	{"Prairie Pro Tour", game.TierPro, 0, day},
	{"Golden Horseshoe", game.TierElite, 300, 2 * day},
	{"Royal Ranch Gala", game.TierElite, 600, 3 * day},
	{"Grand National Round-up", game.TierPro, 100, 7 * day},
	{"Barn Door Classic", game.TierRookie, 10, 12 * day},
	{"Creekside Open", game.TierRookie, 25, 13 * day},
	{"Newcomers' Welcome", game.TierRookie, 0, 14 * day},
}

// seedDemo creates an active season and the demo's shows, all of them open.
func seedDemo(ctx context.Context, table *store.Store, now game.Instant) error {
	next := func() store.Operator { return table.Operator(store.NewChange("demo", "", now)) } // one changes one thing
	season := game.Season{ID: game.NewID(), Name: "Demo Season", StartDate: now.Add(-7 * day), EndDate: now.Add(60 * day), IsActive: true}
	if err := next().CreateSeason(ctx, season); err != nil {
		return fmt.Errorf("creating the demo season: %w", err)
	}
	for _, s := range demoShows {
		show := game.Show{
			ID: game.NewID(), Name: s.name, Tier: s.tier, EntryFee: s.fee, EntryClosesAt: now.Add(s.closes), Status: game.ShowOpen, SeasonID: season.ID,
		}
		if err := next().CreateShow(ctx, show, store.DefaultGates); err != nil {
			return fmt.Errorf("creating the demo show %s: %w", s.name, err)
		}
	}
	return nil
}
