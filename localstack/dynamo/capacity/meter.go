package capacity

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Counts are the counts of requests.
type Counts struct {
	Requests    int
	Throttled   int     // requests refused for capacity, including cancelled transactions
	TooLarge    int     // requests or parts of a batch that need more units than a partition can ever serve
	Conflicts   int     // requests refused because a transaction holds one of their items
	InProgress  int     // transactions refused because their token is under way
	Unprocessed int     // unprocessed items of batches
	Read        float64 // read units consumed
	Written     float64 // write units consumed
	Largest     float64 // the most write units that one request, or one item of a batch, consumed from one partition
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

// Partition has the counts of one value of a table's partition key. Several values can share one partition of the
// table.
type Partition struct {
	Table, Key    string
	Read, Written float64 // units consumed
	Throttled     int     // items refused for capacity
}

// Snapshot is everything since the meter began or was reset.
type Snapshot struct {
	Rows    []Row       // by client and operation, in this order
	Hottest []Partition // the busiest, at most ten, by read and write units; a write unit counts as three reads
}

// Total adds up all rows.
func (s Snapshot) Total() Counts { return s.Where(func(Row) bool { return true }) }

// Where adds up the accepted rows.
func (s Snapshot) Where(accept func(Row) bool) (sum Counts) {
	for _, row := range s.Rows {
		if accept(row) {
			sum.add(row.Counts)
		}
	}
	return sum
}

// Of adds up the rows of an operation.
func (s Snapshot) Of(operation string) Counts {
	return s.Where(func(r Row) bool { return r.Operation == operation })
}

// hottest is the number of partitions in a Snapshot.
const hottest = 10

// meter counts requests and units. It has a row for each client and operation, and counts for each value of a partition
// key in a request.
type meter struct {
	mu         sync.Mutex
	rows       map[asker]*Counts
	partitions map[partition]*Partition
}

type asker struct{ who, operation string }

func newMeter() *meter {
	m := &meter{}
	m.reset()
	return m
}

func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rows, m.partitions = map[asker]*Counts{}, map[partition]*Partition{}
}

func (m *meter) count(a asker, c Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.row(a).add(c)
}

// consumed counts the units of a request's items.
func (m *meter) consumed(a asker, d direction, demands []demand) {
	m.mu.Lock()
	defer m.mu.Unlock()
	row := m.row(a)
	for _, one := range demands {
		var none Partition
		p := &none
		if one.value != "" && one.units > 0 {
			p = m.partition(one.partition)
		}
		if d == read {
			row.Read += one.units
			p.Read += one.units
		} else {
			row.Written += one.units
			p.Written += one.units
		}
	}
}

// refused counts the items that their partitions refused.
func (m *meter) refused(a asker, demands []demand, limits []limit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Contains(limits, tooLarge) {
		m.row(a).TooLarge++
	}
	for i, one := range demands {
		if limits[i] >= partitionLimit {
			m.partition(one.partition).Throttled++
		}
	}
}

func (m *meter) row(a asker) *Counts {
	if m.rows[a] == nil {
		m.rows[a] = &Counts{}
	}
	return m.rows[a]
}

func (m *meter) partition(p partition) *Partition {
	if m.partitions[p] == nil {
		m.partitions[p] = &Partition{Table: p.table, Key: p.value}
	}
	return m.partitions[p]
}

func (p Partition) heat() float64 { return p.Read + p.Written*(partitionRead/partitionWrite) }

func (m *meter) snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	var s Snapshot
	for _, a := range slices.SortedFunc(maps.Keys(m.rows), func(a, b asker) int {
		return cmp.Or(strings.Compare(a.who, b.who), strings.Compare(a.operation, b.operation))
	}) {
		s.Rows = append(s.Rows, Row{a.who, a.operation, *m.rows[a]})
	}
	for _, p := range m.partitions {
		s.Hottest = append(s.Hottest, *p)
	}
	slices.SortFunc(s.Hottest, func(a, b Partition) int {
		return cmp.Or(cmp.Compare(b.heat(), a.heat()), strings.Compare(a.Table, b.Table), strings.Compare(a.Key, b.Key))
	})
	s.Hottest = s.Hottest[:min(hottest, len(s.Hottest))]
	return s
}
