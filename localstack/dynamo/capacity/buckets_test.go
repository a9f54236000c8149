package capacity

import (
	"fmt"
	"testing"
	"time"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// one asks for one item of a partition.
func (c *capacity) one(now time.Time, d direction, p partition, units float64) limit {
	limits, _ := c.admit(now, d, []demand{{p, units}}, true)
	return limits[0]
}

// read asks for one read of a partition of the table t.
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
	c := newCapacity(Fresh())
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
	checkEqual(t, "its neighbour", c.read(start, "cold", 1), unlimited)
	checkEqual(t, "no partition in particular", c.read(start, "", 1), unlimited)
	checkEqual(t, "left of the table", c.buckets[partition{table: "t"}][read].level, freshRead-partitionRead-2)
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
