package conformance

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// TestBadClients plays all scenarios with clients that make mistakes (driver/bad.go). Each scenario must fail with the
// client "wrong" and, unless doneWell lists it, with "rash" or "forgetful". Running out of time does not count.
func TestBadClients(t *testing.T) {
	t.Parallel()
	w, err := theStage()
	require.NoError(t, err)
	program := compile(t, "./driver")
	wrong, others := startDrivers(t, program, "wrong"), []*drivers{startDrivers(t, program, "rash"), startDrivers(t, program, "forgetful")}
	var group errgroup.Group
	group.SetLimit(12)
	for _, scenario := range scenarios() {
		group.Go(func() error {
			assert.True(t, caught(t, w, []*drivers{wrong}, scenario), "%s: a wrong client passes it", scenario.id)
			assert.True(t, slices.Contains(doneWell, scenario.id) || caught(t, w, others, scenario),
				"%s: a rash and a forgetful client pass it", scenario.id)
			return nil
		})
	}
	_ = group.Wait() // no function of the group returns an error
}

// doneWell lists the scenarios that a client may pass although it repeats requests, or forgets sessions and events.
var doneWell = strings.Fields(`
	no-session logout-without-a-session clock-of-the-service lists-by-tier-and-status waits-differ events-not-of-a-hiccup redirected-secrets
	enter-lost-and-dark enter-lost-then-cancelled claim-request-lost claim-lost-with-nothing-to-claim claim-lost-and-dark
	register-lost-and-dark register-lost-then-taken cancel-a-read cancel-a-wait cancel-before-sending cancel-a-sent-change
	cancel-a-change-in-doubt cancel-a-change-turned-away time-out-of-a-read time-out-of-a-refresh time-out-of-an-entry
`)

// caught plays a scenario with the bad clients of all drivers concurrently, and reports whether one of them fails.
func caught(t *testing.T, w *stage, ways []*drivers, scenario scenario) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	failed := make(chan bool)
	for _, d := range ways {
		go func() {
			n := &noted{TB: t, ctx: ctx}
			defer func() {
				for _, end := range slices.Backward(n.ends) {
					end()
				}
				failed <- n.failed
			}()
			scenario.perform(n, w, d)
		}()
	}
	is := false
	for range ways {
		if <-failed {
			is = true
			cancel()
		}
	}
	return is
}

// noted is the testing.TB of a scenario that should fail. The first failure ends it, and counts while ctx lasts.
type noted struct {
	testing.TB
	ctx    context.Context
	failed bool
	ends   []func()
}

func (n *noted) Context() context.Context { return n.ctx }

func (n *noted) Errorf(string, ...any) {
	n.failed = n.ctx.Err() == nil
	runtime.Goexit()
}

func (n *noted) Fatalf(format string, args ...any) { n.Errorf(format, args...) }

func (n *noted) Cleanup(f func()) { n.ends = append(n.ends, f) }
