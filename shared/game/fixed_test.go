package game

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestFixedString(t *testing.T) {
	for f, want := range map[Fixed]string{0: "0.00", 5: "0.05", 87_50: "87.50", 100_00: "100.00", -1: "-0.01", -3: "-0.03", -2_50: "-2.50"} {
		if got := f.String(); got != want {
			t.Errorf("%d: got %s, want %s", f, got, want)
		}
		encoded, err := json.Marshal(f)
		if err != nil || string(encoded) != want {
			t.Errorf("%d: encoded %s, %v", f, encoded, err)
		}
	}
}

func TestParseFixedRoundTrip(t *testing.T) {
	for f := FixedMin; f <= FixedMax; f++ {
		if got, err := ParseFixed(f.String()); err != nil || got != f {
			t.Fatalf("%s: got %v, %v", f, got, err)
		}
	}
}

// Whatever is read is in range, and was written with at most two places.
func TestParseFixedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`-?[0-9]{0,4}(\.[0-9]{0,4})?`).Draw(t, "decimal")
		f, err := ParseFixed(s)
		if err == nil && f != f.Clamp() {
			t.Fatalf("%q is %v", s, f)
		}
	})
}
