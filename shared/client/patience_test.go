package client

import (
	"net/http"
	"testing"
	"time"
)

// The delay after an attempt is the bound times what chance says: anything from nothing to below the bound.
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

// Without a Random of one's own the jitter is spread over the whole bound. That none of 1,000 falls into a given tenth
// has a chance of one in 10^45.
func TestDelay_spread(t *testing.T) {
	t.Parallel()
	c := New("", Options{})
	var tenths [10]int
	for range 1_000 {
		delay := c.delay(1, Answer{})
		if delay < 0 || delay >= 200*time.Millisecond {
			t.Fatalf("got %v", delay)
		}
		tenths[delay/(20*time.Millisecond)]++
	}
	for tenth, count := range tenths {
		if count == 0 {
			t.Errorf("no delay in tenth %d: %v", tenth, tenths)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Fri, 20 Nov 2026 09:30:00 GMT"
	for asked, want := range map[string]time.Duration{
		"":                               0,
		"0":                              0,
		"3":                              3 * time.Second,
		"30":                             30 * time.Second,
		"31":                             30 * time.Second,
		"18446744073709551615":           30 * time.Second,
		"18446744073709551616":           0,
		"-3":                             0,
		"1.5":                            0,
		"soon":                           0,
		"Fri, 20 Nov 2026 09:30:04 GMT":  4 * time.Second,
		"Friday, 20-Nov-26 09:30:04 GMT": 4 * time.Second,
		"Fri, 20 Nov 2026 09:29:56 GMT":  0,
		"Sat, 20 Nov 2027 09:30:00 GMT":  30 * time.Second,
	} {
		if got := retryAfter(http.Header{"Retry-After": {asked}, "Date": {date}}); got != want {
			t.Errorf("%q: got %v, want %v", asked, got, want)
		}
	}
	if got := retryAfter(http.Header{"Retry-After": {"Fri, 20 Nov 2026 09:30:04 GMT"}}); got != 0 {
		t.Errorf("a date with none beside it: got %v", got)
	}
}
