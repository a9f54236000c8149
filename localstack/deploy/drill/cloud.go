package main

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/engine/moto"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// cloud is the back end of the drill's functions: the table in the embedded engine, and the secret in moto's Secrets
// Manager. Both have the same endpoint, as in LocalStack. The drill can make the table fail.
type cloud struct {
	moto         *moto.Server
	engine       *engine.Engine // past all faults
	asLocalStack *engine.Engine // what the stack takes the endpoint for
	endpoint     string
	server       *http.Server
	behind       *http.Transport

	mu     sync.Mutex
	fault  fault
	limits *capacity.Limits // count the requests that pass, and limit them if the fault is a limit
}

// fault simulates a failing table. It returns the response that a request gets instead of the engine's. If it returns
// nil, the request reaches the engine.
type fault func(r *http.Request, body []byte) *http.Response

// openCloud starts a cloud. The caller must close it, also after an error.
func openCloud(ctx context.Context, t *samtemplate.Template) (*cloud, error) {
	c := &cloud{behind: loopback.Transport(), limits: capacity.New(capacity.Options{})}
	return c, c.open(ctx, t)
}

func (c *cloud) open(ctx context.Context, t *samtemplate.Template) (err error) {
	if c.moto, err = moto.Start(ctx, t.Root); err != nil {
		return err
	}
	if c.engine, err = engine.Start(ctx, engine.Options{}); err != nil {
		return err
	}
	if err := c.serve(); err != nil {
		return err
	}
	if err := os.Setenv("AWS_ENDPOINT_URL", c.endpoint); err != nil { // where the engine package looks for a LocalStack
		return err
	}
	if c.asLocalStack, err = engine.Start(ctx, engine.Options{Kind: engine.LocalStack}); err != nil {
		return err
	}
	if err := engine.CreateTable(ctx, c.engine.Client(), stack.TableName); err != nil {
		return err
	}
	return stack.CreateSecret(ctx, t, c.moto.Secrets)
}

// serve serves the table, the secret and the caller's identity (STS) at one endpoint, a free port.
func (c *cloud) serve() error {
	tablesAt, err := url.Parse(c.engine.Endpoint())
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback.Address, "0"))
	if err != nil {
		return err
	}
	c.endpoint = "http://" + listener.Addr().String()
	joined := moto.Join(loopback.ForwardBy(c, tablesAt), c.moto.Handler)
	c.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: loopback.RefuseBrowsers(joined)}
	go c.server.Serve(listener) // until close
	return nil
}

func (c *cloud) close() {
	if c.server != nil {
		_ = c.server.Close()
	}
	c.behind.CloseIdleConnections()
	if c.engine != nil {
		c.engine.Close()
	}
	if c.moto != nil {
		c.moto.Close()
	}
}

// RoundTrip passes a request on to the table, within the table's limits. If a fault answers the request, the table does
// not get it.
func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	fault, through := c.fault, c.limits.Transport(c.behind)
	c.mu.Unlock()
	if fault == nil {
		return through.RoundTrip(r)
	}
	body, err := protocol.ReadAll(r.Body, r.ContentLength)
	if err != nil {
		return nil, err
	}
	if instead := fault(r, body); instead != nil {
		return instead, nil
	}
	return through.RoundTrip(protocol.WithBody(r, body))
}

// fail sets the table's fault; nil ends it.
func (c *cloud) fail(f fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = f
}

// limit replaces the table's limits and sets its counts to zero. The zero Options remove the limits.
func (c *cloud) limit(o capacity.Options) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limits = capacity.New(o)
}

// counted returns the table's values of AWS metrics, by the metric's name, since the last call of limit.
func (c *cloud) counted() map[string]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts, s := map[string]float64{}, c.limits.Snapshot()
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
