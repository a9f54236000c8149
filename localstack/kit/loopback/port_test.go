package loopback

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFreePort checks that a port is not free if a program listens on it, at one address or at all addresses.
func TestFreePort(t *testing.T) {
	port, err := FreePort(Address)
	require.True(t, err == nil && port < 32_768 && CheckPort(AllAddresses, port) == nil, "%v, %v", port, err)
	l, err := net.Listen("tcp", net.JoinHostPort(Address, strconv.Itoa(port)))
	require.NoError(t, err)
	defer l.Close()
	assert.True(t, CheckPort(Address, port) != nil && CheckPort(AllAddresses, port) != nil, "port %d is free while it is listened on", port)
}
