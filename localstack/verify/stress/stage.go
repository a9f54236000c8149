package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/store"
)

// stage is a fresh table, and the real functions in front of it. Requests pass through the faults and the route:
//
//	players ->  API -> functions -> permissions -> faults -> route -> engine
//	operators -------------------------------------^
//	checks and set-up --------------------------------------^
type stage struct {
	*search
	engine    *engine.Engine
	data      string // the path of the folder with the engine's data
	route     *route
	proxy     *dynamo.Server // plays the faults
	stack     *stack.Stack
	operators *store.Store // with the faults
	store     *store.Store // a client without the faults
	direct    *dynamodb.Client
	mu        sync.Mutex // for engine
}

// open starts everything. The functions must have been built. The seed decides the faults. log gets the functions'
// lines. After an error, the caller must still close the stage.
func (s *stage) open(ctx context.Context, seed uint64, log func(function, line string)) (err error) {
	if s.data, err = os.MkdirTemp("", "stress"); err != nil {
		return err
	}
	if s.engine, err = engine.Start(ctx, engine.Options{DataDir: s.data}); err != nil {
		return err
	}
	if err := engine.CreateTable(ctx, s.engine.Client(), stack.TableName); err != nil {
		return err
	}
	if s.route, err = newRoute(s.alter, s.engine); err != nil {
		return err
	}
	faults := s.faults
	faults.Seed = seed
	if s.proxy, err = dynamo.Start(s.route.server.URL, faults); err != nil {
		return err
	}
	s.direct = clientOf(s.route.server.URL)
	s.store = store.New(s.direct, stack.TableName, time.Now)
	s.operators = store.New(clientOf(s.proxy.Endpoint()), stack.TableName, time.Now)
	s.stack, err = stack.Serve(ctx, stack.Config{
		Template: s.template, Engine: s.engine, Kind: engine.Embedded, Before: s.proxy.Endpoint(), Log: log,
	})
	return err
}

func clientOf(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: aws.String(endpoint), Credentials: running.Credentials(),
	}, store.ClientOptions)
}

// close ends everything that the stage has started, and adds the faults that were played to the figures.
func (s *stage) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	var errs []error
	if s.stack != nil {
		errs = append(errs, s.stack.Close())
	}
	if s.proxy != nil {
		errs = append(errs, s.proxy.Close(ctx))
		for what, n := range s.proxy.Played() {
			s.figures.add("faults", what, n)
		}
	}
	if s.route != nil {
		s.route.server.Close()
	}
	if s.engine != nil {
		s.engine.Close()
	}
	return errors.Join(append(errs, os.RemoveAll(s.data))...)
}

// killFunction kills one of the functions' processes, which may be serving a request. draw selects the process.
func (s *stage) killFunction(draw uint64) {
	running := s.stack.Processes()
	if len(running) == 0 {
		return
	}
	running[draw%uint64(len(running))].Kill()
	s.figures.add("killed", "functions", 1)
}

// killEngine kills the engine, and starts another with the same data.
func (s *stage) killEngine(ctx context.Context) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.engine.Kill()
	s.engine.Close()
	if s.engine, err = engine.Start(ctx, engine.Options{DataDir: s.data}); err != nil {
		return err
	}
	s.figures.add("killed", "engines", 1)
	return s.route.leadTo(s.engine)
}

// quiet turns the faults off, and waits for at most a minute until no request is on its way to the engine. Meanwhile
// there must be no calls.
func (s *stage) quiet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := s.proxy.Switch(ctx, false); err != nil {
		return err
	}
	return s.route.empty(ctx)
}

func (s *stage) loud(ctx context.Context) error { return s.proxy.Switch(ctx, true) }

// route sends requests to the running engine, because each engine listens at another address.
type route struct {
	server   *httptest.Server
	engine   atomic.Pointer[url.URL]
	next     http.RoundTripper
	underWay atomic.Int64
}

func newRoute(alter func(http.RoundTripper) http.RoundTripper, to *engine.Engine) (*route, error) {
	r := &route{next: loopback.Transport()}
	if alter != nil {
		r.next = alter(r.next)
	}
	if err := r.leadTo(to); err != nil {
		return nil, err
	}
	r.server = httptest.NewServer(loopback.RefuseBrowsers(loopback.ForwardBy(r, r.engine.Load())))
	return r, nil
}

func (r *route) leadTo(to *engine.Engine) error {
	u, err := url.Parse(to.Endpoint())
	if err == nil {
		r.engine.Store(u)
	}
	return err
}

// RoundTrip sends a request to the running engine.
func (r *route) RoundTrip(q *http.Request) (*http.Response, error) {
	r.underWay.Add(1)
	defer r.underWay.Add(-1)
	q = q.Clone(q.Context())
	q.URL.Host = r.engine.Load().Host
	return r.next.RoundTrip(q)
}

// empty waits until the engine has answered all requests.
func (r *route) empty(ctx context.Context) error {
	for r.underWay.Load() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}
