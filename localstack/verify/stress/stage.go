package main

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// open starts the engine, the faults and the real functions, which must have been built. The seed decides the faults.
// After an error, the caller must still close the round.
func (r *round) open(ctx context.Context, seed uint64) (err error) {
	if r.engine, err = engine.Start(ctx, engine.Options{}); err != nil {
		return err
	}
	if err := engine.CreateTable(ctx, r.engine.Client(), stack.TableName); err != nil {
		return err
	}
	limits := capacity.New(capacity.Options{Hold: hold})
	r.faults = &faults.Random{Seed: seed, Chance: chances, LateBy: longestDelay, SlowBy: longestDelay}
	between := func(next http.RoundTripper) http.RoundTripper {
		if r.alter != nil {
			next = r.alter(next)
		}
		return r.faults.Transport(limits.Transport(next))
	}
	r.store = storeAt(r.engine.Endpoint(), func(next http.RoundTripper) http.RoundTripper { return next })
	r.operators = storeAt(r.engine.Endpoint(), between)
	r.stack, err = stack.Serve(ctx, stack.Config{
		Template: r.template, Engine: r.engine, Between: between,
		Log: func(function, line string) { r.complain(function + ": " + line) },
	})
	if err != nil {
		return err
	}
	// The gateway answers within 30 seconds.
	r.transport = &client.Transport{API: r.stack.API, HTTP: &http.Client{Timeout: 40 * time.Second}}
	r.keys, err = boot.DevelopmentKeys(ctx, r.store)
	return err
}

func storeAt(endpoint string, between stack.Between) operate.Desk {
	return operate.Open(store.New(dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: aws.String(endpoint), Credentials: running.Credentials(),
	}, table.ClientOptions, func(o *dynamodb.Options) {
		line := o.HTTPClient.(*table.Line)
		line.Transport = between(line.Transport)
	}), stack.TableName, time.Now))
}

// close ends everything that open has started, and adds the played faults to the figures.
func (r *round) close() (err error) {
	if r.stack != nil {
		err = r.stack.Close()
	}
	if r.faults != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		err = errors.Join(err, r.faults.Switch(ctx, false))
		for name, n := range r.faults.Played() {
			r.figures.add("fault "+name, n)
		}
	}
	if r.engine != nil {
		r.engine.Close()
	}
	return err
}

// killFunction kills one of the functions' processes, which may be serving a request. draw selects one of n.
func (r *round) killFunction(draw func(n int) int) {
	if running := r.stack.Processes(); len(running) > 0 {
		running[draw(len(running))].Signal(syscall.SIGKILL)
		r.figures.add("killed functions", 1)
	}
}
