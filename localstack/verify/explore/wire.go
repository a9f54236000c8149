package explore

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	dynamotable "github.com/ranch-game/ranch/shared/table"
)

// wire holds all attempts of a history's calls until the scheduler answers them.
type wire struct {
	moved chan struct{} // has an element if something has happened since the last receive

	mu       sync.Mutex
	arrivals []*attempt // since the last take
	givenUp  []*attempt // whose callers stopped waiting, since the last take
	closed   bool
}

// attempt is one attempt of a request, held below the SDK.
type attempt struct {
	*protocol.Request
	call   int            // the call's number
	number int            // among the attempts of the call, from 0
	late   bool           // its caller does not wait for it any more
	rest   protocol.Batch // the keys that its answer lists as unprocessed
	answer chan answer
}

// answer is the result of an attempt: a response, or an error if there is none.
type answer struct {
	status int
	body   []byte
	err    error
}

// client returns the SDK's client for one call. An attempt has no time-out, since the scheduler decides how long it
// takes. The SDK repeats attempts after a nanosecond.
func (w *wire) client(endpoint string, call int) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: &endpoint, Credentials: running.Credentials(),
	}, dynamotable.ClientOptions, func(o *dynamodb.Options) {
		o.Retryer = retry.AddWithMaxBackoffDelay(o.Retryer, shortest)
		o.HTTPClient = sender{w, call}
	})
}

// sender is the HTTP client of a call.
type sender struct {
	wire *wire
	call int
}

// errOver is the error of an attempt after the end of the history. The SDK does not repeat such an attempt.
var errOver = &aws.RequestCanceledError{Err: errors.New("the history is over")}

// Do holds an attempt until the scheduler answers it, or the caller's context ends.
func (s sender) Do(r *http.Request) (*http.Response, error) {
	// Code outside the bubble must not wait for objects of the bubble, such as the context.
	request, err := protocol.Parse(r.Clone(context.Background()))
	if err != nil {
		return nil, err
	}
	a := &attempt{Request: request, call: s.call, answer: make(chan answer, 1)}
	if !s.wire.note(&s.wire.arrivals, a) {
		return nil, errOver
	}
	select {
	case <-r.Context().Done():
		s.wire.note(&s.wire.givenUp, a)
		return nil, r.Context().Err()
	case got := <-a.answer:
		if got.err != nil {
			return nil, got.err
		}
		response := protocol.Respond(r, got.status, got.body)
		response.Header.Del("X-Amzn-Requestid") // it is random, and a part of errors
		return response, nil
	}
}

// note adds an attempt to a list for the scheduler, and returns false if the history is over.
func (w *wire) note(list *[]*attempt, a *attempt) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	*list = append(*list, a)
	w.stir()
	return !w.closed
}

// stir wakes the scheduler if it waits.
func (w *wire) stir() {
	select {
	case w.moved <- struct{}{}:
	default:
	}
}

// take returns the attempts that have arrived since the last call, and those whose callers have given up since then.
func (w *wire) take() (arrived, givenUp []*attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	arrived, givenUp, w.arrivals, w.givenUp = w.arrivals, w.givenUp, nil, nil
	select {
	case <-w.moved:
	default:
	}
	return arrived, givenUp
}

// close makes every later attempt fail at once.
func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
}
