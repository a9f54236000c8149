package limits

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

// FuzzMembers holds the reading of JSON where it lies against encoding/json: of a valid object the same members with
// the same values, and each where it says; of a valid array the same values. Of what is invalid it may make anything
// but a panic: the engine refuses that.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `{"a":{"b":[1,"x\"}"]},"c":null}`, `{"a":[`, "{\"\\u0061\" : -1e5 }", `[1, "]", {"a":"]"}, [[]]]`, `{"a":1,"a":2}`, ` [ ] `, `{"\ud83d\ude00":"\\"}`, `{"a":"\\\""}`, "{\"\xf2\":null}",
		`{"a" 1}`, `{"a":1 "b":2}`, `{"`, `[1`, `{"a":}`, `{"a":"`, `{"a":[}`, `{"\x":1}`, "", `{a:1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want map[string]json.RawMessage
		isObject := json.Unmarshal(text, &want) == nil && want != nil
		got := map[string][]byte{}
		err := members(text, func(m member) error {
			got[m.name] = m.value
			if !bytes.HasSuffix(text[m.start:m.end], m.value) || !bytes.HasPrefix(text[m.start:m.end], m.quoted) {
				t.Errorf("%q: %q does not stand from %d to %d", text, m.name, m.start, m.end)
			}
			return nil
		})
		if isObject && (err != nil || len(got) != len(want)) {
			t.Fatalf("%q: %q, %v", text, got, err)
		}
		for name, value := range want {
			if isObject && !bytes.Equal(got[name], value) {
				t.Errorf("%q: %q is %q, want %q", text, name, got[name], value)
			}
		}
		if isObject {
			var changed map[string]json.RawMessage
			if err := json.Unmarshal(with(text, named("b", []byte("7"))), &changed); err != nil || string(changed["b"]) != "7" {
				t.Errorf("%q with b: %q, %v", text, changed, err)
			}
		}
		var list []json.RawMessage
		isArray := json.Unmarshal(text, &list) == nil && list != nil
		var parts [][]byte
		err = values(text, func(value []byte) error { parts = append(parts, value); return nil })
		if isArray && (err != nil || len(parts) != len(list)) {
			t.Fatalf("%q: %q, %v", text, parts, err)
		}
		for i := range list {
			if isArray && !bytes.Equal(parts[i], list[i]) {
				t.Errorf("%q: %d is %q, want %q", text, i, parts[i], list[i])
			}
		}
	})
}

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
