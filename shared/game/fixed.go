package game

import (
	"fmt"
	"strconv"
	"strings"
)

// Fixed is a decimal number with two places, as a count of hundredths. Computations with integers are exact, and give
// the same result on every processor. Scores, phenotype values and an animal's condition are Fixed values from 0.00 to
// 100.00. The table stores the number of hundredths.
type Fixed int32

// The range of scores, phenotype values and condition.
const (
	FixedMin Fixed = 0
	FixedMax Fixed = 100_00
)

// Clamp returns f, or the nearest end of the range from FixedMin to FixedMax if f is outside.
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

// ParseFixed reads a decimal number from 0 to 100 with at most two places. The text has only digits and perhaps a
// point, without sign or exponent.
func ParseFixed(s string) (Fixed, error) {
	whole, places, point := strings.Cut(s, ".")
	hundredths, err := strconv.ParseUint(whole+(places + "00")[:2], 10, 64)
	if err != nil || whole == "" || len(places) > 2 || point && places == "" || hundredths > uint64(FixedMax) {
		return 0, fmt.Errorf("%q is no decimal from 0 to 100 with at most two places", s)
	}
	return Fixed(hundredths), nil
}
