// Package loopback protects the local stack's servers on loopback addresses from web pages.
//
// A loopback address is closed to other machines, but not to the pages in the developer's browser. A page may send
// requests to 127.0.0.1 from any origin, and reads the answers if CORS allows it. Worse, a page may point its own name
// at 127.0.0.1 (DNS rebinding). The browser then treats page and server as one site and sends no preflight. Only the
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

// RequireHost passes on requests for a loopback host: localhost, an address of 127.0.0.0/8, or [::1]. It answers all
// others with 403.
func RequireHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLoopback(r.Host) {
			refuse(w, fmt.Sprintf("Only requests for this machine's own names are answered: use %s, or localhost in its place.", here(r)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// RefuseBrowsers does what RequireHost does, and also answers every browser's request with 403. A browser's request to
// a loopback address has an Origin, which may be null or empty, or at least a Sec-Fetch-Site. A preflight gets the same
// answer.
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

// IsLoopback reports whether a Host header, with or without a port, names only this machine.
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

// here returns the base URL that the request should have used.
func here(r *http.Request) string {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return fmt.Sprintf("http://127.0.0.1:%d", local.Port)
	}
	return "127.0.0.1"
}

func refuse(w http.ResponseWriter, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message}) // the client may be gone
}
