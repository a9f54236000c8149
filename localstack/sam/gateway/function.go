package gateway

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// These errors end an invocation without a response.
var (
	errClosed   = errors.New("the gateway is not running")
	errInit     = errors.New("the function does not start")
	errFunction = errors.New("the function reported an error")
	errTooLarge = errors.New("the function's response is over Lambda's limit")
	errNoAnswer = errors.New("the function exited, or asked for its next request, without an answer")
)

// function runs the processes of one Lambda function. A process handles one invocation at a time. If no process is
// idle, an invocation starts one, up to the function's maximum. Further invocations wait in order of arrival.
type function struct {
	gateway          *Gateway
	cfg              FunctionConfig
	reserved, atWork atomic.Int64 // concurrency

	// mu also guards the workers' fields. Nothing is logged while it is locked, since Log may take long.
	mu        sync.Mutex
	closed    bool
	program   program
	workers   map[string]*worker // by id, until their processes have exited
	idle      []*worker
	waiting   []*invocation
	failed    digest    // of the last program that failed to start
	notBefore time.Time // no start before this time
}

// invocation is one event on its way to a process.
type invocation struct {
	id, trace string
	event     []byte
	deadline  time.Time
	delivered bool        // the process has received it
	answer    *result     // the function's
	done      chan result // has room for one
}

type result struct {
	output []byte
	err    error
}

func newFunction(g *Gateway, cfg FunctionConfig) *function {
	f := &function{gateway: g, cfg: cfg, program: program{path: cfg.Binary}, closed: true, workers: map[string]*worker{}}
	f.reserved.Store(Unreserved)
	return f
}

func (f *function) log(line string) { f.gateway.log(f.cfg.LogicalID, line) }

// setClosed closes or opens the function. A closed function refuses all invocations, also waiting ones. The processes
// go on.
func (f *function) setClosed(closed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = closed
	f.dispatch()
}

// signal sends a signal to all processes. From now on they get no more invocations.
func (f *function) signal(signal syscall.Signal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.workers {
		w.end(signal)
	}
}

// invoke returns the function's output for an event. If ctx ends first, invoke returns its error and drops a waiting
// invocation. A process that already has the invocation goes on until the function's own timeout.
func (f *function) invoke(ctx context.Context, event []byte, trace string) ([]byte, error) {
	inv := &invocation{id: uuid.NewString(), event: event, trace: trace, done: make(chan result, 1)}
	f.mu.Lock()
	f.waiting = append(f.waiting, inv)
	f.dispatch()
	f.mu.Unlock()
	select {
	case r := <-inv.done:
		return r.output, r.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = slices.DeleteFunc(f.waiting, func(other *invocation) bool { return other == inv })
	return nil, ctx.Err()
}

// dispatch assigns waiting invocations to idle processes, and starts processes for the others. If no process is alive
// or may start, it refuses them. The caller holds the lock.
func (f *function) dispatch() {
	if f.closed {
		f.refuse(errClosed)
	}
	if len(f.waiting) == 0 {
		return
	}
	f.renew()
	for len(f.waiting) > 0 && len(f.idle) > 0 {
		last := len(f.idle) - 1
		f.idle[last].assign(f.waiting[0])
		f.waiting, f.idle = f.waiting[1:], f.idle[:last]
	}
	alive, starting := 0, 0
	for _, w := range f.workers {
		if !w.ending {
			alive++
		}
		if !w.ending && !w.initialised {
			starting++
		}
	}
	for ; starting < len(f.waiting) && alive < f.gateway.cfg.MaxProcesses && !time.Now().Before(f.notBefore); alive++ {
		w := newWorker(f)
		f.workers[w.id] = w
		f.gateway.running.Add(1)
		go w.run()
		starting++
	}
	if alive == 0 {
		f.refuse(errInit)
	}
}

// refuse ends all waiting invocations with an error. The caller holds the lock.
func (f *function) refuse(reason error) {
	for _, inv := range f.waiting {
		inv.done <- result{err: reason}
	}
	f.waiting = nil
}

// renew ends the idle processes of an old program, and allows a start at once if only an old program failed to start.
// While the program file is missing, renew does nothing. The caller holds the lock.
func (f *function) renew() {
	present, err := f.program.present()
	if err != nil {
		return // it is being replaced
	}
	if present != f.failed {
		f.notBefore = time.Time{}
	}
	f.idle = slices.DeleteFunc(f.idle, func(w *worker) bool {
		if w.content == present {
			return false
		}
		w.ending = true
		go w.child.Stop(f.gateway.cfg.gracePeriod)
		return true
	})
}

// offer makes the process w idle when w asks for its next invocation, unless w is ending. offer also ends w's current
// invocation: the client gets its answer only now, so that the client's next request finds w idle.
func (f *function) offer(w *worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	inv := w.current
	if !w.initialised {
		w.initialised = true
		f.notBefore = time.Time{}
	}
	w.current = nil
	w.timeout.Stop()
	if !w.ending {
		f.idle = append(f.idle, w)
		f.dispatch()
	}
	if inv != nil {
		inv.settle()
	}
}

// gone forgets a process that has exited. An invocation that the process had received ends, and one that it was only
// assigned waits for another process. If the process never asked for an invocation, the next start waits.
func (f *function) gone(w *worker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.workers, w.id)
	f.idle = slices.DeleteFunc(f.idle, func(other *worker) bool { return other == w })
	if !w.initialised {
		f.failed, f.notBefore = w.content, time.Now().Add(restAfterFailure)
	}
	if inv := w.current; inv != nil && inv.delivered {
		inv.settle()
	} else if inv != nil {
		f.waiting = slices.Insert(f.waiting, 0, inv)
	}
	f.dispatch()
}

// settle gives the client the invocation's result. Without a result from the process, the client gets errNoAnswer.
func (inv *invocation) settle() {
	if inv.answer == nil {
		inv.answer = &result{err: errNoAnswer}
	}
	inv.done <- *inv.answer
}

// restAfterFailure is how long a function starts no process after a failed start. A changed program may start at once.
const restAfterFailure = 500 * time.Millisecond

// Process is a running process of a function.
type Process struct {
	Function string // its logical id
	worker   *worker
}

// Processes returns the processes of all functions that have started and are not ending, in no order.
func (g *Gateway) Processes() (running []Process) {
	for _, f := range g.functions {
		f.mu.Lock()
		for _, w := range f.workers {
			if w.initialised && !w.ending {
				running = append(running, Process{f.cfg.LogicalID, w})
			}
		}
		f.mu.Unlock()
	}
	return running
}

// Kill ends the process at once, with SIGKILL. In the cloud, a function's process ends like that if its machine fails.
func (p Process) Kill() { p.worker.child.Signal(syscall.SIGKILL) }
