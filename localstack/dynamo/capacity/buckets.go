package capacity

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"sync"
	"time"
)

// direction is one of the two kinds of capacity.
type direction int

const (
	read direction = iota
	write
)

// limit is the reason why a request is refused.
type limit int

const (
	unlimited limit = iota
	tableLimit
	partitionLimit
	tooLarge // for a partition, permanently
)

// partition is a value of a table's partition key, or the partition that serves it. An empty value, which DynamoDB does
// not allow as a key, stands for no particular partition: a Scan goes through all of them.
type partition struct{ table, value string }

// demand is the units that one item of a request takes of its partition and of its table.
type demand struct {
	partition
	units float64
}

// capacity has token buckets for partitions and tables, as DynamoDB (Elhemali and others, "Amazon DynamoDB", USENIX ATC
// 2022, admission control). A bucket fills with its units a second and holds those of one second. A new table has saved
// nothing, and burst capacity does not raise a partition's limit (AWS re:Post, "How does DynamoDB handle spiky
// workloads in short intervals"). A request is admitted if its buckets are above zero, and is charged its known cost.
// charge corrects that afterwards, because the size of a page is unknown before it has been read. So the level can fall
// below zero. A page of 1 MB (256 units) puts a partition into debt, and small reads wait until the debt is paid. A
// single request makes no more debt than a full bucket pays.
type capacity struct {
	partitions uint                                  // 0: one for each key
	rates      struct{ partition, table [2]float64 } // by direction; 0 is no limit
	most       [2]float64                            // the most that a request may take of a partition, by direction

	mu      sync.Mutex
	buckets map[partition]*[2]bucket // by direction; the table's bucket has no particular partition
}

type bucket struct {
	level float64
	at    time.Time // the time of the level
}

func newCapacity(o Options) *capacity {
	c, scale := &capacity{partitions: o.Partitions, buckets: map[partition]*[2]bucket{}}, cmp.Or(o.Scale, 1)
	c.rates.partition = [2]float64{read: o.PartitionRead / scale, write: o.PartitionWrite / scale}
	c.rates.table = [2]float64{read: o.TableRead / scale, write: o.TableWrite / scale}
	c.most = [2]float64{read: max(1, o.PartitionRead), write: max(1, o.PartitionWrite)}
	return c
}

// place returns the partition that serves a key. DynamoDB does not publish its hash function; this one distributes as
// evenly.
func (c *capacity) place(key partition) partition {
	if c.partitions == 0 || key.value == "" {
		return key
	}
	hash := sha256.Sum256([]byte(key.value))
	return partition{key.table, strconv.FormatUint(binary.BigEndian.Uint64(hash[:])%uint64(c.partitions), 10)}
}

// loads returns the units that each demand's request takes of the demand's partition. If together is set, the demands
// are one request, otherwise each is a request of its own.
func (c *capacity) loads(demands []demand, together bool) []float64 {
	all, sums := make([]float64, len(demands)), map[partition]float64{}
	for _, one := range demands {
		sums[c.place(one.partition)] += one.units
	}
	for i, one := range demands {
		switch {
		case one.value == "": // it goes through all partitions, whose shares are unknown
		case together:
			all[i] = sums[c.place(one.partition)]
		default:
			all[i] = one.units
		}
	}
	return all
}

// tooLarge reports whether a request takes more units of a partition than the partition ever serves at once. Every
// partition serves a unit.
func (c *capacity) tooLarge(d direction, load float64) bool {
	return c.rates.partition[d] > 0 && load > c.most[d]
}

// admit admits demands and charges them: all or none if together is set, or each by itself, one after another. It
// returns the reason why each is refused, and whether any was admitted.
func (c *capacity) admit(now time.Time, d direction, demands []demand, together bool) (limits []limit, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	limits = make([]limit, len(demands))
	for i, load := range c.loads(demands, together) {
		one := demands[i]
		if limits[i] = c.refuses(now, d, one.partition); c.tooLarge(d, load) {
			limits[i] = tooLarge
		}
		if limits[i] == unlimited && !together {
			c.take(now, d, one)
		}
	}
	if !together {
		return limits, slices.Contains(limits, unlimited)
	}
	if slices.ContainsFunc(limits, func(l limit) bool { return l != unlimited }) {
		return limits, false
	}
	for _, one := range demands {
		c.take(now, d, one)
	}
	return limits, true
}

// charge charges units of admitted demands. Negative units are given back.
func (c *capacity) charge(now time.Time, d direction, demands []demand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range demands {
		if one.units != 0 {
			c.take(now, d, one)
		}
	}
}

func (c *capacity) refuses(now time.Time, d direction, p partition) limit {
	if b, rate := c.bucket(d, partition{table: p.table}); rate > 0 && b.fill(now, rate) <= 0 {
		return tableLimit
	}
	if b, rate := c.bucket(d, p); rate > 0 && b.fill(now, rate) <= 0 {
		return partitionLimit
	}
	return unlimited
}

func (c *capacity) take(now time.Time, d direction, one demand) {
	if b, rate := c.bucket(d, partition{table: one.table}); rate > 0 {
		b.take(now, rate, one.units)
	}
	if b, rate := c.bucket(d, one.partition); rate > 0 && one.value != "" {
		b.take(now, rate, one.units)
	}
}

// bucket returns a partition's bucket, or a table's, and its rate, or nil without a limit.
func (c *capacity) bucket(d direction, p partition) (*bucket, float64) {
	rate := c.rates.partition[d]
	if p.value == "" {
		rate = c.rates.table[d]
	}
	p = c.place(p)
	if rate == 0 {
		return nil, 0
	}
	if c.buckets[p] == nil {
		c.buckets[p] = new([2]bucket)
	}
	return &c.buckets[p][d], rate
}

// fill brings the level up to now, and returns it. A bucket begins full.
func (b *bucket) fill(now time.Time, rate float64) float64 {
	switch {
	case b.at.IsZero():
		b.level, b.at = rate, now
	case now.After(b.at):
		b.level, b.at = min(rate, b.level+rate*now.Sub(b.at).Seconds()), now
	}
	return b.level
}

func (b *bucket) take(now time.Time, rate, units float64) {
	b.level = min(rate, b.fill(now, rate)-units)
}
