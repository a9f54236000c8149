package capacity

import (
	"math/rand/v2"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// span is a range of times in milliseconds.
type span struct{ from, to float64 }

// These are the least times of responses of a real table for a client in its region, including the engine's time.
var (
	readTime        = span{3, 5}    // of a very small read
	pageTime        = span{60, 100} // of a read of 1 MB; the time of a smaller read is linear in its size
	writeTime       = span{4, 6}    // of a plain write, and of the refusal of any write
	transactionTime = span{10, 15}  // of an admitted transaction, also one that only reads
)

func (s span) at(share float64) time.Duration {
	return time.Duration((s.from + share*(s.to-s.from)) * float64(time.Millisecond))
}

// latency returns the shortest time that the response to the request may take. A nil answer is a refusal's.
func (c *call) latency(a *protocol.Answer) time.Duration {
	luck, megabytes := rand.Float64(), 0.0
	switch {
	case !c.slow:
		return 0
	case a != nil && c.transaction():
		return transactionTime.at(luck)
	case c.Changes():
		return writeTime.at(luck)
	case a != nil:
		megabytes = min(1, float64(len(a.Body))/(1<<20))
	}
	small, page := readTime.at(luck), pageTime.at(luck)
	return small + time.Duration(megabytes*float64(page-small))
}
