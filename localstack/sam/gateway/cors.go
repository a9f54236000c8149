package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CORS is what the gateway answers browsers with. Once it is configured, the functions' own CORS headers count for
// nothing.
type CORS struct {
	// AllowOrigins are origins, or "*", or all of one scheme, as in "https://*".
	AllowOrigins  []string
	AllowMethods  []string
	AllowHeaders  []string
	ExposeHeaders []string
	// MaxAge is how long a browser may remember the answer to a preflight request; zero: unsaid.
	MaxAge           time.Duration
	AllowCredentials bool
}

func isCORS(canonical string) bool { return strings.HasPrefix(canonical, "Access-Control-") }

// origin gives what to answer the request's origin with; "" if it is not allowed, or if there is none.
func (c *CORS) origin(r *http.Request) string {
	origin := r.Header.Get("Origin")
	switch {
	case c == nil || origin == "":
		return ""
	case slices.Contains(c.AllowOrigins, "*"):
		return "*"
	}
	for _, allowed := range c.AllowOrigins {
		scheme, any := strings.CutSuffix(allowed, "://*")
		if allowed == origin || any && strings.HasPrefix(origin, scheme+"://") {
			return origin
		}
	}
	return ""
}

// allow adds what every response to an allowed origin has.
func (c *CORS) allow(header http.Header, r *http.Request) {
	origin := c.origin(r)
	if origin == "" {
		return
	}
	header.Set("Access-Control-Allow-Origin", origin)
	if origin != "*" {
		header.Set("Vary", "Origin")
	}
	if c.AllowCredentials {
		header.Set("Access-Control-Allow-Credentials", "true")
	}
	if len(c.ExposeHeaders) > 0 {
		header.Set("Access-Control-Expose-Headers", strings.Join(c.ExposeHeaders, ","))
	}
}

// preflight adds what the answer to a preflight request has, which is an OPTIONS request with an origin and the method
// to come.
func (c *CORS) preflight(header http.Header, r *http.Request) {
	if c.origin(r) == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	if len(c.AllowMethods) > 0 {
		header.Set("Access-Control-Allow-Methods", strings.Join(c.AllowMethods, ","))
	}
	if len(c.AllowHeaders) > 0 {
		header.Set("Access-Control-Allow-Headers", strings.Join(c.AllowHeaders, ","))
	}
	if c.MaxAge > 0 {
		header.Set("Access-Control-Max-Age", strconv.Itoa(int(c.MaxAge.Seconds())))
	}
}
