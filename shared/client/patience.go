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
	// longestAsked is the longest wait for a Retry-After, because a person waits for the answer.
	longestAsked = 30 * time.Second
)

// delay returns the time to wait after the n-th attempt, counted from 1. The time is random, below a bound that doubles
// from 200 ms to 5 s (full jitter), and not shorter than the answer's Retry-After.
func (c *Client) delay(n int, a Answer) time.Duration {
	bound := longestDelay
	if n < 6 { // from the sixth attempt on, the doubled delay exceeds the longest
		bound = min(bound, firstDelay<<(n-1))
	}
	return max(time.Duration(c.options.Random()*float64(bound)), retryAfter(a.Header))
}

// retryAfter returns the wait that an answer's Retry-After asks for, in seconds or as a date: up to 30 s, or 0 if it
// asks for none. It compares a date with the answer's Date, not with this machine's clock.
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
