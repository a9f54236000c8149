package loopback

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// FuzzIsLoopback checks each host that IsLoopback accepts: package net/url must also read it as a name or an address of
// this machine.
func FuzzIsLoopback(f *testing.F) {
	for _, s := range []string{
		"", "localhost", "LOCALHOST:80", "localhost.", "127.0.0.1", "127.255.255.254:65535", "[::1]", "[::1]:3000", "::1", "127.0.0.1:", "127.0.0.1:99999", "localhost:80:80", "localhost.example.com",
		"127.0.0.1.example.com", "0.0.0.0", "0x7f.1", "127.1", "2130706433", "[::ffff:127.0.0.1]", "localhost@example.com", "example.com#localhost", "127.0.0.1%00", "[::1%25lo]", "localhost\x00", "localhost:+1", "127.0.0.1..",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, host string) {
		if !IsLoopback(host) {
			return
		}
		u, err := url.Parse("http://" + host + "/")
		if err != nil || u.Host != host || u.User != nil || u.Path != "/" {
			t.Fatalf("%q passes, and net/url says %v, %v", host, u, err)
		}
		name := strings.TrimSuffix(u.Hostname(), ".")
		if address, err := netip.ParseAddr(name); !strings.EqualFold(name, "localhost") && (err != nil || !address.IsLoopback()) {
			t.Errorf("%q passes, and is %q", host, name)
		}
	})
}
