package capacity

import (
	"math/rand/v2"
	"time"
)

// megabyte is the size of the largest page of a Query or Scan, in bytes.
const megabyte = 1 << 20

// draw returns a random time from the range.
func (r Range) draw() time.Duration { return r.at(rand.Float64()) }

func (r Range) at(share float64) time.Duration {
	return r.Min + time.Duration(share*float64(r.Max-r.Min))
}

// read returns the latency of a read that fills the given share (from 0 to 1) of a page of 1 MB.
func (l Latencies) read(share float64) time.Duration {
	luck := rand.Float64()
	small, page := l.Read.at(luck), l.Page.at(luck)
	return small + time.Duration(min(1, share)*float64(max(0, page-small)))
}

// shareOfAPage converts the cost of a read to its share of a page of 1 MB. units counts multiples of the cost of the
// smallest read: 1 gives 0, and 256 give 1.
func shareOfAPage(units float64) float64 { return (units - 1) / (megabyte/readUnit - 1) }
