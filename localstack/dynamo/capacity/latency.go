package capacity

import (
	"math/rand/v2"
	"sync"
	"time"
)

// megabyte is the size of the largest page.
const megabyte = 1 << 20

// latencies draws the times of answers.
type latencies struct {
	Latencies
	mu     sync.Mutex
	random *rand.Rand
}

func newLatencies(o Options) *latencies {
	return &latencies{Latencies: o.Latencies, random: rand.New(rand.NewPCG(o.Seed, 0))}
}

func (l *latencies) draw() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.random.Float64()
}

func (r Range) at(share float64) time.Duration {
	return r.Min + time.Duration(share*float64(r.Max-r.Min))
}

// read returns the latency of a read that fills the given share (from 0 to 1) of a page of 1 MB.
func (l *latencies) read(share float64) time.Duration {
	luck := l.draw()
	small, page := l.Read.at(luck), l.Page.at(luck)
	if page < small {
		return small
	}
	return small + time.Duration(min(1, share)*float64(page-small))
}

// shareOfAPage converts units to the share of a page of 1 MB. The parameter counts the least units that a read can
// cost: 1 gives 0, and a full page gives 1.
func shareOfAPage(units float64) float64 { return (units - 1) / (megabyte/readUnit - 1) }

func (l *latencies) write() time.Duration { return l.Write.at(l.draw()) }

func (l *latencies) transaction() time.Duration { return l.Transaction.at(l.draw()) }
