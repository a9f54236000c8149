package game

import (
	"fmt"
	"strconv"
	"strings"
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

// ParseFixed reads a decimal from 0 to 100 with at most two places: digits, without a sign or an exponent.
func ParseFixed(s string) (Fixed, error) {
	whole, places, point := strings.Cut(s, ".")
	hundredths, err := strconv.ParseUint(whole+(places + "00")[:2], 10, 64)
	if err != nil || whole == "" || len(places) > 2 || point && places == "" || hundredths > uint64(FixedMax) {
		return 0, fmt.Errorf("%q is no decimal from 0 to 100 with at most two places", s)
	}
	return Fixed(hundredths), nil
}
