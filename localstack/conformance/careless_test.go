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

// TestCareless plays all scenarios with clients that make mistakes, in two ways: there is none that such a client
// passes in both, so that each can fail.
func TestCareless(t *testing.T) {
	t.Parallel()
	w, err := theWorld()
	if err != nil {
		t.Fatal(err)
	}
	program := compile(t, "./careless")
	var mu sync.Mutex
	passed := map[string]int{}
	ways := []string{"lazy", "rash"}
	var group errgroup.Group
	group.SetLimit(24) // most of them wait for what such a client never does
	for _, way := range ways {
		d := startDrivers(t, program, way)
		for _, scenario := range scenarios() {
			group.Go(func() error {
				if len(wrongWith(t, w, d, scenario)) == 0 {
					mu.Lock()
					defer mu.Unlock()
					passed[scenario.id]++
				}
				return nil
			})
		}
	}
	_ = group.Wait() // there are no errors
	for id, n := range passed {
		if n == len(ways) {
			t.Errorf("%s: careless clients pass it", id)
		}
	}
}

// carelessPatience is little: what a careless client takes too long for has failed, as it is to.
const carelessPatience = 3 * time.Second

// wrongWith plays a scenario and returns what is wrong.
func wrongWith(t *testing.T, w *world, d *drivers, scenario scenario) []string {
	t.Helper()
	n := &noted{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer n.end()
		scenario.run(begin(n, w, d, carelessPatience))
	}()
	<-done
	return n.notes
}

// noted keeps failures to itself.
type noted struct {
	testing.TB
	notes []string
	ends  []func()
}

func (n *noted) Errorf(format string, args ...any) {
	n.notes = append(n.notes, fmt.Sprintf(format, args...))
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
