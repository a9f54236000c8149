package client

import (
	"net/http"
	"testing"
	"time"
)

// The delay after an attempt is the bound times a random number from 0 to below 1.
func TestDelay(t *testing.T) {
	t.Parallel()
	for n, bound := range map[int]time.Duration{
		1: 200 * time.Millisecond, 2: 400 * time.Millisecond, 3: 800 * time.Millisecond, 4: 1600 * time.Millisecond,
		5: 3200 * time.Millisecond, 6: 5 * time.Second, 7: 5 * time.Second, 100: 5 * time.Second,
	} {
		for chance, want := range map[float64]time.Duration{0: 0, 0.25: bound / 4, 0.5: bound / 2} {
			c := New("", Options{Random: func() float64 { return chance }})
			if got := c.delay(n, Answer{}); got != want {
				t.Errorf("after %d attempts, at %v: got %v, want %v", n, chance, got, want)
			}
			if got := c.delay(n, Answer{Header: http.Header{"Retry-After": {"7"}}}); got != 7*time.Second {
				t.Errorf("after %d attempts, at %v, asked for 7 s: got %v", n, chance, got)
			}
		}
	}
	c := New("", Options{Random: func() float64 { return 0.5 }})
	if got := c.delay(6, Answer{Header: http.Header{"Retry-After": {"1"}}}); got != 2500*time.Millisecond {
		t.Errorf("asked for less than the jitter: got %v", got)
	}
}
