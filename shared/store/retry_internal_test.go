package store

import (
	"testing"
	"time"
)

// Those who met in a conflict must not meet again: each waits for a time of its own, below a bound that doubles from 10
// to 640 ms.
func TestDelaysAreJittered(t *testing.T) {
	t.Parallel()
	for attempt, bound := range map[int]time.Duration{
		0: 10 * time.Millisecond, 1: 10 * time.Millisecond, 2: 20 * time.Millisecond, 3: 40 * time.Millisecond, 4: 80 * time.Millisecond,
		5: 160 * time.Millisecond, 7: 640 * time.Millisecond, 1_000_000: 640 * time.Millisecond,
	} {
		least, most := time.Hour, time.Duration(0)
		for range 1_000 {
			delay := atRandom.delay(attempt)
			least, most = min(least, delay), max(most, delay)
		}
		if least <= 0 || most > bound+time.Millisecond || least > bound/4 || most < bound*3/4 {
			t.Errorf("attempt %d: delays from %v to %v, want them all over the time up to %v", attempt, least, most, bound)
		}
	}
}
