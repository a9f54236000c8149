package game

import (
	"encoding/json"
	"testing"
	"time"
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
