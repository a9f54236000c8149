package capacity

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// one admits a request for one item of a partition, and returns the reason if it is refused.
func (c *capacity) one(now time.Time, d direction, p partition, units float64) limit {
	limits, _ := c.admit(now, d, []demand{{p, units}}, true)
	return limits[0]
}

// read does the same for a read in the table t.
func (c *capacity) read(now time.Time, value string, units float64) limit {
	return c.one(now, read, partition{"t", value}, units)
}

func checkEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	assert.True(t, got == want, "%s: got %v, want %v", what, got, want)
}

func TestABucketHoldsOneSecond(t *testing.T) {
	t.Parallel()
	c, now := newCapacity(Options{PartitionRead: 100}), start
	letIn := func() (n int) {
		for c.read(now, "p", 1) == unlimited {
			n++
		}
		return n
	}
	checkEqual(t, "at first", letIn(), 100)
	now = now.Add(250 * time.Millisecond)
	checkEqual(t, "after a quarter of a second", letIn(), 25)
	now = now.Add(time.Hour)
	checkEqual(t, "after an hour", letIn(), 100)
	now = now.Add(-time.Minute)
	checkEqual(t, "when the clock goes back", letIn(), 0)
}

// TestKeysShareFourPartitions checks that a table serves only the units of its four partitions, for any number of keys.
func TestKeysShareFourPartitions(t *testing.T) {
	t.Parallel()
	c := newCapacity(Options{Partitions: 4, PartitionWrite: 1_000, Scale: 10})
	letIn, keys := 0, map[partition]int{}
	for i := range 4_000 {
		key := partition{"t", fmt.Sprint("SHOW#", i)}
		keys[c.place(key)]++
		if c.one(start, write, key, 1) == unlimited {
			letIn++
		}
	}
	checkEqual(t, "let in of 4,000 keys", letIn, 400)
	checkEqual(t, "partitions", len(keys), 4)
	for p, n := range keys {
		assert.True(t, n >= 900 && n <= 1_100, "%d of 4,000 keys come to %v", n, p)
	}
}
