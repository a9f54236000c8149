package capacity

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestParse(t *testing.T) {
	t.Parallel()
	with := func(change func(o *Options)) Options {
		o := Fresh()
		change(&o)
		return o
	}
	for s, want := range map[string]Options{
		"":                                     {},
		"fresh":                                Fresh(),
		"fresh,hold=20ms,scale=10,seed=7":      with(func(o *Options) { *o = o.Scale(10); o.Hold, o.Seed = 20*time.Millisecond, 7 }),
		"scale=2,read=3000,write=1000":         {PartitionRead: 1500, PartitionWrite: 500},
		"fresh, latency=none, hold=0s":         with(func(o *Options) { o.Latencies, o.Hold = Latencies{}, 0 }),
		"table-read=5e4,table-write=1.5":       {TableRead: 50_000, TableWrite: 1.5},
		"latency=cloud":                        {Latencies: CloudLatencies()},
		"fresh,table-read=40000,read=1,read=2": with(func(o *Options) { o.TableRead, o.PartitionRead = 40_000, 2 }),
	} {
		if got, err := Parse(s); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", s, got, err, want)
		}
	}
}

func TestParse_refusals(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"stale", "Fresh", "read=1,fresh", "fresh=1", "read", "read=", "read=0", "read=-1", "read=NaN", "read=1e99", "read=many", "scale=0",
		"hold=12", "hold=-1ms", "hold=2m", "latency=low", "latency", "seed=-1", "seed=x", "fresh,", ",", "fresh;hold=1ms", "units=5",
	} {
		got, err := Parse(s)
		if err == nil || !reflect.DeepEqual(got, Options{}) || !strings.Contains(err.Error(), "allowed are fresh (first), read=UNITS,") {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
}

// The figures are those of the Developer Guide.
func TestFresh(t *testing.T) {
	t.Parallel()
	want := Options{
		PartitionRead: 3000, PartitionWrite: 1000, TableRead: 12000, TableWrite: 4000, Hold: 12 * time.Millisecond,
		Latencies: Latencies{
			Read: Range{3e6, 5e6}, Write: Range{4e6, 6e6}, Transaction: Range{10e6, 15e6}, Page: Range{60e6, 100e6},
		},
	}
	if got := Fresh(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestLatencies(t *testing.T) {
	t.Parallel()
	within := func(what string, got time.Duration, from, to float64) {
		t.Helper()
		if ms := got.Seconds() * 1000; ms < from || ms > to {
			t.Errorf("%s: %v is not from %v to %v ms", what, got, from, to)
		}
	}
	cloud := Options{Latencies: CloudLatencies(), Seed: 3}
	l, same, other := newLatencies(cloud), newLatencies(cloud), newLatencies(Options{Latencies: CloudLatencies(), Seed: 4})
	differ := false
	for range 1000 {
		small := l.read(0)
		within("a small read", small, 3, 5)
		checkEqual(t, "the same seed", same.read(0), small)
		differ = differ || small != other.read(0)
	}
	checkEqual(t, "another seed differs", differ, true)
	for range 1000 {
		within("half a page", l.read(0.5), 31.5, 52.5)
		within("a page", l.read(1), 60, 100)
		within("more than a page", l.read(16), 60, 100)
		within("a write", l.write(), 4, 6)
		within("a transaction", l.transaction(), 10, 15)
	}
	none := newLatencies(Options{})
	checkEqual(t, "none", none.read(1)+none.write()+none.transaction(), 0)
}

func TestMachineClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		clock, began := machineClock{}, time.Now()
		if err := clock.Sleep(t.Context(), time.Minute); err != nil || clock.Now().Sub(began) != time.Minute {
			t.Errorf("slept until %v: %v", clock.Now(), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := clock.Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 61*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}
