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
	"github.com/ranch-game/ranch/shared/store"
)

// wire holds the attempts of a history's calls until the scheduler releases them.
type wire struct {
	moved chan struct{} // has an element if something has happened since it was last emptied

	mu       sync.Mutex
	arrivals []*attempt // since the last take
	givenUp  []*attempt // by their callers, since then
	closed   bool
}

// attempt is one attempt of a request, held below the SDK.
type attempt struct {
	*protocol.Request
	http   *http.Request
	body   []byte
	call   int            // the call's number
	number int            // among the attempts of the call, from 0
	late   bool           // no caller waits for it any more
	rest   protocol.Batch // what its answer leaves unprocessed
	answer chan answer
}

// answer is the end of an attempt: a response, or an error without one.
type answer struct {
	reply reply
	err   error
}

// client returns the client of one call. Its attempts have no time-out: the scheduler decides how long each takes. The
// SDK repeats them after a fixed delay.
func (w *wire) client(endpoint string, call int) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: &endpoint, Credentials: running.Credentials(),
	}, store.ClientOptions, func(o *dynamodb.Options) {
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

// Do holds the attempt until it is answered, or its caller gives up.
func (s sender) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	// Code outside the bubble must not wait for objects of the bubble, such as the context.
	sent := r.Clone(context.Background())
	sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	a := &attempt{http: sent, body: body, call: s.call, answer: make(chan answer, 1)}
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

// closed is the error of attempts after the end of the history. The SDK does not try again.
type closed struct{}

func (closed) Error() string { return "the history is over" }

// CanceledError is the method by which the SDK recognises it.
func (closed) CanceledError() bool { return true }

// add returns false if the attempt gets no answer.
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

// stir tells the scheduler that something has happened.
func (w *wire) stir() {
	select {
	case w.moved <- struct{}{}:
	default:
	}
}

// take returns the arrived and the given-up attempts since the last time.
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
