package loopback

import (
	"errors"
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

// TestCheckPort_neverListens checks that CheckPort never listens, because a concurrent check would take it for the
// program that owns the port.
func TestCheckPort_neverListens(t *testing.T) {
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
			t.Fatal("it listens while it is checked")
		}
	}
}
