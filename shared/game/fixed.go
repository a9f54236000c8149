package game

import (
	"fmt"
	"strconv"
)

// Fixed is a decimal with two places, held in hundredths, so that every computation on it is exact and the same on
// every processor. Scores, phenotype values and condition are Fixed values from 0.00 to 100.00. It is stored as the
// number of hundredths.
type Fixed int32

// The range of scores, phenotype values and condition.
const (
	FixedMin Fixed = 0
	FixedMax Fixed = 100_00
)

// Clamp returns the value nearest to f that is in range.
func (f Fixed) Clamp() Fixed { return min(max(f, FixedMin), FixedMax) }

// String returns the decimal with both places: "87.50".
func (f Fixed) String() string {
	sign := ""
	if f < 0 {
		sign, f = "-", -f
	}
	return fmt.Sprintf("%s%d.%02d", sign, f/100, f%100)
}

// MarshalJSON writes the decimal as a JSON number: 87.50.
func (f Fixed) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

// ParseFixed reads a decimal from 0 to 100 with at most two places.
func ParseFixed(s string) (Fixed, error) {
	v, err := strconv.ParseFloat(s, 64)
	f := Fixed(v*100 + 0.5)
	if err != nil || v < 0 || v > 100 || strconv.FormatFloat(v, 'f', -1, 64) != strconv.FormatFloat(float64(f)/100, 'f', -1, 64) {
		return 0, fmt.Errorf("%q is no decimal from 0 to 100 with at most two places", s)
	}
	return f, nil
}
