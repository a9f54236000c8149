// Package probe reports the memory that a running function has allocated. No function imports it. With an overlay, the
// command measure compiles it into copies of the programs. Deployed programs do not have it.
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

// Socket returns the path of a program's Unix socket. The probe there answers every HTTP request with a Heap in JSON.
func Socket(program string) string { return program + ".sock" }

// init starts the probe before main runs. Between its answers, the probe does nothing.
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
