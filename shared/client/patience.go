package client

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

const (
	firstDelay   = 200 * time.Millisecond
	longestDelay = 5 * time.Second
	// longestAsked is what of a Retry-After is waited for: somebody is looking at a screen.
	longestAsked = 30 * time.Second
)

// delay is how long to wait after the n-th attempt, counted from 1: full jitter below a doubling bound, but as long as
// the answer asks for.
func (c *Client) delay(n int, a Answer) time.Duration {
	bound := longestDelay
	if n < 6 { // from there on the doubled delay is above the longest
		bound = min(bound, firstDelay<<(n-1))
	}
	return max(time.Duration(c.options.Random()*float64(bound)), retryAfter(a.Header))
}

// retryAfter is what an answer asks to wait, 0 where it does not: seconds, or a date, which is compared with the
// answer's own and not with this machine's clock.
func retryAfter(h http.Header) time.Duration {
	asked := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(asked, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(longestAsked/time.Second))) * time.Second
	}
	until, err := http.ParseTime(asked)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return 0
	}
	return min(max(0, until.Sub(now)), longestAsked)
}

func sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
