package loopback

import (
	"net"
	"strconv"
	"testing"
)

// A port that somebody listens on, at one address or at all, is not free.
func TestFreePort(t *testing.T) {
	port, err := FreePort(Address)
	if err != nil || port >= 32_768 {
		t.Fatal(port, err)
	}
	if err := CheckPort(AllAddresses, port); err != nil {
		t.Error(err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(Address, strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, address := range []string{Address, AllAddresses} {
		if CheckPort(address, port) == nil {
			t.Errorf("port %d is free at %s while somebody listens", port, address)
		}
	}
}
