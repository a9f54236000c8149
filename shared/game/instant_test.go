package game

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestInstantString(t *testing.T) {
	vienna := time.FixedZone("", 3600)
	for want, moment := range map[string]time.Time{
		"2026-11-20T09:30:00.000Z": time.Date(2026, 11, 20, 10, 30, 0, 0, vienna),
		"2026-11-20T09:30:00.120Z": time.Date(2026, 11, 20, 9, 30, 0, 120_999_999, time.UTC), // cut off, not rounded
		"1969-12-31T23:59:59.999Z": time.Date(1969, 12, 31, 23, 59, 59, 999_500_000, time.UTC),
	} {
		if got := InstantOf(moment).String(); got != want {
			t.Errorf("%v: got %s, want %s", moment, got, want)
		}
	}
}

func TestParseInstant(t *testing.T) {
	want := InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 5e6, time.UTC))
	for _, s := range []string{"2026-11-20T09:30:00.005Z", "2026-11-20T10:30:00.0059+01:00", "2026-11-20T04:00:00.005-05:30"} {
		if got, err := ParseInstant(s); err != nil || got != want {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "2026-11-20", "2026-11-20T09:30:00", "2026-11-20 09:30:00Z", "2026-02-30T00:00:00Z", "1763631000"} {
		if got, err := ParseInstant(s); err == nil {
			t.Errorf("%q is %v", s, got)
		}
	}
}

func TestInstantTextsSortAsInstantsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawInstant(t, "a"), drawInstant(t, "b")
		if strings.Compare(a.String(), b.String()) != cmp.Compare(a, b) {
			t.Fatalf("%s and %s", a, b)
		}
	})
}

func TestInstantUnmarshalRefuses(t *testing.T) {
	for _, s := range []string{`"yesterday"`, `5`, `{}`} {
		i := Instant(7)
		if err := json.Unmarshal([]byte(s), &i); err == nil || i != 7 {
			t.Errorf("%s became %v, %v", s, i, err)
		}
	}
}

func TestInstantAdd(t *testing.T) {
	if got, want := Instant(1_000).Add(2*time.Second+999*time.Microsecond), Instant(3_000); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

// drawInstant draws from the years 0000 to 9999.
func drawInstant(t *rapid.T, label string) Instant {
	first := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	last := time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli()
	return Instant(rapid.Int64Range(first, last).Draw(t, label))
}
