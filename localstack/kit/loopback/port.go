package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"syscall"
)

// Address is the loopback address that every system has.
const Address = "127.0.0.1"

// FreePort returns a port at which no program listens at the address. No outgoing connection takes the port before the
// caller listens, because systems use higher ports for these (from 32,768 on Linux).
func FreePort(address string) (port int, err error) {
	for range 100 {
		port = 15_000 + rand.IntN(15_000)
		if err = CheckPort(address, port); err == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("looking for a free port: %w", err)
}

// CheckPort returns an error that names the port if a program listens on the port, at the given IPv4 address or at all
// addresses. CheckPort binds the port with a listener's option, and releases it. It never listens. If it did, a child
// process that is just starting could inherit the listening socket, and block the port.
func CheckPort(address string, port int) error {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return err
	}
	socket := -1
	syscall.ForkLock.RLock() // so that no child that starts meanwhile inherits the socket
	if socket, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0); err == nil {
		syscall.CloseOnExec(socket)
	}
	syscall.ForkLock.RUnlock()
	if err == nil {
		defer syscall.Close(socket)
		err = syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	}
	if err == nil {
		err = syscall.Bind(socket, &syscall.SockaddrInet4{Port: port, Addr: ip.As4()})
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is in use", port)
	}
	if err != nil {
		return fmt.Errorf("port %d cannot be used: %w", port, err)
	}
	return nil
}
