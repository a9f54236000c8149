package storetest

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Wire is what stands between a store and its engine: it adds up what calls cost, and plays the faults that the cloud
// has and engines don't, below the SDK's retries.
type Wire struct {
	faults.Script

	mu       sync.Mutex
	cost     Cost
	inFlight int
	delay    time.Duration
	held     *Held // of the next transaction
	between  func(http.RoundTripper) http.RoundTripper
}

// Cost is what the calls since the last Reset have cost.
type Cost struct {
	RoundTrips int     // in sequence: requests that overlap are one
	Requests   int     // in all
	RCU, WCU   float64 // as the engine reports them
}

// Reset begins to count anew.
func (w *Wire) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cost = Cost{}
}

// Cost returns what calls have cost since the last Reset.
func (w *Wire) Cost() Cost {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cost
}

// Delay lets every attempt take so much longer: requests that are sent at once then overlap also where the machine is
// busy, and count as one round trip.
func (w *Wire) Delay(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay = d
}

func (w *Wire) delayed() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.delay
}

// Through puts a transport between the wire and the engine: it sees each attempt that no fault keeps.
func (w *Wire) Through(between func(next http.RoundTripper) http.RoundTripper) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.between = between
}

// pass is the way of an attempt to the engine.
func (w *Wire) pass(next http.RoundTripper) http.RoundTripper {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.between == nil {
		return next
	}
	return w.between(next)
}

type transport struct {
	wire *Wire
	next http.RoundTripper
}

func (w *Wire) transport(next http.RoundTripper) http.RoundTripper { return transport{w, next} }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	fault := t.wire.Take(protocol.Operation(r))
	if delay := t.wire.delayed(); delay > 0 {
		<-time.After(delay)
	}
	return fault(r, t.wire.pass(t.next))
}

// CloseIdleConnections closes those of the transport below.
func (t transport) CloseIdleConnections() {
	if below, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// middleware counts each call as a whole, its retries included, and asks the engine for the capacity.
func (w *Wire) middleware(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("storetest.Wire",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			if err := errors.Join(refuseEmptyValues(in.Parameters), w.hold(in.Parameters)); err != nil {
				return middleware.InitializeOutput{}, middleware.Metadata{}, err
			}
			in.Parameters = withCapacity(in.Parameters)
			w.begin()
			out, metadata, err := next.HandleInitialize(ctx, in)
			w.end(out.Result)
			return out, metadata, err
		}), middleware.Before)
}

// errEmptyValues is what DynamoDB says, and dynoxide does not.
var errEmptyValues = errors.New("storetest: ValidationException: ExpressionAttributeValues must not be empty")

// refuseEmptyValues refuses a transaction with an empty map of values, where there should be none.
func refuseEmptyValues(parameters any) error {
	in, ok := parameters.(*dynamodb.TransactWriteItemsInput)
	if !ok {
		return nil
	}
	for _, item := range in.TransactItems {
		if _, values := attributesOf(item); values != nil && len(values) == 0 {
			return errEmptyValues
		}
	}
	return nil
}

func (w *Wire) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.inFlight == 0 {
		w.cost.RoundTrips++
	}
	w.inFlight++
	w.cost.Requests++
}

func (w *Wire) end(result any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inFlight--
	read, written := consumed(result)
	for _, c := range read {
		w.cost.RCU += units(c)
	}
	for _, c := range written {
		w.cost.WCU += units(c)
	}
}

func units(c types.ConsumedCapacity) float64 {
	if c.CapacityUnits == nil {
		return 0
	}
	return *c.CapacityUnits
}

// withCapacity asks for the consumed capacity of a call.
func withCapacity(parameters any) any {
	const total = types.ReturnConsumedCapacityTotal
	switch p := parameters.(type) {
	case *dynamodb.GetItemInput:
		p.ReturnConsumedCapacity = total
	case *dynamodb.BatchGetItemInput:
		p.ReturnConsumedCapacity = total
	case *dynamodb.QueryInput:
		p.ReturnConsumedCapacity = total
	case *dynamodb.ScanInput:
		p.ReturnConsumedCapacity = total
	case *dynamodb.UpdateItemInput:
		p.ReturnConsumedCapacity = total
	case *dynamodb.DeleteItemInput:
		p.ReturnConsumedCapacity = total
	case *dynamodb.TransactGetItemsInput:
		p.ReturnConsumedCapacity = total
	case *dynamodb.TransactWriteItemsInput:
		p.ReturnConsumedCapacity = total
	}
	return parameters
}

func consumed(result any) (read, written []types.ConsumedCapacity) {
	one := func(c *types.ConsumedCapacity) []types.ConsumedCapacity {
		if c == nil {
			return nil
		}
		return []types.ConsumedCapacity{*c}
	}
	switch r := result.(type) {
	case *dynamodb.GetItemOutput:
		return one(r.ConsumedCapacity), nil
	case *dynamodb.BatchGetItemOutput:
		return r.ConsumedCapacity, nil
	case *dynamodb.TransactGetItemsOutput:
		return r.ConsumedCapacity, nil
	case *dynamodb.QueryOutput:
		return one(r.ConsumedCapacity), nil
	case *dynamodb.ScanOutput:
		return one(r.ConsumedCapacity), nil
	case *dynamodb.UpdateItemOutput:
		return nil, one(r.ConsumedCapacity)
	case *dynamodb.DeleteItemOutput:
		return nil, one(r.ConsumedCapacity)
	case *dynamodb.TransactWriteItemsOutput:
		return nil, r.ConsumedCapacity
	}
	return nil, nil
}
