package capacity

import (
	"math/rand/v2"
	"time"
)

// megabyte is the size of the largest page of a Query or Scan, in bytes.
const megabyte = 1 << 20

// latencies are the least times of responses, including the engine's time. Each response draws a time from its span.
type latencies struct {
	read        span // a very small read
	page        span // a read of 1 MB; the time of a smaller read is linear in its size
	write       span // a plain write, and the refusal of any write
	transaction span // an admitted transaction, also one that only reads
}

// span is a range of times.
type span struct{ from, to time.Duration }

// cloud has the latencies of a real table for a client in its region.
var cloud = latencies{
	read:        span{3 * time.Millisecond, 5 * time.Millisecond},
	page:        span{60 * time.Millisecond, 100 * time.Millisecond},
	write:       span{4 * time.Millisecond, 6 * time.Millisecond},
	transaction: span{10 * time.Millisecond, 15 * time.Millisecond},
}

// draw returns a random time from the span.
func (s span) draw() time.Duration { return s.at(rand.Float64()) }

func (s span) at(share float64) time.Duration {
	return s.from + time.Duration(share*float64(s.to-s.from))
}

// ofRead returns the latency of a read whose response has the given size in bytes.
func (l latencies) ofRead(bytes int) time.Duration {
	luck, share := rand.Float64(), min(1, float64(bytes)/megabyte)
	small, page := l.read.at(luck), l.page.at(luck)
	return small + time.Duration(share*float64(page-small))
}
