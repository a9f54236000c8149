package game

import (
	"encoding/json"
	"fmt"
	"time"
)

// Instant is a point in time, as the number of milliseconds since 1970-01-01T00:00:00Z. The table stores this number,
// and the API has the same precision. So Go code compares times exactly, as integers.
type Instant int64

// instantLayout always has three decimals. All texts in UTC and in the years 0000 to 9999 have the same width, so that
// sorting the texts sorts the instants.
const instantLayout = "2006-01-02T15:04:05.000Z07:00"

// InstantOf returns t as an Instant. It drops fractions of a millisecond.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMilli()) }

// ParseInstant reads an RFC 3339 date-time with any offset. The time must be in the years 0 to 9999 in UTC.
// ParseInstant drops fractions of a millisecond.
func ParseInstant(s string) (Instant, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if year := t.UTC().Year(); err != nil || year < 0 || year > 9999 {
		return 0, fmt.Errorf("%q is no RFC 3339 date-time", s)
	}
	return InstantOf(t), nil
}

// Time returns the instant in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(int64(i)).UTC() }

// Add returns the instant that is d after i. It drops fractions of a millisecond of d.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d.Milliseconds()) }

// String returns the instant in the form of RFC 3339, in UTC with three decimals: 2026-11-20T09:30:00.000Z.
func (i Instant) String() string { return i.Time().Format(instantLayout) }

// MarshalJSON writes String as a JSON string.
func (i Instant) MarshalJSON() ([]byte, error) { return json.Marshal(i.String()) }

// UnmarshalJSON reads a JSON string as ParseInstant does. After an error, i is unchanged.
func (i *Instant) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	parsed, err := ParseInstant(s)
	if err == nil {
		*i = parsed
	}
	return err
}
