package conformance

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestBadClients plays all scenarios with clients that make mistakes, in two ways: each scenario says of one of them at
// least what is wrong. That a client never does what a scenario waits for says nothing, and does not count: the play
// with that client ends when the other one is caught.
func TestBadClients(t *testing.T) {
	t.Parallel()
	w, err := theStage()
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, "./badclient")
	ways := []*drivers{startDrivers(t, program, "lazy"), startDrivers(t, program, "rash")}
	var group errgroup.Group
	group.SetLimit(12)
	for _, scenario := range scenarios() {
		group.Go(func() error {
			if !caught(t, w, ways, scenario) {
				t.Errorf("%s: bad clients pass it", scenario.id)
			}
			return nil
		})
	}
	_ = group.Wait() // there are no errors
}

// caught plays a scenario with the clients of all drivers at once, and reports whether it says of one what is wrong.
func caught(t *testing.T, w *stage, ways []*drivers, scenario scenario) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	plays := make(chan bool)
	for _, d := range ways {
		go func() {
			n := &noted{TB: t, ctx: ctx}
			defer func() {
				n.end()
				plays <- n.note != ""
			}()
			s := begin(n, w, d)
			n.ctx = s.ctx
			scenario.run(s)
		}()
	}
	is := false
	for range ways {
		if <-plays {
			is = true
			cancel()
		}
	}
	return is
}

// noted is the judge of one play. It keeps the first failure to itself, and ends the play with it.
type noted struct {
	testing.TB
	ctx  context.Context // what fails after its end says nothing
	note string
	ends []func()
}

func (n *noted) Context() context.Context { return n.ctx }

func (n *noted) Errorf(format string, args ...any) {
	if n.ctx.Err() == nil {
		n.note = fmt.Sprintf(format, args...)
	}
	runtime.Goexit()
}

func (n *noted) Fatalf(format string, args ...any) { n.Errorf(format, args...) }

func (n *noted) Cleanup(f func()) { n.ends = append(n.ends, f) }

func (n *noted) end() {
	for _, f := range slices.Backward(n.ends) {
		f()
	}
}
