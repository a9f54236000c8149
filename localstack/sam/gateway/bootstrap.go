package gateway

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// bootstrap is one process that runs the bootstrap of a function.
type bootstrap struct {
	id       string // names it in the address of its Runtime API
	function *function
	lines    *process.Lines

	invocations chan *invocation // to the Runtime API
	exited      chan struct{}    // closed when the process is no more

	mu          sync.Mutex
	child       *process.Process // nil before it is started
	content     digest           // of its program
	initialised bool             // it has asked for an invocation
	ending      bool             // it has exited, or been told to
	current     *invocation      // from assign until the process asks for the next one
	timeout     *time.Timer      // of the start, then of the current invocation
}

// invocation is one event on its way through a process.
type invocation struct {
	id, trace string
	event     []byte
	deadline  time.Time
	result    chan result // takes one

	// Of the process that has it, under its lock.
	delivered bool
	answer    *result // what the function has answered
}

type result struct {
	output []byte
	err    error
}

func newBootstrap(f *function) *bootstrap {
	b := &bootstrap{
		id:          uuid.NewString(),
		function:    f,
		invocations: make(chan *invocation, 1),
		exited:      make(chan struct{}),
	}
	b.lines = &process.Lines{Emit: b.log}
	return b
}

func (b *bootstrap) command() *exec.Cmd {
	binary := b.function.cfg.Binary
	cmd := exec.Command(binary)
	if emulator := b.function.host.cfg.Emulator; emulator != "" {
		cmd = exec.Command(emulator, binary)
	}
	cmd.Dir = filepath.Dir(binary)
	cmd.Env = b.environment()
	cmd.Stdout, cmd.Stderr = b.lines, b.lines
	return cmd
}

// environment gives what Lambda sets, and the function's own variables. Those that Lambda reserves cannot be replaced.
func (b *bootstrap) environment() []string {
	cfg, host := b.function.cfg, b.function.host
	variables := map[string]string{
		"LANG": "en_US.UTF-8",
		"PATH": "/usr/local/bin:/usr/bin:/bin",
		"TZ":   ":UTC",
	}
	maps.Copy(variables, cfg.Environment)
	maps.Copy(variables, map[string]string{
		"_HANDLER":                        "bootstrap",
		"LAMBDA_TASK_ROOT":                filepath.Dir(cfg.Binary),
		"AWS_ACCESS_KEY_ID":               host.cfg.Credentials.AccessKeyID,
		"AWS_SECRET_ACCESS_KEY":           host.cfg.Credentials.SecretAccessKey,
		"AWS_REGION":                      host.cfg.Region,
		"AWS_DEFAULT_REGION":              host.cfg.Region,
		"AWS_LAMBDA_RUNTIME_API":          host.runtimeAddress() + "/" + b.id,
		"AWS_LAMBDA_FUNCTION_NAME":        cfg.LogicalID,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(cfg.MemoryMB),
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
	})
	if token := host.cfg.Credentials.SessionToken; token != "" {
		variables["AWS_SESSION_TOKEN"] = token
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		all = append(all, name+"="+variables[name])
	}
	return all
}

// arn names the function as Lambda does.
func (f *function) arn() string {
	return "arn:aws:lambda:" + f.host.cfg.Region + ":" + accountID + ":function:" + f.cfg.LogicalID
}

// run starts the process and returns when it has exited and everybody knows.
func (b *bootstrap) run() {
	defer b.function.host.unregister(b)
	err := b.start()
	deadline := time.Now().Add(b.function.host.cfg.ReplacementTime)
	for beingReplaced(err) && time.Now().Before(deadline) {
		time.Sleep(startPause)
		err = b.start()
	}
	if err == nil {
		err = b.child.Wait()
	}
	b.lines.Flush()
	b.end(err)
}

// start starts the process, unless it has been told to end meanwhile.
func (b *bootstrap) start() (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ending {
		return errClosed
	}
	var changed bool
	if b.child, b.content, changed, err = b.function.program.start(b.command()); err != nil {
		return err
	}
	if changed {
		b.log("gateway: the program has changed: starting it anew")
	}
	limit := b.function.host.cfg.InitTimeout
	b.timeout = time.AfterFunc(limit, func() {
		b.kill(fmt.Sprintf("gateway: no request taken within %v of the start", limit), nil)
	})
	return nil
}

// end settles what the process leaves behind.
func (b *bootstrap) end(err error) {
	b.mu.Lock()
	if b.timeout != nil {
		b.timeout.Stop()
	}
	expected, initialised := b.ending, b.initialised
	b.ending = true
	inv := b.current
	b.current = nil
	b.mu.Unlock()
	close(b.exited)

	reason := "exit status 0"
	if err != nil {
		reason = err.Error()
	}
	switch {
	case expected:
	case initialised:
		b.log("gateway: the process ended: " + reason)
	default:
		b.log(fmt.Sprintf("gateway: the function failed at its start: %s; its last line: %q", reason, b.lines.Last()))
	}
	b.function.gone(b)
	if inv != nil {
		inv.settle()
	}
}

// assign gives the process an invocation; it must be idle. If the process ends before it could take it, the result is
// errUndelivered.
func (b *bootstrap) assign(inv *invocation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ending {
		inv.settle()
		return
	}
	limit := b.function.cfg.Timeout
	inv.deadline = time.Now().Add(limit)
	b.current = inv
	b.timeout = time.AfterFunc(limit, func() {
		b.kill(fmt.Sprintf("%s Task timed out after %.2f seconds", inv.id, limit.Seconds()), inv)
	})
	b.invocations <- inv
}

// next offers the process for another invocation, which ends the current one, if there is one: only then does its
// client get the answer, so that a client's requests one after the other find the process idle. It says no to a process
// that is on offer already.
func (b *bootstrap) next() bool {
	b.mu.Lock()
	inv := b.current
	if b.initialised && inv == nil {
		b.mu.Unlock()
		return false
	}
	b.initialised, b.current = true, nil
	b.timeout.Stop()
	b.mu.Unlock()
	b.function.ready(b)
	if inv != nil {
		inv.settle()
	}
	return true
}

// deliver marks an invocation as being with the process.
func (b *bootstrap) deliver(inv *invocation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	inv.delivered = true
}

// complete takes the answer to the current invocation; it says whether that is the invocation meant, and had none.
func (b *bootstrap) complete(invocationID string, r result) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	inv := b.current
	if inv == nil || inv.id != invocationID || inv.answer != nil {
		return false
	}
	inv.answer = &r
	return true
}

// settle gives the client its result. It is called once, when the process has done with the invocation.
func (inv *invocation) settle() {
	switch {
	case inv.answer != nil:
		inv.result <- *inv.answer
	case inv.delivered:
		inv.result <- result{err: errNoAnswer}
	default:
		inv.result <- result{err: errUndelivered}
	}
}

// kill ends the process at once, for that reason. If an invocation is given, only while that is the current one.
func (b *bootstrap) kill(reason string, inv *invocation) {
	b.mu.Lock()
	if b.ending || inv != nil && b.current != inv {
		b.mu.Unlock()
		return
	}
	b.ending = true // before it can ask for the next invocation
	b.mu.Unlock()
	b.log(reason)
	b.signal(syscall.SIGKILL)
}

// takesRequests reports whether the process has started, and has not been told to end.
func (b *bootstrap) takesRequests() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.initialised && !b.ending
}

// lose kills the process, which nobody has told the function.
func (b *bootstrap) lose() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.child != nil {
		b.child.Signal(syscall.SIGKILL)
	}
}

// retire ends the process, which must be idle.
func (b *bootstrap) retire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ending = true
	go b.child.Stop(b.function.host.cfg.GracePeriod)
}

// signal tells the process and its descendants to end. It gets no invocation after that.
func (b *bootstrap) signal(signal syscall.Signal) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ending = true
	if b.child != nil {
		b.child.Signal(signal)
	}
}

func (b *bootstrap) log(line string) { b.function.host.log(b.function.cfg.LogicalID, line) }
