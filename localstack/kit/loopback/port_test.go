package loopback

import (
	"net"
	"strconv"
	"testing"
)

// TestFreePort checks that a port does not count as free if a program listens on it, at one address or at all
// addresses.
func TestFreePort(t *testing.T) {
	port, err := FreePort(Address)
	if err != nil || port >= 32_768 || CheckPort(AllAddresses, port) != nil {
		t.Fatal(port, err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(Address, strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if CheckPort(Address, port) == nil || CheckPort(AllAddresses, port) == nil {
		t.Errorf("port %d is free while it is listened on", port)
	}
}
