package httpapi

import (
	"strconv"
	"strings"
)

// acceptsGzip reports whether an Accept-Encoding header (RFC 9110, 12.5.3) allows gzip. The header allows it if "gzip"
// or "*" has a weight above 0. The weight of "gzip" overrides the weight of "*". A malformed weight counts as 0.
func acceptsGzip(header string) bool {
	gzip, others := -1.0, 0.0
	for element := range strings.SplitSeq(header, ",") {
		coding, parameters, _ := strings.Cut(element, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			gzip = max(gzip, weight(parameters))
		case "*":
			others = weight(parameters)
		}
	}
	if gzip < 0 {
		return others > 0
	}
	return gzip > 0
}

// weight returns the number in "q=<0 to 1>". It returns 1 for an empty text, and 0 for a malformed one.
func weight(parameters string) float64 {
	parameters = strings.TrimSpace(parameters)
	if parameters == "" {
		return 1
	}
	name, value, _ := strings.Cut(parameters, "=")
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if !strings.EqualFold(strings.TrimSpace(name), "q") || err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}
