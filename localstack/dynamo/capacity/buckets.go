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

// direction selects one of the two kinds of capacity: read or write units.
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
	tooLarge // more units than a partition can ever serve at once
)

// partition names a value of a table's partition key, or the partition that stores several of these values. The value
// "", which DynamoDB does not allow as a key, means the whole table: a Scan reads all partitions.
type partition struct{ table, value string }

// demand is the number of capacity units that one item of a request consumes, both of its partition and of its table.
type demand struct {
	partition
	units float64
}

// capacity has token buckets for partitions and tables, as DynamoDB has them (Elhemali and others, "Amazon DynamoDB",
// USENIX ATC 2022, admission control). The method admit accepts a request by the rules in doc.go, and charges the cost
// that is known before the engine answers. The method charge corrects that cost afterwards. So a level can be negative.
type capacity struct {
	partitions uint                                  // 0: one for each key
	rates      struct{ partition, table [2]float64 } // in units a second, by direction; 0 is no limit
	most       [2]float64                            // the most units of a request in a partition, by direction

	mu      sync.Mutex
	buckets map[partition]*[2]bucket // by direction; the key without a value has the table's bucket
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

// place returns the partition that serves a key. DynamoDB does not publish its hash function, so place uses SHA-256,
// which also distributes keys evenly.
func (c *capacity) place(key partition) partition {
	if c.partitions == 0 || key.value == "" {
		return key
	}
	hash := sha256.Sum256([]byte(key.value))
	return partition{key.table, strconv.FormatUint(binary.BigEndian.Uint64(hash[:])%uint64(c.partitions), 10)}
}

// loads returns, for each demand, the units that its request consumes of the demand's partition; 0 for a Scan. If
// together is true, all demands belong to one request. Otherwise each demand is a request of its own.
func (c *capacity) loads(demands []demand, together bool) []float64 {
	all, sums := make([]float64, len(demands)), map[partition]float64{}
	for _, one := range demands {
		sums[c.place(one.partition)] += one.units
	}
	for i, one := range demands {
		switch {
		case one.value == "": // the shares of the partitions are unknown
		case together:
			all[i] = sums[c.place(one.partition)]
		default:
			all[i] = one.units
		}
	}
	return all
}

// tooLarge reports whether one request consumes more units of a partition (load) than the partition can ever serve at
// once. A load of one unit is never too large.
func (c *capacity) tooLarge(d direction, load float64) bool {
	return c.rates.partition[d] > 0 && load > c.most[d]
}

// admit admits demands and charges them. If together is true, it admits all of them or none. Otherwise it decides for
// each demand by itself, in order. It returns the reason why each demand is refused, and whether it admitted any.
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

// charge takes further units for admitted demands. It gives negative units back.
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

// bucket returns the bucket and the rate of a partition, or of a table if p has no value. Without a limit they are nil
// and 0.
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

// fill adds the units since the last call to the bucket, and returns its level. A new bucket is full.
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
