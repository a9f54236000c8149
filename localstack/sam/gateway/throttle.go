package gateway

import (
	"sync"
	"time"
)

// Throttle is how many requests a route takes of all clients together: Rate a second, and Burst at once. The zero value
// is no limit.
type Throttle struct {
	Rate  float64
	Burst int
}

// bucket lets requests through as API Gateway does: each takes a token out of a bucket that holds Burst of them and
// fills at Rate.
type bucket struct {
	Throttle

	mu     sync.Mutex
	tokens float64
	filled time.Time // as of when tokens is right
}

// newBucket returns a full bucket, nil where there is no limit.
func newBucket(t Throttle) *bucket {
	if t == (Throttle{}) {
		return nil
	}
	return &bucket{Throttle: t, tokens: float64(t.Burst)}
}

// take reports whether there was a token left at that time.
func (b *bucket) take(now time.Time) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.filled.IsZero() && now.After(b.filled) {
		b.tokens = min(b.tokens+b.Rate*now.Sub(b.filled).Seconds(), float64(b.Burst))
	}
	b.filled = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}
