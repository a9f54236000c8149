package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// allowOrigin adds the CORS headers that every response to a page of another origin has. It returns false if there are
// none.
func (g *Gateway) allowOrigin(header http.Header, r *http.Request) bool {
	c := g.cfg.CORS
	if c == nil || r.Header.Get("Origin") == "" || !slices.Contains(c.AllowOrigins, "*") {
		return false
	}
	header.Set("Access-Control-Allow-Origin", "*")
	setList(header, "Access-Control-Expose-Headers", c.ExposeHeaders)
	return true
}

// preflight adds headers to the answer to a CORS preflight request. If the request's origin is missing, or if the
// request does not name the method to come, preflight adds none.
func (g *Gateway) preflight(header http.Header, r *http.Request) {
	if c := g.cfg.CORS; g.allowOrigin(header, r) && r.Header.Get("Access-Control-Request-Method") != "" {
		setList(header, "Access-Control-Allow-Methods", c.AllowMethods)
		setList(header, "Access-Control-Allow-Headers", c.AllowHeaders)
		header.Set("Access-Control-Max-Age", strconv.Itoa(int(c.MaxAge.Seconds())))
	}
}

func setList(header http.Header, name string, values []string) {
	if len(values) > 0 {
		header.Set(name, strings.Join(values, ","))
	}
}
