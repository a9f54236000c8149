package explore

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	dynamotable "github.com/ranch-game/ranch/shared/table"
)

// wire holds all attempts of a history's calls until the scheduler releases them.
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
	http   *http.Request
	call   int            // the call's number
	number int            // among the attempts of the call, from 0
	late   bool           // its caller does not wait for it any more
	rest   protocol.Batch // the keys that its answer lists as unprocessed
	answer chan answer
}

// answer is the result of an attempt: a response, or an error if there is none.
type answer struct {
	reply reply
	err   error
}

// client returns the SDK's client for one call. An attempt has no time-out, since the scheduler decides how long it
// takes. The SDK repeats attempts after a nanosecond.
func (w *wire) client(endpoint string, call int) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: &endpoint, Credentials: running.Credentials(),
	}, dynamotable.ClientOptions, func(o *dynamodb.Options) {
		o.Retryer = steady{o.Retryer}
		o.HTTPClient = sender{w, call}
	})
}

type steady struct{ aws.Retryer }

func (s steady) RetryDelay(int, error) (time.Duration, error) { return shortest, nil }

func (s steady) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	return s.Retryer.(aws.RetryerV2).GetAttemptToken(ctx)
}

// sender is the HTTP client of a call.
type sender struct {
	wire *wire
	call int
}

// Do holds an attempt until the scheduler answers it, or the caller's context ends.
func (s sender) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	// Code outside the bubble must not wait for objects of the bubble, such as the context.
	sent := r.Clone(context.Background())
	sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	a := &attempt{http: sent, call: s.call, answer: make(chan answer, 1)}
	if !s.wire.add(a) {
		return nil, closed{}
	}
	select {
	case <-r.Context().Done():
		s.wire.giveUp(a)
		return nil, r.Context().Err()
	case answer := <-a.answer:
		if answer.err != nil {
			return nil, answer.err
		}
		return answer.reply.response(r), nil
	}
}

// closed is the error of an attempt after the end of the history. The SDK does not repeat such an attempt.
type closed struct{}

func (closed) Error() string { return "the history is over" }

// CanceledError makes the SDK not repeat the attempt.
func (closed) CanceledError() bool { return true }

// add passes an attempt to the scheduler, and returns false if the history is over.
func (w *wire) add(a *attempt) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.arrivals = append(w.arrivals, a)
		w.stir()
	}
	return !w.closed
}

// giveUp records that the caller no longer waits for an attempt.
func (w *wire) giveUp(a *attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.givenUp = append(w.givenUp, a)
	w.stir()
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
