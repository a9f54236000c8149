package capacity

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Counts has numbers of requests, refusals and capacity units.
type Counts struct {
	Requests    int
	Throttled   int     // requests refused for capacity, including cancelled transactions and TooLarge
	TooLarge    int     // requests for more units than a partition can ever serve at once
	Conflicts   int     // requests refused only because a transaction holds one of their items
	InProgress  int     // transactions refused because a transaction with the same token is running
	Unprocessed int     // unprocessed keys of batches
	Read        float64 // read units consumed
	Written     float64 // write units consumed
	Largest     float64 // the most write units that one request consumed from one partition
}

func (c *Counts) add(more Counts) {
	c.Requests += more.Requests
	c.Throttled += more.Throttled
	c.TooLarge += more.TooLarge
	c.Conflicts += more.Conflicts
	c.InProgress += more.InProgress
	c.Unprocessed += more.Unprocessed
	c.Read += more.Read
	c.Written += more.Written
	c.Largest = max(c.Largest, more.Largest)
}

// Row has the counts of one client's requests of one operation.
type Row struct {
	Who, Operation string
	Counts
}

// Snapshot has all counts since New or the last Reset. Its rows are sorted by client, then by operation.
type Snapshot struct{ Rows []Row }

// Total returns the sum of all rows.
func (s Snapshot) Total() Counts { return s.Where(func(Row) bool { return true }) }

// Where returns the sum of the rows for which accept returns true.
func (s Snapshot) Where(accept func(Row) bool) (sum Counts) {
	for _, row := range s.Rows {
		if accept(row) {
			sum.add(row.Counts)
		}
	}
	return sum
}

// Of returns the sum of the rows of an operation, such as "GetItem".
func (s Snapshot) Of(operation string) Counts {
	return s.Where(func(r Row) bool { return r.Operation == operation })
}

// meter counts requests and units, in a row for each client and operation.
type meter struct {
	mu   sync.Mutex
	rows map[asker]*Counts
}

type asker struct{ who, operation string }

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.rows)
}

func (m *meter) count(a asker, c Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows[a] == nil {
		m.rows[a] = &Counts{}
	}
	m.rows[a].add(c)
}

// consumed adds the units that a request's items have consumed.
func (m *meter) consumed(a asker, d direction, demands []demand) {
	var units float64
	for _, one := range demands {
		units += one.units
	}
	if d == read {
		m.count(a, Counts{Read: units})
	} else {
		m.count(a, Counts{Written: units})
	}
}

func (m *meter) snapshot() (s Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range slices.SortedFunc(maps.Keys(m.rows), func(a, b asker) int {
		return cmp.Or(strings.Compare(a.who, b.who), strings.Compare(a.operation, b.operation))
	}) {
		s.Rows = append(s.Rows, Row{a.who, a.operation, *m.rows[a]})
	}
	return s
}
