package storetest

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Wire is the connection between a store and its engine. It counts the cost of calls. It also plays the cloud's faults,
// which engines do not have. A fault replaces one attempt, so that the SDK may retry.
type Wire struct {
	faults.Script

	mu       sync.Mutex
	cost     Cost
	inFlight int
	held     *Held // takes the next transaction; nil if Hold keeps none back
	between  func(http.RoundTripper) http.RoundTripper
}

// Cost is the cost of the calls since the last Reset of the Wire.
type Cost struct {
	RoundTrips int     // requests in sequence; requests that overlap count as one
	Requests   int     // in all
	RCU, WCU   float64 // as the engine reports them
}

// Reset sets the counts to zero.
func (w *Wire) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cost = Cost{}
}

// Cost returns the cost of calls since the last Reset.
func (w *Wire) Cost() Cost {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cost
}

// Delay delays every response by d, so that concurrent requests overlap even on a busy machine, as one round trip.
func (w *Wire) Delay(d time.Duration) { w.Through(faults.Slow(d).On) }

// Through puts another transport before the engine. It gets each attempt that no fault has replaced.
func (w *Wire) Through(between func(next http.RoundTripper) http.RoundTripper) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.between = between
}

// pass returns the transport for an attempt that no fault has replaced.
func (w *Wire) pass(next http.RoundTripper) http.RoundTripper {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.between == nil {
		return next
	}
	return w.between(next)
}

// transport plays the planned faults.
func (w *Wire) transport(next http.RoundTripper) http.RoundTripper {
	return faults.Fault(func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		return w.Take(protocol.Operation(r))(r, w.pass(next))
	}).On(next)
}

// middleware makes a call request the consumed capacity, and counts it once, with all of its retries. It fails a call
// whose transaction Hold keeps back, or whose transaction has empty values.
func (w *Wire) middleware(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("storetest.Wire",
		func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
			if err := errors.Join(refuseEmptyValues(in.Parameters), w.hold(in.Parameters)); err != nil {
				return middleware.InitializeOutput{}, middleware.Metadata{}, err
			}
			askForCapacity(in.Parameters)
			w.begin()
			out, metadata, err := next.HandleInitialize(ctx, in)
			w.end(out.Result)
			return out, metadata, err
		}), middleware.Before)
}

// errEmptyValues is an error that DynamoDB returns and the embedded engine does not.
var errEmptyValues = errors.New("storetest: ValidationException: ExpressionAttributeValues must not be empty")

// refuseEmptyValues returns an error if a transaction has an empty map of values, which DynamoDB refuses.
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
	switch units := consumed(result); result.(type) {
	case *dynamodb.PutItemOutput, *dynamodb.UpdateItemOutput, *dynamodb.DeleteItemOutput, *dynamodb.TransactWriteItemsOutput:
		w.cost.WCU += units
	default:
		w.cost.RCU += units
	}
}

// askForCapacity makes a call request the consumed capacity, if its operation can report that.
func askForCapacity(parameters any) {
	if wish := reflect.ValueOf(parameters).Elem().FieldByName("ReturnConsumedCapacity"); wish.IsValid() {
		wish.SetString(string(types.ReturnConsumedCapacityTotal))
	}
}

// consumed returns the capacity units that a response reports, for one table or for several tables.
func consumed(result any) (units float64) {
	answer := reflect.Indirect(reflect.ValueOf(result))
	if !answer.IsValid() {
		return 0
	}
	said := answer.FieldByName("ConsumedCapacity")
	if !said.IsValid() {
		return 0
	}
	switch c := said.Interface().(type) {
	case *types.ConsumedCapacity:
		if c != nil {
			units = aws.ToFloat64(c.CapacityUnits)
		}
	case []types.ConsumedCapacity:
		for _, one := range c {
			units += aws.ToFloat64(one.CapacityUnits)
		}
	}
	return units
}
