package capacity

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// FuzzParse checks that Parse accepts only numbers that a table can have, and that later settings override earlier
// ones.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "fresh", "fresh,hold=20ms,scale=10,seed=7", "scale=2,read=3000,write=1000", "table-read=5e4,table-write=1.5", "latency=cloud", "read=1e12,scale=1e-300", "read=1e-300,scale=1e12", "hold=1m",
		"seed=18446744073709551615", "read=0x1p-2", " read=1", "latency=none,latency=cloud", "scale=1e-12,table-read=1e12",
	} {
		f.Add(s)
	}
	for _, s := range refused {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := Parse(s)
		if err != nil {
			if !reflect.DeepEqual(o, Options{}) || !strings.Contains(err.Error(), "allowed are fresh (first), hold=DURATION,") {
				t.Errorf("%q: %+v, %v", s, o, err)
			}
			return
		}
		c := newCapacity(o)
		for _, rates := range [][2]float64{c.rates.partition, c.rates.table} {
			if rates[read] < 0 || rates[write] < 0 || math.IsNaN(rates[read]+rates[write]) || math.IsInf(rates[read]+rates[write], 0) {
				t.Errorf("%q has %v units a second", s, rates)
			}
		}
		if o.Hold < 0 || o.Hold > time.Minute || o.Latencies != (Latencies{}) && o.Latencies != CloudLatencies() {
			t.Errorf("%q: %+v", s, o)
		}
		if s == "" {
			return
		}
		if again, err := Parse(s + ",hold=5ms,seed=9,latency=none"); err != nil || again.Hold != 5*time.Millisecond || again.Seed != 9 || again.Latencies != (Latencies{}) || again.TableRead != o.TableRead {
			t.Errorf("%q with more behind it: %+v, %v", s, again, err)
		}
	})
}

// refused are wrong settings.
var refused = []string{
	"stale", "Fresh", "read=1,fresh", "fresh=1", "read", "read=", "read=0", "read=-1", "read=NaN", "read=1e99", "scale=0",
	"hold=12", "hold=-1ms", "hold=2m", "latency=low", "latency", "seed=-1", "partitions=-1", "fresh,", ",", "fresh;hold=1ms", "units=5",
}

func TestParse_refusals(t *testing.T) {
	t.Parallel()
	for _, s := range refused {
		if o, err := Parse(s); err == nil {
			t.Errorf("%q is %+v", s, o)
		}
	}
}
