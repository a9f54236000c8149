package gateway

import (
	"fmt"
	"sync"
)

// Unreserved lifts a function's reserved concurrency.
const Unreserved = -1

// Reserve holds a function to so many requests at a time, as its reserved concurrency does: Lambda turns away those
// beyond, for which API Gateway answers 503. 0 is none at all, Unreserved no limit, as it is at first.
func (g *Gateway) Reserve(logicalID string, concurrency int) error {
	for _, f := range g.functions {
		if f.cfg.LogicalID == logicalID {
			f.reserved.set(concurrency)
			return nil
		}
	}
	return fmt.Errorf("there is no function %s", logicalID)
}

// reservation counts a function's requests under way. The zero value is no limit.
type reservation struct {
	mu      sync.Mutex
	limited bool
	most    int
	running int
}

func (r *reservation) set(concurrency int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limited, r.most = concurrency != Unreserved, concurrency
}

// enter reports whether one more may run; each that may must leave.
func (r *reservation) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limited && r.running >= r.most {
		return false
	}
	r.running++
	return true
}

func (r *reservation) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
}
