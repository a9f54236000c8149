package main

import (
	"context"
	"errors"
	"net/http"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// open starts the engine, the faults and the real functions, which must have been built. The seed decides the faults.
// After an error, the caller must still close the round.
func (r *round) open(ctx context.Context, seed uint64) (err error) {
	limits := capacity.New(capacity.Options{Hold: hold})
	r.faults = &faults.Random{Seed: seed, Chance: chances, LateBy: longestDelay, SlowBy: longestDelay}
	between := func(next http.RoundTripper) http.RoundTripper {
		if r.alter != nil {
			next = r.alter(next)
		}
		return r.faults.Transport(limits.Transport(next))
	}
	r.World, err = world.Open(ctx, world.Config{
		Template: r.template, Between: between, Log: func(function, line string) { r.complain(function + ": " + line) },
	})
	if err != nil {
		return err
	}
	client := dynamodb.New(r.Engine.Client().Options(), table.ClientOptions, func(o *dynamodb.Options) {
		line := o.HTTPClient.(*table.Line)
		line.Transport = between(line.Transport)
	})
	r.operators = operate.Open(store.New(client, stack.TableName, time.Now))
	return nil
}

// close ends everything that open has started, and adds the played faults to the figures.
func (r *round) close() (err error) {
	if r.World != nil {
		err = r.World.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	err = errors.Join(err, r.faults.Switch(ctx, false))
	for name, n := range r.faults.Played() {
		r.figures.add("fault "+name, n)
	}
	return err
}

// killFunction kills one of the functions' processes, which may be serving a request. draw selects one of n.
func (r *round) killFunction(draw func(n int) int) {
	if running := r.Stack.Processes(); len(running) > 0 {
		running[draw(len(running))].Signal(syscall.SIGKILL)
		r.figures.add("killed functions", 1)
	}
}
