// Package loopback protects the local stack's servers on loopback addresses from web pages.
//
// Other machines cannot reach a loopback address, but the pages in the developer's browser can. A page may send
// requests to 127.0.0.1 from any origin, and can read the responses if CORS allows it. A page may also make its own
// domain name point to 127.0.0.1 (DNS rebinding). The browser then treats the page and the server as one site, and
// sends no preflight. Only the Host header still shows the page's name. ADR 10 has the reasons.
package loopback

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Hosts are the hosts, besides this machine's loopback names, that requests to an opened server may name. The zero
// value has none.
type Hosts struct {
	Addresses bool     // every IPv4 address: a page that rebinds a name cannot send one
	Names     []string // such as a tunnel's or "mac.local", without a port
}

// RequireHost returns a handler that passes on requests whose Host header names a loopback address (localhost, an
// address of 127.0.0.0/8, or [::1]) or one of the hosts. It answers all other requests with 403.
func RequireHost(next http.Handler, hosts Hosts) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLoopback(r.Host) && !hosts.include(r.Host) {
			refuse(w, fmt.Sprintf("Only requests for this machine's own names are answered: use %s, or localhost in its place."+
				" To open make run to other devices and names: docs/devices.md.", here(r)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (h Hosts) include(host string) bool {
	name, ok := hostname(host)
	address, err := netip.ParseAddr(name)
	if err == nil {
		return ok && h.Addresses && address.Is4() && !address.IsUnspecified()
	}
	return ok && slices.ContainsFunc(h.Names, func(known string) bool { return strings.EqualFold(known, name) })
}

// RefuseBrowsers returns a handler that does what RequireHost does, and also answers every browser's request, including
// preflights, with 403. It recognizes browsers by the header Origin, even if it is null or empty, or by the header
// Sec-Fetch-Site. A browser's request to a loopback address has at least one of the two.
func RefuseBrowsers(next http.Handler) http.Handler {
	refusing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, header := range []string{"Origin", "Sec-Fetch-Site"} {
			if _, sent := r.Header[header]; sent {
				refuse(w, fmt.Sprintf("This port is for programs, not for browsers: requests with the header %s are refused."+
					" Web pages use the API, and tools on this machine find the table here without that header.", header))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
	return RequireHost(refusing, Hosts{})
}

// IsLoopback reports whether a Host header, with or without a port, names only this machine.
func IsLoopback(host string) bool {
	name, ok := hostname(host)
	address, err := netip.ParseAddr(name)
	return ok && (name == "[::1]" || strings.EqualFold(name, "localhost") || err == nil && address.Is4() && address.IsLoopback())
}

// hostname returns a Host header without its port and final dot. ok is false if the port is wrong.
func hostname(host string) (name string, ok bool) {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		if _, err := strconv.ParseUint(host[i+1:], 10, 16); err != nil {
			return "", false
		}
		host = host[:i]
	}
	return strings.TrimSuffix(host, "."), true
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
