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

// reservePort returns a free TCP port and keeps other processes that start engines away from it until the caller calls
// release. It holds the UDP port of the same number, which the engine does not need. Otherwise two processes could
// choose one port, and one of them would take the other's engine for its own.
func reservePort(address string) (port int, release func(), err error) {
	for range 100 {
		if port, err = loopback.FreePort(address); err != nil {
			return 0, nil, err
		}
		held, taken := net.ListenPacket("udp", net.JoinHostPort(address, strconv.Itoa(port)))
		if taken == nil {
			return port, func() { held.Close() }, nil
		}
		err = fmt.Errorf("reserving a port: %w", taken) // another process holds it
	}
	return 0, nil, err
}
