package loopback

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// Address is the loopback address that every system has.
const Address = "127.0.0.1"

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
