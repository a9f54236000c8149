package tally

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTally(t *testing.T) {
	ctx, tally := New(t.Context())
	below, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { Add(below, Retries, 1) })
	}
	group.Wait()
	Add(ctx, Attempts, 3)
	Add(ctx, Gate, 7)
	var lines []string
	tally.Each(func(f Figure, n int64) { lines = append(lines, fmt.Sprint(f, " ", n)) }, Attempts, Faults)
	assert.Equal(t, []string{"Faults 0", "Attempts 3", "Retries 50", "gate 7"}, lines)
}

// A tally that is made in the context of another tally counts alone.
func TestTalliesAreApart(t *testing.T) {
	outer, first := New(t.Context())
	inner, second := New(outer)
	Add(inner, Leases, 1)
	Add(t.Context(), Leases, 1) // this context has no tally
	if first.Get(Leases) != 0 || second.Get(Leases) != 1 {
		t.Errorf("got %d and %d", first.Get(Leases), second.Get(Leases))
	}
}

func TestBegunMillisecondsCountInFull(t *testing.T) {
	for took, want := range map[time.Duration]int64{
		0: 0, time.Nanosecond: 1, time.Millisecond: 1, time.Millisecond + time.Nanosecond: 2, 3 * time.Second: 3000,
	} {
		assert.Equal(t, want, Milliseconds(took), "%v", took)
	}
}
