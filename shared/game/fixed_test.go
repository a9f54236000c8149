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

func TestFixedClamp(t *testing.T) {
	for f, want := range map[Fixed]Fixed{-1: 0, 0: 0, 50_00: 50_00, 100_00: 100_00, 100_01: 100_00} {
		if got := f.Clamp(); got != want {
			t.Errorf("%v: got %v, want %v", f, got, want)
		}
	}
}

func TestParseFixedRoundTrip(t *testing.T) {
	for f := FixedMin; f <= FixedMax; f++ {
		if got, err := ParseFixed(f.String()); err != nil || got != f {
			t.Fatalf("%s: got %v, %v", f, got, err)
		}
	}
	for s, want := range map[string]Fixed{"0": 0, "100": 100_00, "7.5": 7_50, "007": 7_00} {
		if got, err := ParseFixed(s); err != nil || got != want {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
}

func TestParseFixedRefuses(t *testing.T) {
	for _, s := range []string{"", " 1", "-1", "-0.01", "100.01", "1.234", "0.001", "99.999", "1,5", "NaN", "Inf", "one", "1e9"} {
		if got, err := ParseFixed(s); err == nil {
			t.Errorf("%q is %v", s, got)
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
