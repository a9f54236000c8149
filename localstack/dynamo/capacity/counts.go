package capacity

// Counts has numbers of requests, refusals and capacity units.
type Counts struct {
	Requests  int
	Throttled int     // requests refused for capacity, including cancelled transactions
	Conflicts int     // requests refused because a transaction holds one of their items
	Read      float64 // read units consumed
	Written   float64 // write units consumed
	Largest   float64 // the most write units that one request consumed from one partition
}

func (c *Counts) add(more Counts) {
	c.Requests += more.Requests
	c.Throttled += more.Throttled
	c.Conflicts += more.Conflicts
	c.Read += more.Read
	c.Written += more.Written
	c.Largest = max(c.Largest, more.Largest)
}

// source has the requests of one client for one operation.
type source struct{ who, operation string }

func (c *call) count(more Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts[c.from] == nil {
		c.counts[c.from] = &Counts{}
	}
	c.counts[c.from].add(more)
}

// Counts returns the counts since New or the last Reset: of one client's requests for one operation, such as "GetItem".
// If who or operation is "", it returns those of all clients or operations.
func (l *Limits) Counts(who, operation string) (sum Counts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for from, counts := range l.counts {
		if (who == "" || who == from.who) && (operation == "" || operation == from.operation) {
			sum.add(*counts)
		}
	}
	return sum
}

// Reset sets the counts to zero. It does not change buckets and holds.
func (l *Limits) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.counts)
}
