package capacity

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestParse(t *testing.T) {
	t.Parallel()
	with := func(change func(o *Options)) Options {
		o := Fresh()
		change(&o)
		return o
	}
	checkEqual(t, "a table just made", fmt.Sprint(Fresh()), "{4 3000 1000 12000 4000 0 12ms true <nil> <nil>}")
	for s, want := range map[string]Options{
		"":                                     {},
		"fresh":                                Fresh(),
		"fresh,hold=20ms,scale=10":             with(func(o *Options) { o.Hold, o.Scale = 20*time.Millisecond, 10 }),
		"scale=2,read=3000,write=1000":         {PartitionRead: 3000, PartitionWrite: 1000, Scale: 2},
		"fresh,partitions=16":                  with(func(o *Options) { o.Partitions = 16 }),
		"fresh, latency=none, hold=0s":         with(func(o *Options) { o.Latency, o.Hold = false, 0 }),
		"fresh,table-read=40000,read=1,read=2": with(func(o *Options) { o.TableRead, o.PartitionRead = 40_000, 2 }),
	} {
		got, err := Parse(s)
		assert.True(t, err == nil && reflect.DeepEqual(got, want), "%q: %+v, %v; want %+v", s, got, err, want)
	}
	for _, s := range []string{
		"stale", "read=1,fresh", "fresh=1", "read", "read=0", "read=NaN", "read=1e99", "hold=12", "latency=low", "partitions=-1", "fresh,",
	} {
		o, err := Parse(s)
		assert.True(t, reflect.DeepEqual(o, Options{}) && err != nil && strings.Contains(err.Error(), "allowed are fresh (first), hold=DURATION,"),
			"%q: %+v, %v", s, o, err)
	}
}
