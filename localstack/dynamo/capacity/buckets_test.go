package capacity

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// admitted takes a unit from the place again and again until the place refuses it, and returns how many it took.
func (b *buckets) admitted(p place, now time.Time) (n int) {
	for ; !b.refuses(p, now); n++ {
		b.take(p, 1, now)
	}
	return n
}

func TestABucketHoldsOneSecond(t *testing.T) {
	t.Parallel()
	b := buckets{read: 100, all: map[place]*bucket{}}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{0, 100}, {250 * time.Millisecond, 25}, {time.Hour, 100}, {time.Minute, 0}, {time.Hour + time.Second, 100}} {
		got := b.admitted(place{partition: "p"}, start.Add(step.after))
		assert.Equal(t, step.want, got, "after %v", step.after)
	}
}

// TestKeysShareFourPartitions checks that a table serves only the units of its four partitions, for any number of keys.
func TestKeysShareFourPartitions(t *testing.T) {
	t.Parallel()
	b := buckets{partitions: 4, write: 100, all: map[place]*bucket{}}
	admitted, keys := 0, map[string]int{}
	for i := range 4_000 {
		p := place{true, b.partitionOf(fmt.Sprint("SHOW#", i))}
		keys[p.partition]++
		admitted += b.admitted(p, start)
	}
	assert.Equal(t, 400, admitted)
	assert.Len(t, keys, 4)
	for p, n := range keys {
		assert.True(t, n >= 900 && n <= 1_100, "%d of 4,000 keys come to %v", n, p)
	}
}
