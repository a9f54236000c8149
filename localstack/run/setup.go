package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// setUp creates the table and, in LocalStack, the secret with the signing keys, unless they exist. It also creates the
// demo, unless SEED=none. It returns an error if the table has another layout than this program knows.
func setUp(ctx context.Context, cfg config, e *engine.Engine, out io.Writer) error {
	if err := engine.CreateTable(ctx, e.Client(), stack.TableName); err != nil {
		return err
	}
	if cfg.engine == engine.LocalStack {
		if err := stack.CreateSecret(ctx, secretsOf(e)); err != nil {
			return err
		}
	}
	table := tableOf(e)
	if err := table.CheckLayout(ctx); err != nil {
		if cfg.dataDir != "" && errors.Is(err, store.ErrOtherLayout) {
			err = fmt.Errorf("the data in %s is from another version of Ranch: move or delete the folder, or choose another one with DATA_DIR=: %w", cfg.dataDir, err)
		}
		return err
	}
	if !cfg.seed {
		return nil
	}
	return createDemo(ctx, table, out)
}

func secretsOf(e *engine.Engine) *secretsmanager.Client {
	return secretsmanager.New(secretsmanager.Options{Region: running.Region, BaseEndpoint: aws.String(e.Endpoint()), Credentials: running.Credentials()})
}

func tableOf(e *engine.Engine) operate.Desk {
	return operate.Open(store.New(dynamodb.New(e.Client().Options(), table.ClientOptions), stack.TableName, time.Now))
}

// createDemo creates the missing parts of the demo and prints the number of new shows, and its progress each second.
func createDemo(ctx context.Context, table operate.Desk, out io.Writer) error {
	next := time.Now().Add(time.Second)
	made, err := seedDemo(ctx, table, game.InstantOf(time.Now()), func(done, of int) {
		if now := time.Now(); now.After(next) {
			fmt.Fprintf(out, "Creating the demo: %d of %d steps\n", done, of)
			next = now.Add(time.Second)
		}
	})
	switch {
	case errors.Is(err, errForeign):
		fmt.Fprintln(out, "The table has seasons of its own: no demo is added")
		return nil
	case err != nil:
		return fmt.Errorf("cannot create the demo: %w (run it again to create the rest, or with SEED=none to have no demo)", err)
	case made > 0:
		fmt.Fprintf(out, "Created %d shows of the demo, with %d rivals (SEED=none leaves them out)\n", made, len(rivals))
	}
	return nil
}
