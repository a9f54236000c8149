package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// scenario is something that every client passes.
type scenario struct {
	id       string // stable: names the test
	sentence string // says what holds, for the list
	run      func(s *play)
}

// judge receives a scenario's failures: a test, or another collector.
type judge interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any) // does not return
	Context() context.Context
	TempDir() string
	Cleanup(f func())
}

// play is a scenario that is played: it fails as a test does.
type play struct {
	judge
	ctx     context.Context
	stage   *stage
	drivers *drivers
	proxy   *faultyproxy.Proxy // of this play alone
}

const (
	// patience is for a whole scenario.
	patience = 2 * time.Minute
	// amply is how long an attempt may take where a scenario is not about that: a busy machine has no time-outs.
	amply = time.Minute
)

// begin prepares a play; it ends with its judge.
func begin(j judge, w *stage, d *drivers) *play {
	ctx, cancel := context.WithTimeout(j.Context(), patience)
	j.Cleanup(cancel)
	s := &play{judge: j, ctx: ctx, stage: w, drivers: d}
	s.proxy = s.newProxy()
	return s
}

// newProxy returns another proxy of the real service.
func (s *play) newProxy() *faultyproxy.Proxy {
	s.Helper()
	proxy, err := faultyproxy.Start(s.stage.API)
	s.must(err)
	s.Cleanup(proxy.Close)
	return proxy
}

func (s *play) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatalf("%v", err)
	}
}

// ok checks that a call has succeeded, and decodes what it answers; nil: it is not looked at.
func (s *play) ok(r result, v any) {
	s.Helper()
	if r.failure != nil {
		s.Fatalf("%s", r)
	}
	if v != nil {
		if err := json.Unmarshal(r.ok, v); err != nil {
			s.Fatalf("%s: %v", r, err)
		}
	}
}

// fails checks that a call has failed in a way.
func (s *play) fails(r result, kind string) protocol.Failure {
	s.Helper()
	if r.failure == nil || r.failure.Kind != kind {
		s.Fatalf("got %s; want an error of the kind %s", r, kind)
	}
	return *r.failure
}

// unexpected is the code for an answer that is none. Its words are the client's own.
const unexpected = "UNEXPECTED"

// refused checks that the answer to a call was an error of the API.
func (s *play) refused(r result, status int, code, message string) {
	s.Helper()
	f := s.fails(r, protocol.API)
	if f.Status != status || f.Code != code || f.Message != message && code != unexpected {
		s.Errorf("got %s; want %d, %s, %q", r, status, code, message)
	}
}

// endedBy checks that a call has failed for want of a session.
func (s *play) endedBy(r result, reason string) {
	s.Helper()
	if f := s.fails(r, protocol.Ended); f.Reason != reason {
		s.Errorf("got %s; want the reason %q", r, reason)
	}
}

// unknown checks that the client does not know what became of a change, and advises.
func (s *play) unknown(r result, operation, cause string) {
	s.Helper()
	f := s.fails(r, protocol.Unknown)
	if f.Operation != operation || f.Advice == "" || f.Cause == nil || f.Cause.Kind != cause {
		s.Errorf("got %s; want an unknown %s, with advice, for an error of the kind %s", r, operation, cause)
	}
}

func (s *play) equal(what string, got, want any) {
	s.Helper()
	if !reflect.DeepEqual(got, want) {
		s.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// came checks how many requests of a route the proxy has seen. Paths have * for any segment.
func (s *play) came(n int, method, path string) {
	s.Helper()
	if got := s.proxy.Came(method, path); got != n {
		s.Errorf("%d requests of %s %s came, want %d", got, method, path, n)
	}
}

// played checks that a fault was met so often: what is to be borne has happened.
func (s *play) played(r *faultyproxy.Rule, n int) {
	s.Helper()
	if got := r.Played(); got != n {
		s.Errorf("the fault was met %d times, want %d", got, n)
	}
}

// describe is for messages.
func describe(v any) string { return fmt.Sprintf("%+v", v) }
