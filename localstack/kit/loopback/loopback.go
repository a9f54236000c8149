// Package loopback keeps web pages away from what the local stack serves on this machine's loopback addresses.
//
// To listen there alone keeps other machines out, but not the pages in the developer's browser. A page may send
// requests to 127.0.0.1 from any origin, and reads the answers where CORS lets it. Worse, a page may point its own name
// at 127.0.0.1 (DNS rebinding). The browser then takes page and server for one site and sends no preflight. Only the
// Host header still has that name. ADR 10 has the reasons.
package loopback

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
)

// RequireHost passes on the requests for a loopback host: localhost, an address of 127.0.0.0/8, or [::1]. All others
// are answered 403.
func RequireHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLoopback(r.Host) {
			refuse(w, fmt.Sprintf("Only requests for this machine's own names are answered: use %s, or localhost in its place.", here(r)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// RefuseBrowsers does what RequireHost does, and also answers 403 to whatever a browser sends: its requests to a
// loopback address have an Origin, which may be null or empty, or at least a Sec-Fetch-Site. There is no answer to a
// preflight but this one.
func RefuseBrowsers(next http.Handler) http.Handler {
	return RequireHost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, header := range []string{"Origin", "Sec-Fetch-Site"} {
			if _, sent := r.Header[header]; sent {
				refuse(w, fmt.Sprintf("This port is for programs, not for browsers: requests with the header %s are refused."+
					" Web pages use the API, and tools on this machine find the table here without that header.", header))
				return
			}
		}
		next.ServeHTTP(w, r)
	}))
}

// IsLoopback reports whether a Host header, with or without a port, names this machine and no other.
func IsLoopback(host string) bool {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		if _, err := strconv.ParseUint(host[i+1:], 10, 16); err != nil {
			return false
		}
		host = host[:i]
	}
	if host == "[::1]" {
		return true
	}
	host = strings.TrimSuffix(host, ".")
	address, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && address.Is4() && address.IsLoopback()
}

// here returns the base URL under which the request should have come.
func here(r *http.Request) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return fmt.Sprintf("http://127.0.0.1:%d", local.Port)
	}
	return "127.0.0.1"
}

func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message}) // whoever has asked may be gone
}
