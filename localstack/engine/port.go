package engine

import (
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strconv"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// hiddenAddress returns a loopback address, another one each time. The embedded engine answers web pages, which can try
// all ports of 127.0.0.1 within minutes, but not those of sixteen million addresses. Only Linux has all of 127.0.0.0/8
// without being told to.
func hiddenAddress() string {
	if runtime.GOOS != "linux" {
		return loopback.Address
	}
	part := func() int { return 1 + rand.IntN(254) }
	return fmt.Sprintf("127.%d.%d.%d", part(), part(), part())
}

// A reservation keeps other processes that start engines away from a free TCP port until the engine listens on it, and
// after: it holds the UDP port of the same number, which the engine does not need. Without it two processes could
// choose one port, and one of them would take the other's engine for its own.
type reservation struct {
	port int
	held net.PacketConn
}

func reservePort(address string) (*reservation, error) {
	var last error
	for range 100 {
		port, err := loopback.FreePort(address)
		if err != nil {
			return nil, err
		}
		held, err := net.ListenPacket("udp", net.JoinHostPort(address, strconv.Itoa(port)))
		if err == nil {
			return &reservation{port, held}, nil
		}
		last = err // somebody else holds it
	}
	return nil, fmt.Errorf("reserving a port: %w", last)
}

func (r *reservation) release() { r.held.Close() }
