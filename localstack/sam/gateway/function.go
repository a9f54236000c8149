package gateway

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

// What ends an invocation without a response.
var (
	errClosed      = errors.New("the gateway is not running")
	errInit        = errors.New("the function does not start")
	errFunction    = errors.New("the function reported an error")
	errTooLarge    = errors.New("the function's response is over Lambda's limit")
	errNoAnswer    = errors.New("the function ended its work without an answer")
	errUndelivered = errors.New("the process ended before it got the invocation")
)

// function runs the processes of one function and gives each at most one invocation at a time. A request without an
// idle process starts one, as long as the function may have more; otherwise requests wait, first come, first served.
type function struct {
	host    *host
	cfg     FunctionConfig
	program program

	reserved reservation

	mu        sync.Mutex
	closed    bool
	processes map[*bootstrap]struct{} // all that live and are not retired
	starting  map[*bootstrap]struct{} // those of them that have not yet asked for an invocation
	idle      []*bootstrap
	waiting   []chan offer
	failures  int    // starts in a row that failed
	failed    digest // of the program that failed
	notBefore time.Time
}

// offer is what a waiting request gets: a process, or the reason why there will be none.
type offer struct {
	process *bootstrap
	err     error
}

func newFunction(h *host, cfg FunctionConfig) *function {
	return &function{
		host: h, cfg: cfg, program: program{path: cfg.Binary}, closed: true,
		processes: map[*bootstrap]struct{}{}, starting: map[*bootstrap]struct{}{},
	}
}

func (f *function) open() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = false
}

// close turns away all who wait and all who come. The processes go on.
func (f *function) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.dispatch()
}

// invoke gives the function's output for an event. When the context ends first, the function works on, until its own
// timeout, for nobody.
func (f *function) invoke(ctx context.Context, event []byte, trace string) ([]byte, error) {
	for {
		b, err := f.acquire(ctx)
		if err != nil {
			return nil, err
		}
		inv := &invocation{id: uuid.NewString(), event: event, trace: trace, result: make(chan result, 1)}
		b.assign(inv)
		select {
		case r := <-inv.result:
			if !errors.Is(r.err, errUndelivered) {
				return r.output, r.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// acquire waits for a process that is the caller's until its next invocation is done.
func (f *function) acquire(ctx context.Context) (*bootstrap, error) {
	w := make(chan offer, 1)
	f.mu.Lock()
	f.waiting = append(f.waiting, w)
	f.dispatch()
	f.mu.Unlock()
	select {
	case o := <-w:
		return o.process, o.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.waiting, w); i >= 0 {
		f.waiting = slices.Delete(f.waiting, i, i+1)
	} else if o := <-w; o.process != nil { // it came at the same moment
		f.idle = append(f.idle, o.process)
		f.dispatch()
	}
	return nil, ctx.Err()
}

// dispatch brings those who wait and the processes together. The caller holds the lock.
func (f *function) dispatch() {
	if !f.closed && len(f.waiting) > 0 {
		f.renew()
	}
	for !f.closed && len(f.waiting) > 0 && len(f.idle) > 0 {
		last := len(f.idle) - 1
		f.waiting[0] <- offer{process: f.idle[last]}
		f.waiting, f.idle = f.waiting[1:], f.idle[:last]
	}
	for !f.closed && len(f.starting) < len(f.waiting) && len(f.processes) < f.host.cfg.MaxProcesses && !time.Now().Before(f.notBefore) {
		b := newBootstrap(f)
		f.processes[b], f.starting[b] = struct{}{}, struct{}{}
		f.host.register(b)
		go b.run()
	}
	if !f.closed && len(f.processes) > 0 {
		return
	}
	reason := errInit
	if f.closed {
		reason = errClosed
	}
	for _, w := range f.waiting {
		w <- offer{err: reason}
	}
	f.waiting = nil
}

// renew retires the idle processes whose program is not the present one, and forgets the failures of another one. While
// there is no program, the processes go on. The caller holds the lock.
func (f *function) renew() {
	present, err := f.program.present()
	if err != nil {
		return // it is being replaced
	}
	if present != f.failed {
		f.failures, f.notBefore = 0, time.Time{}
	}
	f.idle = slices.DeleteFunc(f.idle, func(b *bootstrap) bool {
		if b.content == present {
			return false
		}
		delete(f.processes, b)
		b.retire()
		return true
	})
}

// ready takes a process that asks for an invocation. The first time, that ends its start.
func (f *function) ready(b *bootstrap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, lives := f.processes[b]; !lives {
		return
	}
	if _, starting := f.starting[b]; starting {
		delete(f.starting, b)
		f.failures, f.notBefore = 0, time.Time{}
	}
	f.idle = append(f.idle, b)
	f.dispatch()
}

// gone takes note of a process that has exited. Another takes its place as soon as one is needed; after a failed start,
// not at once.
func (f *function) gone(b *bootstrap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, starting := f.starting[b]; starting {
		delete(f.starting, b)
		f.failures++
		f.failed = b.content
		f.notBefore = time.Now().Add(backoff(f.failures))
	}
	delete(f.processes, b)
	f.idle = slices.DeleteFunc(f.idle, func(other *bootstrap) bool { return other == b })
	f.dispatch()
}
