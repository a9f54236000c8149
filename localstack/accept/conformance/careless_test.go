package conformance

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// TestCareless plays all scenarios with clients that make mistakes, in two ways: each scenario says of one of them at
// least what is wrong. That a client never does what a scenario waits for says nothing, and does not count.
func TestCareless(t *testing.T) {
	t.Parallel()
	w, err := theWorld()
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, "./careless")
	var mu sync.Mutex
	caught := map[string]bool{}
	ways := []string{"lazy", "rash"}
	var group errgroup.Group
	group.SetLimit(48) // most of them wait for what such a client never does
	for _, way := range ways {
		d := startDrivers(t, program, way)
		for _, scenario := range scenarios() {
			group.Go(func() error {
				if len(wrongWith(t, w, d, scenario)) > 0 {
					mu.Lock()
					defer mu.Unlock()
					caught[scenario.id] = true
				}
				return nil
			})
		}
	}
	_ = group.Wait() // there are no errors
	for _, scenario := range scenarios() {
		if !caught[scenario.id] {
			t.Errorf("%s: careless clients pass it", scenario.id)
		}
	}
}

// carelessPatience is less than a scenario is given otherwise: many wait to its end for what such a client never does.
const carelessPatience = 15 * time.Second

// wrongWith plays a scenario and returns what is wrong, without what was not there in time.
func wrongWith(t *testing.T, w *world, d *drivers, scenario scenario) []string {
	t.Helper()
	n := &noted{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer n.end()
		s := begin(n, w, d, carelessPatience)
		n.over = s.ctx.Done()
		scenario.run(s)
	}()
	<-done
	return n.notes
}

// noted keeps failures to itself.
type noted struct {
	testing.TB
	over  <-chan struct{} // its time
	notes []string
	ends  []func()
}

func (n *noted) Errorf(format string, args ...any) {
	select {
	case <-n.over:
	default:
		n.notes = append(n.notes, fmt.Sprintf(format, args...))
	}
}

func (n *noted) Fatalf(format string, args ...any) {
	n.Errorf(format, args...)
	runtime.Goexit()
}

func (n *noted) Cleanup(f func()) { n.ends = append(n.ends, f) }

func (n *noted) end() {
	for _, f := range slices.Backward(n.ends) {
		f()
	}
}
