package gateway

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// host is what all functions share: where their processes are started and registered, and where their log goes.
type host struct {
	cfg     Config
	running sync.WaitGroup // processes
	starts  chan start

	mu        sync.Mutex
	address   string // of the Runtime API; "" before it is open
	processes map[string]*bootstrap

	logging sync.Mutex
}

type start struct {
	command *exec.Cmd
	result  chan<- error
}

func newHost(cfg Config) *host {
	return &host{cfg: cfg, starts: make(chan start), processes: map[string]*bootstrap{}}
}

// open begins the starting of processes, once.
func (h *host) open(address string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.address != "" {
		return errors.New("the gateway has been started already")
	}
	h.address = address
	go h.startProcesses()
	return nil
}

// close ends the starting of processes, when none is left.
func (h *host) close() { close(h.starts) }

// startProcesses starts all processes from one OS thread, which lives as long as they do: Linux takes the end of the thread that started a
// process for its parent's death, and the Go runtime may end any thread that is not locked to a goroutine of ours.
func (h *host) startProcesses() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for s := range h.starts {
		s.result <- s.command.Start()
	}
}

func (h *host) start(command *exec.Cmd) error {
	result := make(chan error, 1)
	h.starts <- start{command, result}
	return <-result
}

func (h *host) register(b *bootstrap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.processes[b.id] = b
}

func (h *host) unregister(b *bootstrap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.processes, b.id)
}

func (h *host) process(id string) (b *bootstrap, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b, ok = h.processes[id]
	return b, ok
}

func (h *host) runtimeAddress() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.address
}

func (h *host) log(logicalID, line string) {
	h.logging.Lock()
	defer h.logging.Unlock()
	h.cfg.Log(logicalID, line)
}

// backoff is how long a function is not started again after failing at its start that many times in a row.
func backoff(failures int) time.Duration {
	const first, longest = 100 * time.Millisecond, 10 * time.Second
	if failures > 7 {
		return longest
	}
	return min(first<<(failures-1), longest)
}
