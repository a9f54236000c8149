package storetest

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// Wire is what stands between a store and its engine: it adds up what calls cost, and plays the faults that the cloud has and engines don't,
// below the SDK's retries.
type Wire struct {
	mu       sync.Mutex
	cost     Cost
	inFlight int
	faults   map[string][]Fault
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

// Fault stands in for one attempt of a request. It may pass the request on, before, after or instead of what it does.
type Fault func(r *http.Request, pass http.RoundTripper) (*http.Response, error)

// Next lets the next attempts of an operation ("TransactWriteItems") meet the given faults, one each.
func (w *Wire) Next(operation string, faults ...Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.faults == nil {
		w.faults = map[string][]Fault{}
	}
	w.faults[operation] = append(w.faults[operation], faults...)
}

// Passed reports whether every fault has had its turn.
func (w *Wire) Passed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, left := range w.faults {
		if len(left) > 0 {
			return false
		}
	}
	return true
}

// Pass lets an attempt through.
func Pass(r *http.Request, pass http.RoundTripper) (*http.Response, error) { return pass.RoundTrip(r) }

// Before does something at the last moment before an attempt reaches the engine: the other side of a race.
func Before(do func()) Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		do()
		return pass.RoundTrip(r)
	}
}

// LoseAnswer lets the engine apply an attempt and loses its answer.
func LoseAnswer(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
	response, err := pass.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body.Close()
	return nil, io.ErrUnexpectedEOF
}

// Conflict answers as DynamoDB does when another transaction has the items. Nothing is applied.
func Conflict(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException",`+
		`"Message":"Transaction cancelled","CancellationReasons":[{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"}]}`)
}

// InProgress answers as DynamoDB does when the same token is being applied.
func InProgress(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException","Message":"in progress"}`)
}

// Throttle answers as DynamoDB does above its capacity.
func Throttle(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`)
}

// Unavailable answers 500.
func Unavailable(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	return answer(r, 500, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"sorry"}`)
}

func answer(r *http.Request, status int, body string) (*http.Response, error) {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

type transport struct {
	wire *Wire
	next http.RoundTripper
}

func (w *Wire) transport(next http.RoundTripper) http.RoundTripper { return transport{w, next} }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	w, name := t.wire, operation(r)
	w.mu.Lock()
	var fault Fault = Pass
	if queue := w.faults[name]; len(queue) > 0 {
		fault, w.faults[name] = queue[0], queue[1:]
	}
	w.mu.Unlock()
	return fault(r, t.next)
}

// middleware counts each call as a whole, its retries included, and asks the engine for the capacity.
func (w *Wire) middleware(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("storetest.Wire",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			in.Parameters = withCapacity(in.Parameters)
			w.begin()
			out, metadata, err := next.HandleInitialize(ctx, in)
			w.end(out.Result)
			return out, metadata, err
		}), middleware.Before)
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
	case *dynamodb.UpdateItemInput:
		p.ReturnConsumedCapacity = total
	case *dynamodb.DeleteItemInput:
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
	case *dynamodb.QueryOutput:
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
