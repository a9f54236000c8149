// Package faults defines the faults of requests to DynamoDB, such as a lost answer. A Random plays them at random, and
// tests play them with a Script. README.md of the folder above explains each fault and its sources.
package faults

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing/iotest"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// Fault handles one attempt of a request: it returns the response or the error that the sender gets. The Fault can use
// pass to send the request to the engine.
type Fault func(r *http.Request, pass http.RoundTripper) (*http.Response, error)

// On returns a RoundTripper that plays the fault f on every attempt. The fault uses next to reach the engine.
func (f Fault) On(next http.RoundTripper) http.RoundTripper {
	return befallen{protocol.Engine{Next: next}, f}
}

type befallen struct {
	protocol.Engine
	fault Fault
}

func (b befallen) RoundTrip(r *http.Request) (*http.Response, error) { return b.fault(r, b.Next) }

// ErrCut is the error of a request whose connection is cut before the end of the response.
var ErrCut = fmt.Errorf("faults: the connection is cut: %w", io.ErrUnexpectedEOF)

// rewritten returns a Fault that reads the request's body and calls fault with it.
func rewritten(fault func(r *http.Request, body []byte, pass http.RoundTripper) (*http.Response, error)) Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		body, err := protocol.ReadAll(r.Body, r.ContentLength)
		if err != nil {
			return nil, err
		}
		return fault(r, body, pass)
	}
}

// Pass sends an attempt to the engine without a fault.
func Pass(r *http.Request, pass http.RoundTripper) (*http.Response, error) { return pass.RoundTrip(r) }

// Before returns a Fault that calls do just before it sends an attempt to the engine. In do, tests play the other call
// of a race.
func Before(do func()) Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		do()
		return pass.RoundTrip(r)
	}
}

// Slow returns a Fault that delivers the response after a delay, or when the request's context ends.
func Slow(delay time.Duration) Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		response, err := pass.RoundTrip(r)
		select {
		case <-time.After(delay):
		case <-r.Context().Done():
		}
		return response, err
	}
}

// Lost fails as if the attempt never reached the engine. Nothing is applied.
func Lost(*http.Request, http.RoundTripper) (*http.Response, error) { return nil, ErrCut }

// Refuse fails as if the machine of the engine were off: the connection is refused, and nothing is applied.
func Refuse(*http.Request, http.RoundTripper) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// Hang never answers. The attempt ends when its sender gives up.
func Hang(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Late returns a Fault that delays an attempt. It plays the fault told, such as Lost or Overloaded, on the sender at
// once. The attempt reaches the engine only when the caller, after that, calls arrive.
func Late(told Fault) (late Fault, arrive func()) {
	var resume func()
	late = rewritten(func(r *http.Request, body []byte, pass http.RoundTripper) (*http.Response, error) {
		request := protocol.WithBody(r.Clone(context.WithoutCancel(r.Context())), body)
		resume = func() {
			if response, err := pass.RoundTrip(request); err == nil {
				response.Body.Close()
			}
		}
		return told(r, pass)
	})
	return late, func() { resume() }
}

// applied returns a Fault that lets the engine apply an attempt, and delivers what told makes of its response.
func applied(told func(r *http.Request, a *protocol.Answer) (*http.Response, error)) Fault {
	return rewritten(func(r *http.Request, body []byte, pass http.RoundTripper) (*http.Response, error) {
		a, err := protocol.Engine{Next: pass}.Send(r, body)
		if err != nil {
			return nil, err
		}
		return told(r, a)
	})
}

// The engine applies an attempt with these faults.
var (
	// LoseAnswer loses the response.
	LoseAnswer = applied(func(*http.Request, *protocol.Answer) (*http.Response, error) { return nil, ErrCut })
	// FailAfter returns status 500. If the engine refuses the attempt, its response is returned.
	FailAfter = applied(func(r *http.Request, a *protocol.Answer) (*http.Response, error) {
		if !a.OK() {
			return a.Deliver(), nil
		}
		return protocol.InternalError.Respond(r), nil
	})
	// CutAnswer cuts the connection in the middle of the response.
	CutAnswer = halfAnswer(ErrCut)
	// StallAnswer stops the response in the middle, with the error os.ErrDeadlineExceeded, as at a time limit of the
	// client.
	StallAnswer = halfAnswer(os.ErrDeadlineExceeded)
)

func halfAnswer(end error) Fault {
	return applied(func(_ *http.Request, a *protocol.Answer) (*http.Response, error) {
		a.Response.Body = io.NopCloser(io.MultiReader(bytes.NewReader(a.Body[:len(a.Body)/2]), iotest.ErrReader(end)))
		return a.Response, nil
	})
}

// Proxied returns a Fault that lets the engine apply an attempt, but answers as a proxy does: with a status, a body and
// its Content-Type.
func Proxied(status int, contentType, body string) Fault {
	return applied(func(r *http.Request, _ *protocol.Answer) (*http.Response, error) {
		response := protocol.Respond(r, status, []byte(body))
		response.Header.Set("Content-Type", contentType)
		return response, nil
	})
}

// Answer returns a Fault that answers with a refusal. Nothing is applied.
func Answer(refused protocol.Refusal) Fault {
	return func(r *http.Request, _ http.RoundTripper) (*http.Response, error) { return refused.Respond(r), nil }
}

// These faults answer with a refusal. Nothing is applied.
var (
	Conflict           = Cancelled("TransactionConflict") // another transaction holds the first item
	ConflictPlainWrite = Answer(protocol.Conflict)        // a transaction holds the item
	InProgress         = Answer(protocol.InProgress)      // a transaction with the same token is running
	Throttle           = Answer(protocol.PartitionThrottled)
	Unavailable        = Answer(protocol.InternalError) // 500
	Overloaded         = Answer(protocol.Unavailable)   // 503 with a code that the SDK has no type for
	Denied             = Answer(protocol.Denied)
	Unsigned           = Answer(protocol.Unsigned) // the signature does not fit the request
	Skewed             = Answer(protocol.Skewed)   // the signature is of another time
)

// Cancelled returns a Fault that cancels a transaction as DynamoDB does. codes has the reason for each item, in order.
func Cancelled(codes ...string) Fault { return Answer(protocol.Cancelled(codes...)) }

// Unprocessed reads the first half of a batch and returns the other keys as unprocessed. DynamoDB does this if a response
// gets too large, or if the table is too busy.
var Unprocessed = half(false)

// UnprocessedFirst reads the second half of a batch, reversed, and returns the rest: DynamoDB promises no order.
var UnprocessedFirst = half(true)

func half(reversed bool) Fault {
	return rewritten(func(r *http.Request, body []byte, pass http.RoundTripper) (*http.Response, error) {
		all := protocol.ParseBatch(gjson.GetBytes(body, "RequestItems"))
		if reversed {
			slices.Reverse(all.Elements)
		}
		answer, now := []byte(`{"Responses":{}}`), func(i int) bool { return i < all.Len()/2 }
		if all.Len() > 1 {
			a, err := protocol.Engine{Next: pass}.Send(r, all.Where(now).In(body, "RequestItems"))
			if err != nil {
				return nil, err
			}
			if !a.OK() {
				return a.Deliver(), nil
			}
			answer = a.Body
		}
		later := all.Where(func(i int) bool { return !now(i) })
		return protocol.Respond(r, http.StatusOK, protocol.LeaveOut(answer, later)), nil
	})
}

// Page returns a Fault that ends a Query without a limit after n items, as DynamoDB ends a page after 1 MB.
func Page(n int) Fault {
	return rewritten(func(r *http.Request, body []byte, pass http.RoundTripper) (*http.Response, error) {
		if !gjson.GetBytes(body, "Limit").Exists() {
			body = protocol.With(body, protocol.Member{Name: "Limit", Value: strconv.Itoa(n)})
		}
		return pass.RoundTrip(protocol.WithBody(r, body))
	})
}

// Behind makes an eventually consistent BatchGetItem find nothing, like a replica that lacks the last writes. A
// strongly consistent one reaches the engine.
var Behind = rewritten(func(r *http.Request, body []byte, pass http.RoundTripper) (*http.Response, error) {
	if !bytes.Contains(body, []byte(`"ConsistentRead":true`)) {
		return protocol.Respond(r, http.StatusOK, []byte(`{"Responses":{}}`)), nil
	}
	return pass.RoundTrip(protocol.WithBody(r, body))
})

// Script plans the faults of the next attempts of each operation. The zero value plans none. It is safe for concurrent
// use.
type Script struct {
	mu     sync.Mutex
	queues map[string][]Fault
	cut    atomic.Bool
}

// Next plans faults for the next attempts of an operation, such as "TransactWriteItems": one for each attempt, in
// order, after the faults that are already planned.
func (s *Script) Next(operation string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queues == nil {
		s.queues = map[string][]Fault{}
	}
	s.queues[operation] = append(s.queues[operation], faults...)
}

// Played reports whether all planned faults were played or forgotten.
func (s *Script) Played() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, left := range s.queues {
		if len(left) > 0 {
			return false
		}
	}
	return true
}

// Forget removes the planned faults that were not played.
func (s *Script) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queues = nil
}

// Cut disconnects the engine until Reconnect is called. Meanwhile connections are refused, and planned faults wait.
func (s *Script) Cut() { s.cut.Store(true) }

// Reconnect ends Cut.
func (s *Script) Reconnect() { s.cut.Store(false) }

// Take removes and returns the next planned fault of an operation. If none is planned, Take returns Pass. During a Cut,
// it returns Refuse and removes nothing.
func (s *Script) Take(operation string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	queue := s.queues[operation]
	switch {
	case s.cut.Load():
		return Refuse
	case len(queue) == 0:
		return Pass
	}
	s.queues[operation] = queue[1:]
	return queue[0]
}
