package capacity

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// FuzzParse: options that are taken are numbers that a table can have, the same in any order but for the first, and
// those that come last count.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "fresh", "fresh,hold=20ms,scale=10,seed=7", "scale=2,read=3000,write=1000", "table-read=5e4,table-write=1.5", "latency=cloud", "read=1e12,scale=1e-300", "read=1e-300,scale=1e12", "hold=1m",
		"hold=-1ns", "read=NaN", "read=Inf", "seed=18446744073709551615", "read=0x1p-2", ",", "fresh,fresh", " read=1", "latency=none,latency=cloud", "latency=low", "scale=1e-12,table-read=1e12",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := Parse(s)
		if err != nil {
			if !reflect.DeepEqual(o, Options{}) || !strings.Contains(err.Error(), "allowed are") {
				t.Errorf("%q: %+v, %v", s, o, err)
			}
			return
		}
		for _, units := range []float64{o.PartitionRead, o.PartitionWrite, o.TableRead, o.TableWrite} {
			if units < 0 || math.IsNaN(units) || math.IsInf(units, 0) {
				t.Errorf("%q has %v units a second", s, units)
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
		if scaled, err := Parse(s + ",scale=1,read=8"); err != nil || scaled.PartitionRead != 8 {
			t.Errorf("%q of no scale: %+v, %v", s, scaled, err)
		}
	})
}
