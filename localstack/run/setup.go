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
