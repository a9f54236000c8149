package gateway

import (
	"fmt"
	"maps"
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
	id       string // identifies the process in the address of its Runtime API
	function *function
	lines    *process.Lines

	invocations chan *invocation // to the Runtime API; has room for one
	exited      chan struct{}    // closed when the process is gone

	// Under the function's lock.
	child       *process.Process // nil before it is started
	content     digest           // of its program
	initialised bool             // it has asked for an invocation
	ending      bool             // it has exited, or has to
	current     *invocation      // from assign until the process asks for the next one
	timeout     *time.Timer      // of the start, then of the current invocation
}

func newWorker(f *function) *worker {
	return &worker{
		id: uuid.NewString(), function: f, lines: &process.Lines{Emit: f.log},
		invocations: make(chan *invocation, 1), exited: make(chan struct{}),
	}
}

func (w *worker) command() *exec.Cmd {
	binary := w.function.cfg.Binary
	cmd := exec.Command(binary)
	if emulator := w.function.gateway.cfg.Emulator; emulator != "" {
		cmd = exec.Command(emulator, binary)
	}
	cmd.Dir = filepath.Dir(binary)
	cmd.Env = w.environment()
	cmd.Stdout, cmd.Stderr = w.lines, w.lines
	return cmd
}

// environment returns a process's environment: Lambda's variables and the function's own. A function cannot replace
// variables that Lambda reserves.
func (w *worker) environment() (all []string) {
	cfg, g := w.function.cfg, w.function.gateway
	variables := map[string]string{"LANG": "en_US.UTF-8", "PATH": "/usr/local/bin:/usr/bin:/bin", "TZ": ":UTC"}
	maps.Copy(variables, cfg.Environment)
	maps.Copy(variables, map[string]string{
		"_HANDLER":                        "bootstrap",
		"LAMBDA_TASK_ROOT":                filepath.Dir(cfg.Binary),
		"AWS_ACCESS_KEY_ID":               g.cfg.Credentials.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY":           g.cfg.Credentials.SecretAccessKey,
		"AWS_REGION":                      g.cfg.Credentials.Region,
		"AWS_DEFAULT_REGION":              g.cfg.Credentials.Region,
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

// run starts the process and returns after its end.
func (w *worker) run() {
	f := w.function
	defer f.gateway.running.Done()
	changed, err := w.start()
	deadline := time.Now().Add(f.gateway.cfg.replacementTime)
	for beingReplaced(err) && time.Now().Before(deadline) {
		time.Sleep(startPause)
		changed, err = w.start()
	}
	if changed {
		f.log("gateway: the program has changed: restarting it")
	}
	if err == nil {
		err = w.child.Wait()
	}
	w.lines.Flush()
	w.report(err)
	close(w.exited)
	f.gone(w)
}

// start starts the process. If end was called before, start returns errClosed. changed is program.start's.
func (w *worker) start() (changed bool, err error) {
	f := w.function
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.ending {
		return false, errClosed
	}
	if w.child, w.content, changed, err = f.program.start(w.command()); err != nil {
		return false, err
	}
	limit := f.gateway.cfg.initTimeout
	w.timeout = time.AfterFunc(limit, func() {
		w.kill(fmt.Sprintf("gateway: no request taken within %v of the start", limit), nil)
	})
	return changed, nil
}

// report logs why a process has ended, unless the gateway has ended it.
func (w *worker) report(err error) {
	w.function.mu.Lock()
	if w.timeout != nil {
		w.timeout.Stop()
	}
	expected, initialised := w.ending, w.initialised
	w.ending = true
	w.function.mu.Unlock()
	reason := "exit status 0"
	if err != nil {
		reason = err.Error()
	}
	switch {
	case expected:
	case initialised:
		w.function.log("gateway: the process ended: " + reason)
	default:
		w.function.log(fmt.Sprintf("gateway: the function failed at its start: %s; its last line: %q", reason, w.lines.Last()))
	}
}

// assign gives an idle process an invocation, and starts the function's timeout. The caller holds the lock.
func (w *worker) assign(inv *invocation) {
	limit := w.function.cfg.Timeout
	inv.deadline = time.Now().Add(limit)
	w.current = inv
	w.timeout = time.AfterFunc(limit, func() {
		w.kill(fmt.Sprintf("%s Task timed out after %.2f seconds", inv.id, limit.Seconds()), inv)
	})
	w.invocations <- inv
}

// kill ends the process at once and logs the reason, unless the process is ending already or inv is no longer its
// current invocation. A nil inv means no invocation.
func (w *worker) kill(reason string, inv *invocation) {
	w.function.mu.Lock()
	late := w.ending || w.current != inv
	w.ending = w.ending || !late
	w.function.mu.Unlock()
	if !late {
		w.function.log(reason)
		w.child.Signal(syscall.SIGKILL)
	}
}

// end sends the process a signal. From now on the process gets no more invocations. The caller holds the lock.
func (w *worker) end(signal syscall.Signal) {
	w.ending = true
	if w.child != nil {
		w.child.Signal(signal)
	}
}
