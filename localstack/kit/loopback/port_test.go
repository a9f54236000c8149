package loopback

import (
	"errors"
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

// Whoever looks for a free port does not listen meanwhile: another one who looks at the same time would take that for
// the port's owner.
func TestCheckPortListensNever(t *testing.T) {
	port, err := FreePort(Address)
	if err != nil {
		t.Fatal(err)
	}
	checked := make(chan error, 1)
	go func() {
		var err error
		for range 5000 {
			err = errors.Join(err, CheckPort(Address, port))
		}
		checked <- err
	}()
	for {
		select {
		case err := <-checked:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
		if connection, err := net.Dial("tcp", net.JoinHostPort(Address, strconv.Itoa(port))); err == nil {
			connection.Close()
			t.Fatal("somebody listens while it is checked")
		}
	}
}
