package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/conformance/faultyproxy"
	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

// scenario is a test that every client must pass.
type scenario struct {
	id  string // the name of the test, which docs/scenarios.md describes; it must not change
	run func(s *play)
}

// play is a running scenario, which fails as a test does.
type play struct {
	testing.TB
	ctx     context.Context
	stage   *stage
	drivers *drivers
	proxy   *faultyproxy.Proxy // of this play alone
}

const (
	// patience is the time limit of a scenario.
	patience = 2 * time.Minute
	// amply is the time limit of an attempt in scenarios that are not about time limits. No busy machine exceeds it.
	amply = time.Minute
)

// perform plays a scenario, and checks that requests have met all planned faults.
func (scenario scenario) perform(t testing.TB, w *stage, d *drivers) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	s := &play{TB: t, ctx: ctx, stage: w, drivers: d}
	s.proxy = s.newProxy()
	scenario.run(s)
	for _, route := range s.proxy.Unmet() {
		s.Errorf("no request of %s came to meet its fault", route)
	}
}

// Errorf reports a failure with the lines of the scenario and its helpers that led to it.
func (s *play) Errorf(format string, args ...any) {
	s.TB.Errorf("%s\n%s", way(), fmt.Sprintf(format, args...))
}

// Fatalf reports a failure as Errorf does, and ends the scenario.
func (s *play) Fatalf(format string, args ...any) {
	s.TB.Fatalf("%s\n%s", way(), fmt.Sprintf(format, args...))
}

// way returns the lines of this package from perform to the caller of Errorf or Fatalf.
func way() (lines string) {
	callers := make([]uintptr, 30)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]) // without way itself and its caller
	for frame, more := frames.Next(); more && !strings.HasSuffix(frame.Function, ".perform"); frame, more = frames.Next() {
		lines = fmt.Sprintf(" %s:%d", filepath.Base(frame.File), frame.Line) + lines
	}
	return lines
}

// newProxy returns another proxy of the real service.
func (s *play) newProxy() *faultyproxy.Proxy {
	proxy, err := faultyproxy.Start(s.stage.API)
	s.must(err)
	s.Cleanup(proxy.Close)
	return proxy
}

func (s *play) must(err error) { require.NoError(s, err, "%v", err) }

// ok checks that a call has succeeded. It decodes the call's result into v, unless v is nil.
func (s *play) ok(r result, v any) {
	require.True(s, r.failure == nil, "%s", r)
	if v != nil {
		err := json.Unmarshal(r.ok, v)
		require.NoError(s, err, "%s", r)
	}
}

// fails checks that a call has failed with an error of the given kind, and returns the error.
func (s *play) fails(r result, kind string) protocol.Failure {
	require.True(s, r.failure != nil && r.failure.Kind == kind, "got %s; want an error of the kind %s", r, kind)
	return *r.failure
}

// unexpected is the clients' code for a response that is not in the contract. Their messages for it differ.
const unexpected = "UNEXPECTED"

// refused checks that a call has failed with this error of the API. If the code is unexpected, the message may be any.
func (s *play) refused(r result, status int, code, message string) {
	f := s.fails(r, protocol.API)
	assert.True(s, f.Status == status && f.Code == code && (f.Message == message || code == unexpected),
		"got %s; want %d, %s, %q", r, status, code, message)
}

// endedBy checks that a call has failed because the session has ended for the given reason.
func (s *play) endedBy(r result, reason string) {
	assert.Equal(s, reason, s.fails(r, protocol.Ended).Reason, "got %s; want the reason %q", r, reason)
}

// unknown checks that a call has failed with an unknown outcome, with advice and an error of the kind cause.
func (s *play) unknown(r result, operation, cause string) {
	f := s.fails(r, protocol.Unknown)
	assert.True(s, f.Operation == operation && f.Advice != "" && f.Cause != nil && f.Cause.Kind == cause,
		"got %s; want an unknown %s, with advice, for an error of the kind %s", r, operation, cause)
}

func (s *play) equal(what string, got, want any) {
	assert.True(s, reflect.DeepEqual(got, want), "%s: got %v, want %v", what, got, want)
}

// came checks that the proxy has received n requests of a route (see Proxy.Requests).
func (s *play) came(n int, method, path string) {
	got := s.proxy.Came(method, path)
	assert.Equal(s, n, got, "%d requests of %s %s came, want %d", got, method, path, n)
}

// describe formats a value for messages.
func describe(v any) string { return fmt.Sprintf("%+v", v) }
