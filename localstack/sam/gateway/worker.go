package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// worker is one process that runs a function's bootstrap.
type worker struct {
	id          string // identifies the process in the address of its Runtime API
	function    *function
	lines       *process.Lines
	child       *process.Process
	program     os.FileInfo      // that the process runs
	invocations chan *invocation // to the Runtime API
	ended       chan struct{}    // closed when the process has ended
	failed      bool             // it has never asked for an invocation; valid when ended is closed

	// Under the function's lock.
	initialised bool        // it has asked for an invocation
	ending      bool        // it has ended, or has to
	serves      *invocation // from its delivery until the process asks for the next one
	timeout     *time.Timer // of the start, then of the invocation
}

// start starts a process. The caller has taken a token from room.
func (f *function) start() (*worker, error) {
	w := &worker{
		id: uuid.NewString(), function: f, lines: &process.Lines{Emit: f.log},
		invocations: make(chan *invocation), ended: make(chan struct{}),
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gateway.closing.Err() != nil {
		return nil, errClosed
	}
	var err error
	if w.program, err = os.Stat(f.cfg.Binary); err == nil {
		w.child, err = process.Start(w.command())
	}
	if err != nil {
		f.room <- struct{}{}
		f.log("gateway: the function does not start: " + err.Error())
		return nil, err
	}
	f.workers[w.id] = w
	limit := f.gateway.cfg.initTimeout
	w.timeout = time.AfterFunc(limit, func() {
		w.kill(fmt.Sprintf("gateway: no request taken within %v of the start", limit), nil)
	})
	f.gateway.running.Go(w.wait)
	return w, nil
}

func (w *worker) command() *exec.Cmd {
	cmd := exec.Command(w.function.cfg.Binary)
	cmd.Dir = filepath.Dir(cmd.Path)
	cmd.Env = w.environment()
	cmd.Stdout, cmd.Stderr = w.lines, w.lines
	return cmd
}

// environment returns a process's environment: Lambda's variables, but for the region and credentials, and the
// function's own. A function cannot replace variables that Lambda reserves.
func (w *worker) environment() (all []string) {
	cfg, g := w.function.cfg, w.function.gateway
	variables := map[string]string{"LANG": "en_US.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin", "TZ": ":UTC"}
	maps.Copy(variables, cfg.Variables)
	maps.Copy(variables, map[string]string{
		"_HANDLER":                        "bootstrap",
		"LAMBDA_TASK_ROOT":                filepath.Dir(cfg.Binary),
		"AWS_LAMBDA_RUNTIME_API":          g.address + "/" + cfg.LogicalID + "/" + w.id,
		"AWS_LAMBDA_FUNCTION_NAME":        cfg.LogicalID,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(cfg.MemoryMB),
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
	})
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		all = append(all, name+"="+variables[name])
	}
	return all
}

// usable reports whether the process can serve an invocation. It ends an idle process whose program has been replaced.
func (w *worker) usable() bool {
	f := w.function
	f.mu.Lock()
	defer f.mu.Unlock()
	if now, err := os.Stat(f.cfg.Binary); !w.ending && err == nil && !os.SameFile(now, w.program) {
		w.end()
	}
	return !w.ending
}

// end ends the process in the background: from now on it gets no more invocations. The caller holds the lock.
func (w *worker) end() {
	w.ending = true
	go w.child.Stop(w.function.gateway.cfg.gracePeriod)
}

// serve makes inv the process's invocation, and starts the function's timeout.
func (w *worker) serve(inv *invocation) {
	f := w.function
	limit := f.cfg.Timeout
	inv.deadline = time.Now().Add(limit)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.workers[w.id] == nil { // it has just ended
		inv.end()
		return
	}
	w.serves = inv
	w.timeout = time.AfterFunc(limit, func() {
		w.kill(fmt.Sprintf("%s Task timed out after %.2f seconds", inv.id, limit.Seconds()), inv)
	})
}

// finish ends the start or the invocation of the process, and its timeout. It returns the invocation, or nil.
func (w *worker) finish() *invocation {
	w.function.mu.Lock()
	defer w.function.mu.Unlock()
	w.timeout.Stop()
	served := w.serves
	w.serves, w.initialised = nil, true
	return served
}

// wait waits for the end of the process. It logs the reason, unless the gateway has ended the process.
func (w *worker) wait() {
	f := w.function
	err := cmp.Or(w.child.Wait(), errors.New("exit status 0"))
	w.lines.Flush()
	f.mu.Lock()
	expected := w.ending
	w.ending, w.failed = true, !w.initialised
	delete(f.workers, w.id)
	f.mu.Unlock()
	switch {
	case expected:
	case !w.failed:
		f.log("gateway: the process ended: " + err.Error())
	default:
		f.log(fmt.Sprintf("gateway: the function failed at its start: %v; its last line: %q", err, w.lines.Last()))
	}
	f.room <- struct{}{}
	close(w.ended)
	w.finish().end()
}

// kill ends the process at once and logs the reason, unless the process is ending already or inv is no longer its
// current invocation. A nil inv means no invocation.
func (w *worker) kill(reason string, inv *invocation) {
	w.function.mu.Lock()
	late := w.ending || w.serves != inv
	w.ending = w.ending || !late
	w.function.mu.Unlock()
	if !late {
		w.function.log(reason)
		w.child.Signal(syscall.SIGKILL)
	}
}
