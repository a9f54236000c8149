package httpapi

import "testing"

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"":                              false,
		"gzip":                          true,
		"GZip":                          true,
		"x-gzip":                        true,
		"gzip, deflate, br":             true,
		"br,gzip":                       true,
		"deflate, br":                   false,
		"gzipped":                       false,
		"identity":                      false,
		"*":                             true,
		"*;q=0":                         false,
		"br, *;q=0.1":                   true,
		"gzip;q=0":                      false,
		"gzip;q=0.000":                  false,
		"gzip; q=0":                     false,
		"gzip;Q=0":                      false,
		"gzip;q=0.001":                  true,
		"gzip ; q = 1.0":                true,
		"gzip;q=0, *":                   false,
		"*, gzip;q=0":                   false,
		"*;q=0, gzip":                   true,
		"identity;q=0, *;q=0":           false,
		"gzip;q=high":                   false,
		"gzip;q=2":                      false,
		"gzip;q=-1":                     false,
		"gzip;q=NaN":                    false,
		"gzip;q":                        false,
		"gzip;level=1":                  false,
		", ,gzip":                       true,
		"deflate;q=0.5, gzip;q=0.2, br": true,
	} {
		if got := acceptsGzip(header); got != want {
			t.Errorf("%q: %t", header, got)
		}
	}
}
