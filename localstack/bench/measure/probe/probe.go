// Package probe reports how much a function has allocated while it runs. No function imports it: measure compiles it
// into programs of its own with an overlay, so that deployed programs do not have it.
package probe

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
)

// Heap is the allocations of a process since its start.
type Heap struct {
	PID            int
	Objects, Bytes uint64
}

// Socket returns the path of the socket at which a program answers every request with its Heap as JSON.
func Socket(program string) string { return program + ".sock" }

// init listens before main runs. Between its answers it does nothing.
func init() {
	socket := Socket(os.Args[0])
	_ = os.Remove(socket) // of a killed program
	listener, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // until the program ends
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		_ = json.NewEncoder(w).Encode(Heap{os.Getpid(), m.Mallocs, m.TotalAlloc})
	}))
}
