package capacity

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"time"
)

// direction selects one of the two kinds of capacity: read or write units.
type direction int

const (
	read direction = iota
	write
)

// place is a partition of a table, or the whole table if partition is "".
type place struct {
	direction
	table, partition string
}

// buckets has a token bucket for each place with a limit, as DynamoDB has them (Elhemali and others, "Amazon DynamoDB",
// USENIX ATC 2022, admission control).
type buckets struct {
	partitions       uint                  // of a table; 0: one for each key
	table, partition map[direction]float64 // units a second; 0 is no limit
	all              map[place]*bucket
}

// bucket is negative while it pays a debt.
type bucket struct {
	level float64
	at    time.Time // the time of the level
}

func newBuckets(o Options) buckets {
	scale := cmp.Or(o.Scale, 1)
	return buckets{
		partitions: o.Partitions, all: map[place]*bucket{},
		table:     map[direction]float64{read: o.TableRead / scale, write: o.TableWrite / scale},
		partition: map[direction]float64{read: o.PartitionRead / scale, write: o.PartitionWrite / scale},
	}
}

// partitionOf returns the partition that serves a value of the partition key. DynamoDB does not publish its hash
// function, so partitionOf uses SHA-256, which also distributes keys evenly.
func (b *buckets) partitionOf(value string) string {
	if b.partitions == 0 || value == "" {
		return value
	}
	hash := sha256.Sum256([]byte(value))
	return strconv.FormatUint(binary.BigEndian.Uint64(hash[:])%uint64(b.partitions), 10)
}

// at returns the bucket of a place, filled until now, or nil if the place has no limit. A new bucket is full.
func (b *buckets) at(p place, now time.Time) *bucket {
	rate := b.partition[p.direction]
	if p.partition == "" {
		rate = b.table[p.direction]
	}
	if rate == 0 {
		return nil
	}
	found := b.all[p]
	if found == nil {
		found = &bucket{rate, now}
		b.all[p] = found
	}
	if now.After(found.at) {
		found.level, found.at = min(rate, found.level+rate*now.Sub(found.at).Seconds()), now
	}
	return found
}

// limit is the reason why a request is refused.
type limit int

const (
	unlimited limit = iota
	tableLimit
	partitionLimit
)

// refuses returns the reason why a request for an item at the place p is refused. A Scan, which reads all partitions,
// is at the table's place.
func (b *buckets) refuses(p place, now time.Time) limit {
	if table := b.at(place{p.direction, p.table, ""}, now); table != nil && table.level <= 0 {
		return tableLimit
	}
	if partition := b.at(p, now); partition != nil && partition.level <= 0 {
		return partitionLimit
	}
	return unlimited
}

// take takes units from the place p and from its table.
func (b *buckets) take(p place, units float64, now time.Time) {
	for _, at := range slices.Compact([]place{{p.direction, p.table, ""}, p}) {
		if bucket := b.at(at, now); bucket != nil {
			bucket.level -= units
		}
	}
}
