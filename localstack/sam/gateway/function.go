package gateway

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// These errors end an invocation without a response.
var (
	errClosed   = errors.New("the gateway is closed")
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
	waiting          atomic.Int64 // invocations without a process

	idle chan *worker  // has each process that waits for an invocation, and perhaps some that have ended
	room chan struct{} // has a token for each process that may start

	mu      sync.Mutex         // also guards fields of the workers
	workers map[string]*worker // by id, until their processes have ended
}

// invocation is one event on its way to a process.
type invocation struct {
	id, trace string
	event     []byte
	deadline  time.Time
	answer    result      // the function's
	done      chan result // has room for one
}

type result struct {
	output []byte
	err    error
}

// end gives the client the answer of the function, or errNoAnswer. It does nothing for nil.
func (inv *invocation) end() {
	if inv != nil {
		inv.done <- inv.answer
	}
}

func newFunction(g *Gateway, cfg FunctionConfig) *function {
	f := &function{
		gateway: g, cfg: cfg, idle: make(chan *worker, g.cfg.MaxProcesses), room: make(chan struct{}, g.cfg.MaxProcesses),
		workers: map[string]*worker{},
	}
	for range g.cfg.MaxProcesses {
		f.room <- struct{}{}
	}
	return f
}

func (f *function) log(line string) { f.gateway.cfg.Log(f.cfg.LogicalID, line) }

// invoke returns the function's output for an event. If ctx ends first, invoke returns its error. A process that
// already has the invocation goes on until the function's own timeout.
func (f *function) invoke(ctx context.Context, event []byte, trace string) ([]byte, error) {
	inv := &invocation{id: uuid.NewString(), trace: trace, event: event, done: make(chan result, 1)}
	inv.answer.err = errNoAnswer
	for given := false; !given; {
		w, err := f.next(ctx)
		if err != nil {
			return nil, err
		}
		select {
		case w.invocations <- inv:
			given = true
		case <-w.ended: // another process gets the invocation
		}
	}
	select {
	case r := <-inv.done:
		return r.output, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// next returns a process that waits for an invocation. If none is idle, next starts one, or waits until there is room
// for one. Another invocation may get the process that next has started.
func (f *function) next(ctx context.Context) (*worker, error) {
	f.waiting.Add(1)
	defer f.waiting.Add(-1)
	none := &worker{} // its channel is nil
	started, room := none, f.room
	for {
		var w *worker
		var err error
		select {
		case w = <-f.idle: // rather than a new process
		default:
			select {
			case w = <-f.idle:
			case <-room:
				room = nil
				if started, err = f.start(); err != nil {
					return nil, err
				}
			case <-started.ended:
				if started.failed {
					return nil, errInit
				}
				started, room = none, f.room
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-f.gateway.closing.Done():
				return nil, errClosed
			}
		}
		if w != nil && w.usable() {
			return w, nil
		}
	}
}

// Processes returns the processes of all functions that have started and are not ending, in no order.
func (g *Gateway) Processes() (running []*process.Process) {
	for _, f := range g.functions {
		f.mu.Lock()
		for _, w := range f.workers {
			if w.initialised && !w.ending {
				running = append(running, w.child)
			}
		}
		f.mu.Unlock()
	}
	return running
}

// end ends all processes in the background.
func (f *function) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.workers {
		w.end()
	}
}
