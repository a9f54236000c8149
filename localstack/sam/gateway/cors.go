package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// allowedOrigin returns the origin that the answer's CORS header allows. If the request has no origin, or CORS does not
// allow it, allowedOrigin returns "".
func (g *Gateway) allowedOrigin(r *http.Request) string {
	c := g.cfg.CORS
	origin := r.Header.Get("Origin")
	switch {
	case c == nil || origin == "":
		return ""
	case slices.Contains(c.AllowOrigins, "*"):
		return "*"
	case slices.Contains(c.AllowOrigins, origin):
		return origin
	}
	return ""
}

// allowOrigin adds the CORS headers that every response to an allowed origin has.
func (g *Gateway) allowOrigin(header http.Header, r *http.Request) {
	origin, c := g.allowedOrigin(r), g.cfg.CORS
	if origin == "" {
		return
	}
	header.Set("Access-Control-Allow-Origin", origin)
	if origin != "*" {
		header.Set("Vary", "Origin")
	}
	setList(header, "Access-Control-Expose-Headers", c.ExposeHeaders)
}

// preflight adds headers to the answer to a CORS preflight request. If the request's origin is missing or not allowed,
// or if the request does not name the method to come, preflight adds none.
func (g *Gateway) preflight(header http.Header, r *http.Request) {
	c := g.cfg.CORS
	if g.allowedOrigin(r) == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	setList(header, "Access-Control-Allow-Methods", c.AllowMethods)
	setList(header, "Access-Control-Allow-Headers", c.AllowHeaders)
	if c.MaxAge > 0 {
		header.Set("Access-Control-Max-Age", strconv.Itoa(int(c.MaxAge.Seconds())))
	}
}

func setList(header http.Header, name string, values []string) {
	if len(values) > 0 {
		header.Set(name, strings.Join(values, ","))
	}
}
