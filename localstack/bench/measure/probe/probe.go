// Package probe lets measure look into a function while it runs: how much it has allocated, and what it spends its time
// on. No function imports it. Measure adds it to programs of its own when it compiles them, by an overlay, so that what
// is deployed has nothing of it and what is looked at is compiled from the same files.
package probe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/pprof"
)

// Socket is the environment variable with the path of the socket that the probe listens at.
const Socket = "RANCH_PROBE"

// The paths that it answers.
const (
	HeapPath  = "/heap"  // a Heap as JSON
	StartPath = "/start" // begins a profile of the processor
	StopPath  = "/stop"  // ends it and returns it, as pprof writes it
	SpacePath = "/space" // all allocations since the program's start, as pprof writes them
)

// Heap is what the program has allocated since its start.
type Heap struct{ Objects, Bytes uint64 }

// samplesPerSecond is five times pprof's own rate, since a function's calls take a second or two in all.
const samplesPerSecond = 500

// init listens before main runs. Between its answers it does nothing.
func init() {
	path := os.Getenv(Socket)
	if path == "" {
		return
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
	go http.Serve(listener, handler()) // until the program ends
}

func handler() http.Handler {
	var profile bytes.Buffer
	mux := http.NewServeMux()
	mux.HandleFunc(HeapPath, func(w http.ResponseWriter, _ *http.Request) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		_ = json.NewEncoder(w).Encode(Heap{m.Mallocs, m.TotalAlloc})
	})
	mux.HandleFunc(StartPath, func(w http.ResponseWriter, _ *http.Request) {
		profile.Reset()
		// StartCPUProfile keeps this rate, and says in the log that it cannot set its own.
		runtime.SetCPUProfileRate(samplesPerSecond)
		if err := pprof.StartCPUProfile(&profile); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
	mux.HandleFunc(StopPath, func(w http.ResponseWriter, _ *http.Request) {
		pprof.StopCPUProfile()
		_, _ = w.Write(profile.Bytes())
	})
	mux.HandleFunc(SpacePath, func(w http.ResponseWriter, _ *http.Request) {
		_ = pprof.Lookup("allocs").WriteTo(w, 0)
	})
	return mux
}
