package main

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/engine/moto"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// backend is the back end of the drill's functions: the table in the embedded engine, and the secret in moto, a
// stand-in for Secrets Manager. Both have the same endpoint, as in LocalStack. The drill can make the table fail.
type backend struct {
	moto         *moto.Server
	engine       *engine.Engine // which tools reach without the faults
	asLocalStack *engine.Engine // moto's endpoint, for the stack, with the faults
	behind       *http.Transport

	mu     sync.Mutex
	fault  faults.Fault
	limits *capacity.Limits // count the requests that pass, and limit them if the fault is a limit
}

// openBackend starts a back end. The caller must close it, also after an error.
func openBackend(ctx context.Context, t *samtemplate.Template) (*backend, error) {
	b := &backend{behind: loopback.Transport(), fault: faults.Pass, limits: capacity.New(capacity.Options{})}
	return b, b.open(ctx, t)
}

func (b *backend) open(ctx context.Context, t *samtemplate.Template) (err error) {
	if b.engine, err = engine.Start(ctx, engine.Options{}); err != nil {
		return err
	}
	tablesAt, err := url.Parse(b.engine.Endpoint())
	if err != nil {
		return err
	}
	if b.moto, err = moto.Start(ctx, t.Root, loopback.ForwardBy(b, tablesAt)); err != nil {
		return err
	}
	if b.asLocalStack, err = engine.Attach(ctx, b.moto.URL); err != nil {
		return err
	}
	if err := engine.CreateTable(ctx, b.engine.Client(), stack.TableName); err != nil {
		return err
	}
	return stack.CreateSecret(ctx, t, b.moto.Secrets)
}

func (b *backend) close() {
	b.behind.CloseIdleConnections()
	if b.engine != nil {
		b.engine.Close()
	}
	if b.moto != nil {
		b.moto.Close()
	}
}

// RoundTrip passes a request on to the table, within the table's limits, unless a fault prevents that.
func (b *backend) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	fault, through := b.fault, b.limits.Transport(b.behind)
	b.mu.Unlock()
	return fault(r, through)
}

// fail sets the table's fault; faults.Pass ends it.
func (b *backend) fail(f faults.Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = f
}

// limit replaces the table's limits and sets its counts to zero. The zero Options remove the limits.
func (b *backend) limit(o capacity.Options) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limits = capacity.New(o)
}

// counted returns the table's values of AWS metrics, by the metric's name, since the last call of limit.
func (b *backend) counted() map[string]float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	counts, s := map[string]float64{}, b.limits.Snapshot()
	sum := s.Total()
	counts["ConsumedReadCapacityUnits"], counts["ConsumedWriteCapacityUnits"] = sum.Read, sum.Written
	for _, row := range s.Rows {
		switch row.Operation {
		case "GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems":
			counts["ReadThrottleEvents"] += float64(row.Throttled)
		default:
			counts["WriteThrottleEvents"] += float64(row.Throttled)
		}
	}
	return counts
}
