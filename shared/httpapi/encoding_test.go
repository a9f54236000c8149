package httpapi

import "testing"

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
			if got := acceptsGzip(header); got != want {
				t.Errorf("%q: %t", header, got)
			}
		}
	}
}
