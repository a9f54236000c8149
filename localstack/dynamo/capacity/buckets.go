package capacity

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"
)

// place is the read or the write capacity of a partition. A Scan, which reads all partitions, has the partition "".
type place struct {
	writes    bool
	partition string
}

// buckets has a token bucket for each place, as DynamoDB has them (Elhemali and others, "Amazon DynamoDB", USENIX ATC
// 2022, admission control).
type buckets struct {
	partitions  uint    // 0: one for each key
	read, write float64 // units a second of a partition; 0 is no limit
	all         map[place]*bucket
}

// bucket is negative while it pays a debt.
type bucket struct {
	level float64
	at    time.Time // the time of the level
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
	rate := b.read
	if p.writes {
		rate = b.write
	}
	if rate == 0 || p.partition == "" {
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

// refuses reports whether a request for an item at the place p is refused.
func (b *buckets) refuses(p place, now time.Time) bool {
	bucket := b.at(p, now)
	return bucket != nil && bucket.level <= 0
}

// take takes units from the place p.
func (b *buckets) take(p place, units float64, now time.Time) {
	if bucket := b.at(p, now); bucket != nil {
		bucket.level -= units
	}
}
