// Package dynamo is a server between clients and an engine: any server, such as DynamoDB Local, that speaks DynamoDB's
// JSON protocol. It plays the faults of package faults at random, and transactions hold (lock) their items. README.md
// explains each fault and its sources.
//
//	server, err := dynamo.Start("http://127.0.0.1:8000", options)
//	client := dynamodb.New(dynamodb.Options{BaseEndpoint: aws.String(server.Endpoint()), ...})
//	...
//	err = server.Switch(ctx, false) // turns the faults off, and waits for running requests
//	err = server.Close(ctx)
package dynamo

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// Server plays at most one fault on each request that reads or writes items. The seed and the number of the request, in
// the order of arrival, decide the fault and its delay. At first, the faults are on.
type Server struct {
	options Options
	pool    *http.Transport
	engine  http.RoundTripper // with holds
	http    *httptest.Server
	pending sync.WaitGroup // requests that began while the faults were on, and late attempts

	mu       sync.Mutex
	off      bool
	requests uint64 // that arrived while the faults were on
	played   map[string]int
	tokens   map[string]bool // of the transactions so far
}

// Start returns a running Server at a port of 127.0.0.1 for the engine at a base URL such as "http://127.0.0.1:8000".
// The caller must Close it. Start fails if it cannot parse the URL, but does not check that the engine answers.
func Start(engine string, o Options) (*Server, error) {
	at, err := url.Parse(engine)
	if err != nil {
		return nil, fmt.Errorf("dynamo: the address of the engine: %w", err)
	}
	s := &Server{options: o, pool: loopback.Transport(), played: map[string]int{}, tokens: map[string]bool{}}
	s.engine = capacity.New(capacity.Options{Hold: o.Hold}).Transport(s.pool)
	s.http = httptest.NewServer(loopback.RefuseBrowsers(loopback.ForwardBy(s, at)))
	return s, nil
}

// Endpoint returns the base URL for clients, such as "http://127.0.0.1:15001".
func (s *Server) Endpoint() string { return s.http.URL }

// Close turns the faults off, as Switch does, and ends the server.
func (s *Server) Close(ctx context.Context) error {
	err := s.Switch(ctx, false)
	s.http.Close()
	s.pool.CloseIdleConnections()
	return err
}

// Switch turns the faults on or off. When it turns them off, it waits until all requests that began before have
// finished, and late attempts have arrived. If the context ends earlier, Switch returns the context's error, and the
// faults are off.
func (s *Server) Switch(ctx context.Context, on bool) error {
	s.mu.Lock()
	s.off = !on
	s.mu.Unlock()
	if on {
		return nil
	}
	ended := make(chan struct{})
	go func() { s.pending.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Played returns how often the Server has played each fault.
func (s *Server) Played() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.played)
}

// RoundTrip answers a request with its fault. An error means that the engine does not answer, or that the fault cuts
// the connection.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	operation := protocol.Operation(r)
	if !strings.HasSuffix(operation, "Item") && !strings.HasSuffix(operation, "Items") && operation != "Query" {
		return s.engine.RoundTrip(r)
	}
	body, err := protocol.ReadAll(r.Body, r.ContentLength)
	if err != nil {
		return nil, err
	}
	fault, on := s.draw(operation, body)
	if on {
		defer s.pending.Done()
	}
	return fault(protocol.WithBody(r, body), s.engine)
}

// draw counts a request as pending, and returns its fault. If the faults are off, it returns Pass and false. A
// transaction gets no conflict if an attempt with its token came before, because DynamoDB checks the token first.
func (s *Server) draw(operation string, body []byte) (fault faults.Fault, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, _ := protocol.OptionalText(body, "ClientRequestToken")
	repeats := token != "" && s.tokens[token]
	s.tokens[token] = true
	if s.off {
		return faults.Pass, false
	}
	s.pending.Add(1)
	s.requests++
	random := rand.New(rand.NewPCG(s.options.Seed, s.requests))
	kind, share := s.options.pick(random.Float64()), random.Float64()
	if !befalls(kind, operation) || kind == "conflict" && repeats {
		return faults.Pass, true
	}
	s.played[kind]++
	return s.fault(kind, operation, share), true
}

// befalls reports whether a request of an operation can get a kind of fault.
func befalls(kind, operation string) bool {
	writes := slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"}, operation)
	switch kind {
	case "":
		return false
	case "conflict", "error-after", "late":
		return writes
	case "unprocessed":
		return operation == "BatchGetItem"
	}
	return true
}

// simple has the faults that are the same for all operations.
var simple = map[string]faults.Fault{
	"throttle": faults.Throttle, "error": faults.Unavailable, "error-after": faults.FailAfter,
	"unprocessed": faults.Unprocessed, "lost": faults.LoseAnswer, "broken": faults.CutAnswer,
}

// fault returns a fault of a kind for one request. share, from 0 to 1, is the share of the longest delay.
func (s *Server) fault(kind, operation string, share float64) faults.Fault {
	transaction := strings.HasPrefix(operation, "Transact")
	switch {
	case kind == "conflict" && transaction:
		return faults.Conflict
	case kind == "conflict":
		return faults.ConflictPlainWrite
	case kind == "throttle" && transaction:
		return faults.Answer(protocol.TableThrottled())
	case kind == "late":
		return s.late(time.Duration(share * float64(s.options.LateBy)))
	case kind == "slow":
		return faults.Slow(time.Duration(share * float64(s.options.SlowBy)))
	}
	return simple[kind]
}

// late returns a fault that fails at once. The request reaches the engine after the delay.
func (s *Server) late(delay time.Duration) faults.Fault {
	late, arrive := faults.Late(faults.Unavailable)
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		response, err := late(r, pass)
		s.pending.Add(1)
		time.AfterFunc(delay, func() { defer s.pending.Done(); arrive() })
		return response, err
	}
}
