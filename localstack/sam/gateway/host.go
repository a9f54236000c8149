package gateway

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// host is what all functions share: where their processes are registered, and where their log goes.
type host struct {
	cfg     Config
	running sync.WaitGroup // processes

	mu        sync.Mutex
	address   string                // of the Runtime API; "" before it is open
	processes map[string]*bootstrap // all that live, or are about to

	logging sync.Mutex
}

func newHost(cfg Config) *host {
	return &host{cfg: cfg, processes: map[string]*bootstrap{}}
}

// open lets functions find the Runtime API, once.
func (h *host) open(address string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.address != "" {
		return errors.New("the gateway has been started already")
	}
	h.address = address
	return nil
}

func (h *host) register(b *bootstrap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.processes[b.id] = b
	h.running.Add(1)
}

func (h *host) unregister(b *bootstrap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.processes, b.id)
	h.running.Done()
}

func (h *host) all() []*bootstrap {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.processes))
}

// Process is one that runs a function now.
type Process struct {
	Function string // its logical id
	b        *bootstrap
}

// Processes returns those that have begun to take requests and have not been told to end, in no order.
func (g *Gateway) Processes() (running []Process) {
	for _, b := range g.host.all() {
		if b.takesRequests() {
			running = append(running, Process{b.function.cfg.LogicalID, b})
		}
	}
	return running
}

// Kill ends the process at once, whatever it is doing: as Lambda loses one with the machine that it is on.
func (p Process) Kill() { p.b.lose() }

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
