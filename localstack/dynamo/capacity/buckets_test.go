package capacity

import (
	"fmt"
	"testing"
	"time"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// one requests one item of a partition.
func (c *capacity) one(now time.Time, d direction, p partition, units float64) limit {
	limits, _ := c.admit(now, d, []demand{{p, units}}, true)
	return limits[0]
}

// read requests one read of a partition of the table t.
func (c *capacity) read(now time.Time, value string, units float64) limit {
	return c.one(now, read, partition{"t", value}, units)
}

func checkEqual[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
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

func TestPartitionsAndTheTable(t *testing.T) {
	t.Parallel()
	c := newCapacity(Options{PartitionRead: partitionRead, TableRead: freshRead}) // a partition for each key
	letIn := map[limit]int{}
	for i := range 5 * partitionRead {
		letIn[c.read(start, fmt.Sprint(i%5), 1)]++
	}
	checkEqual(t, "let in by the table", letIn[unlimited], freshRead)
	checkEqual(t, "refused by the table", letIn[tableLimit], 5*partitionRead-freshRead)
	checkEqual(t, "a partition of another table",
		c.one(start, read, partition{"u", "0"}, 1), unlimited)
	checkEqual(t, "a write", c.one(start, write, partition{"t", "0"}, 1), unlimited)

	c = newCapacity(Fresh())
	c.read(start, "hot", partitionRead)
	checkEqual(t, "a hot partition", c.read(start, "hot", 1), partitionLimit)
	checkEqual(t, "another one", c.read(start, "cold", 1), unlimited)
	checkEqual(t, "no partition in particular", c.read(start, "", 1), unlimited)
	checkEqual(t, "left of the table", c.buckets[partition{table: "t"}][read].level, freshRead-partitionRead-2)
}

// A new table has four partitions, for any number of keys.
func TestKeysShareFourPartitions(t *testing.T) {
	t.Parallel()
	c, scaled := newCapacity(Options{Partitions: 4, PartitionWrite: 100}), newCapacity(Options{Partitions: 4, PartitionWrite: 100, Scale: 10})
	letIn, letInScaled, keys := 0, 0, map[partition]int{}
	for i := range 4_000 {
		key := partition{"t", fmt.Sprint("SHOW#", i)}
		keys[c.place(key)]++
		if c.one(start, write, key, 1) == unlimited {
			letIn++
		}
		if scaled.one(start, write, key, 1) == unlimited {
			letInScaled++
		}
	}
	checkEqual(t, "let in of 4,000 keys", letIn, 400)
	checkEqual(t, "at a scale of 10", letInScaled, 40)
	checkEqual(t, "partitions", len(keys), 4)
	for p, n := range keys {
		if n < 900 || n > 1_100 {
			t.Errorf("%d of 4,000 keys come to %v", n, p)
		}
	}
}

// A load that a partition never serves at once is always refused, and takes nothing. Each item of a batch counts by
// itself.
func TestALoadThatIsTooLarge(t *testing.T) {
	t.Parallel()
	c, p := newCapacity(Options{Partitions: 1, PartitionWrite: 100, Scale: 10}), partition{"t", "0"}
	sheets := []demand{{partition{"t", "sheet 1"}, 60}, {partition{"t", "sheet 2"}, 60}}
	for range 3 {
		limits, ok := c.admit(start, write, sheets, true)
		checkEqual(t, "120 units in one partition", fmt.Sprint(limits, ok), fmt.Sprint([]limit{tooLarge, tooLarge}, false))
	}
	checkEqual(t, "left", c.buckets[p][write].level, 10)
	limits, ok := c.admit(start, write, []demand{sheets[0], {partition{"t", "sheet 3"}, 101}}, false)
	checkEqual(t, "a batch", fmt.Sprint(limits, ok), fmt.Sprint([]limit{unlimited, tooLarge}, true))
	checkEqual(t, "the debt of 60 units at a scale of 10", c.buckets[p][write].level, -50)
	checkEqual(t, "100 units once the debt is paid", c.one(start.Add(6*time.Second), write, p, 100), unlimited)

	c = newCapacity(Options{PartitionWrite: 100})
	limits, ok = c.admit(start, write, sheets, true)
	checkEqual(t, "a partition for each key", fmt.Sprint(limits, ok), fmt.Sprint([]limit{unlimited, unlimited}, true))
}

func TestCorrections(t *testing.T) {
	t.Parallel()
	c, p := newCapacity(Options{PartitionRead: 10, TableRead: 20}), partition{"t", "p"}
	c.read(start, "p", 4)
	c.charge(start, read, []demand{{p, -3}})
	checkEqual(t, "after something was given back", c.buckets[p][read].level, 9)
	c.charge(start, read, []demand{{p, -100}})
	checkEqual(t, "never more than full", c.buckets[p][read].level, 10)
	c.charge(start, read, []demand{{p, 30}})
	checkEqual(t, "in debt", c.buckets[p][read].level, -20)
	checkEqual(t, "the table", c.buckets[partition{table: "t"}][read].level, -10)
}
