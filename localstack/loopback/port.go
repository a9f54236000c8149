package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// Address is the loopback address that every system has.
const Address = "127.0.0.1"

// AllAddresses is what a program listens at that cannot be told to keep to one.
const AllAddresses = "0.0.0.0"

// FreePort returns a port that nobody listens on at the address. It is below those that systems give to outgoing
// connections (32,768 and up on Linux, 49,152 elsewhere), so that none of these takes it before its owner listens.
func FreePort(address string) (port int, err error) {
	for range 100 {
		port = 15_000 + rand.IntN(15_000)
		if err = CheckPort(address, port); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("looking for a free port: %w", err)
}

// CheckPort returns an error that names the port when something listens on it, on this address or on all of this
// machine's.
func CheckPort(address string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is in use", port)
	}
	if err != nil {
		return fmt.Errorf("port %d cannot be used: %w", port, err)
	}
	return l.Close()
}
