package engine

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// CheckPort returns an error that names the port when something listens on it, on this machine's loopback address or on all of its addresses.
func CheckPort(port int) error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is in use", port)
	}
	if err != nil {
		return fmt.Errorf("port %d cannot be used: %w", port, err)
	}
	return l.Close()
}

// A reservation keeps other processes that start engines away from a free TCP port until the engine listens on it, and after: it holds the UDP port
// of the same number, which the engine does not need. Without it two processes could choose one port, and one of them would take the other's
// engine for its own.
type reservation struct {
	port int
	held net.PacketConn
}

func reservePort() (*reservation, error) {
	var last error
	for range 100 {
		held, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		port := held.LocalAddr().(*net.UDPAddr).Port
		if last = CheckPort(port); last == nil {
			return &reservation{port, held}, nil
		}
		held.Close()
	}
	return nil, fmt.Errorf("looking for a free port: %w", last)
}

func (r *reservation) release() { r.held.Close() }
