package httpapi

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestQuery checks how Get reads queries, also with invalid escapes, for which FuzzQuery has no second reading.
func TestQuery(t *testing.T) {
	for _, test := range []struct {
		query, value string
		present      bool
	}{
		{"tier=pro", "", false},
		{"status", "", true},
		{"status=", "", true},
		{"status=completed&status=open", "completed", true},
		{"status&status=open", "", true},
		{"STATUS=open", "", false},
		{"st%61tus=a+b%20c%2Bd", "a b c+d", true},
		{"status=a;status=b", "a;status=b", true},
		{"x;status=open", "", false},
		{"status=%", "%", true},
		{"status=%zz+1", "%zz+1", true},
		{"status=open%4", "open%4", true},
		{"%zz=1&status=open", "open", true},
		{"status=%ff", "%ff", true},
	} {
		value, present := Query(test.query).Get("status")
		assert.True(t, value == test.value && present == test.present,
			"?%s: got %q, %t, want %q, %t", test.query, value, present, test.value, test.present)
	}
}

func TestAcceptsGzip(t *testing.T) {
	for want, headers := range map[bool][]string{
		true: {
			"gzip", "GZip", "x-gzip", "gzip, deflate, br", "br,gzip", "*", "br, *;q=0.1", "gzip;q=0.001", "gzip ; q = 1.0", "*;q=0, gzip", ", ,gzip",
			"deflate;q=0.5, gzip;q=0.2, br",
		},
		false: {
			"", "deflate, br", "gzipped", "identity", "*;q=0", "gzip;q=0", "gzip;q=0.000", "gzip; q=0", "gzip;Q=0", "gzip;q=0, *", "*, gzip;q=0",
			"identity;q=0, *;q=0", "gzip;q=high", "gzip;q=2", "gzip;q=-1", "gzip;q=NaN", "gzip;q", "gzip;level=1",
		},
	} {
		for _, header := range headers {
			got := acceptsGzip(header)
			assert.Equal(t, want, got, "%q: %t", header, got)
		}
	}
}
