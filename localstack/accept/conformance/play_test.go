package conformance

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scenario is a test that every client must pass.
type scenario struct {
	id  string // the name of the test, which docs/scenarios.md describes; it must not change
	run func(s *play)
}

// play is a running scenario, which fails as a test does.
type play struct {
	testing.TB
	ctx    context.Context
	stage  *stage
	driver *driver
	proxy  *proxy // of this play alone
}

const (
	// patience is the time limit of a scenario.
	patience = 2 * time.Minute
	// amply is the time limit of an attempt in scenarios that are not about time limits. No busy machine exceeds it.
	amply = time.Minute
)

// perform plays a scenario, and checks that requests have met all planned faults.
func (scenario scenario) perform(t testing.TB, w *stage, d *driver) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	s := &play{TB: t, ctx: ctx, stage: w, driver: d}
	s.proxy = s.newProxy()
	scenario.run(s)
	for _, r := range s.proxy.rules {
		assert.True(s, r.left <= 0, "%d requests of %s did not come to meet their fault", r.left, r.route)
	}
}

func (s *play) must(err error) { require.NoError(s, err, "%v", err) }

// ok checks that a call has succeeded. It decodes the call's result into v, unless v is nil.
func (s *play) ok(r result, v any) {
	require.True(s, r.Error == nil, "%s", r)
	if v != nil {
		err := json.Unmarshal(r.OK, v)
		require.NoError(s, err, "%s", r)
	}
}

// fails checks that a call has failed with an error of the given kind, and returns the error.
func (s *play) fails(r result, kind string) failure {
	require.True(s, r.Error != nil && r.Error.Kind == kind, "got %s; want an error of the kind %s", r, kind)
	return *r.Error
}

// unexpected is the clients' code for a response that is not in the contract. Their messages for it differ.
const unexpected = "UNEXPECTED"

// refused checks that a call has failed with this error of the API. If the code is unexpected, the message may be any.
func (s *play) refused(r result, status int, code, message string) {
	f := s.fails(r, refusedByAPI)
	assert.True(s, f.Status == status && f.Code == code && (f.Message == message || code == unexpected),
		"got %s; want %d, %s, %q", r, status, code, message)
}

// endedBy checks that a call has failed because the session has ended for the given reason.
func (s *play) endedBy(r result, reason string) {
	assert.Equal(s, reason, s.fails(r, ended).Reason, "got %s; want the reason %q", r, reason)
}

// unknown checks that a call has failed with an unknown outcome, with advice and an error of the kind cause.
func (s *play) unknown(r result, operation, cause string) {
	f := s.fails(r, unknown)
	assert.True(s, f.Operation == operation && f.Advice != "" && f.Cause != nil && f.Cause.Kind == cause,
		"got %s; want an unknown %s, with advice, for an error of the kind %s", r, operation, cause)
}

func (s *play) equal(what string, got, want any) { assert.Equal(s, want, got, what) }

// came checks that the proxy has received n requests of a route.
func (s *play) came(n int, route string) { s.equal("requests of "+route, s.proxy.requests(route), n) }
