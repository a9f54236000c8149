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
)

// process is one running bootstrap of a function. It has a process group of its own.
type process struct {
	id       string // names it in the address of its Runtime API
	function *function
	command  *exec.Cmd
	lines    *lineWriter

	invocations chan *invocation // to the Runtime API
	exited      chan struct{}    // closed when the process is no more

	mu          sync.Mutex
	initialised bool        // it has asked for an invocation
	ending      bool        // it has exited, or been told to
	current     *invocation // from assign until the process asks for the next one
	timeout     *time.Timer // of the start, then of the current invocation
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

func newProcess(f *function) *process {
	p := &process{
		id:          uuid.NewString(),
		function:    f,
		invocations: make(chan *invocation, 1),
		exited:      make(chan struct{}),
	}
	p.lines = &lineWriter{emit: p.log}
	p.command = exec.Command(f.cfg.Binary)
	p.command.Dir = filepath.Dir(f.cfg.Binary)
	p.command.Env = p.environment()
	p.command.Stdout, p.command.Stderr = p.lines, p.lines
	p.command.WaitDelay = time.Second // for descendants that hold the output open
	p.command.SysProcAttr = processAttributes()
	return p
}

// environment gives what Lambda sets, and the function's own variables. Those that Lambda reserves cannot be replaced.
func (p *process) environment() []string {
	cfg, host := p.function.cfg, p.function.host
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
		"AWS_LAMBDA_RUNTIME_API":          host.runtimeAddress() + "/" + p.id,
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
func (p *process) run() {
	host := p.function.host
	defer host.running.Done()
	host.register(p)
	defer host.unregister(p)

	p.mu.Lock()
	err := errClosed
	if !p.ending {
		err = host.start(p.command)
	}
	if err == nil {
		p.timeout = time.AfterFunc(host.cfg.InitTimeout, func() {
			p.kill(fmt.Sprintf("gateway: no request taken within %v of the start", host.cfg.InitTimeout), nil)
		})
	}
	p.mu.Unlock()
	if err == nil {
		err = p.command.Wait()
		syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) // descendants it has left behind
	}
	p.lines.flush()
	p.end(err)
}

// end settles what the process leaves behind.
func (p *process) end(err error) {
	p.mu.Lock()
	if p.timeout != nil {
		p.timeout.Stop()
	}
	expected, initialised := p.ending, p.initialised
	p.ending = true
	inv := p.current
	p.current = nil
	p.mu.Unlock()
	close(p.exited)

	reason := "exit status 0"
	if err != nil {
		reason = err.Error()
	}
	switch {
	case expected:
	case initialised:
		p.log("gateway: the process ended: " + reason)
	default:
		p.log(fmt.Sprintf("gateway: the function failed at its start: %s; its last line: %q", reason, p.lines.last))
	}
	p.function.gone(p)
	if inv != nil {
		inv.settle()
	}
}

// assign gives the process an invocation; it must be idle. If the process ends before it could take it, the result is errUndelivered.
func (p *process) assign(inv *invocation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ending {
		inv.settle()
		return
	}
	limit := p.function.cfg.Timeout
	inv.deadline = time.Now().Add(limit)
	p.current = inv
	p.timeout = time.AfterFunc(limit, func() {
		p.kill(fmt.Sprintf("%s Task timed out after %.2f seconds", inv.id, limit.Seconds()), inv)
	})
	p.invocations <- inv
}

// next offers the process for another invocation, which ends the current one, if there is one: only then does its client get the answer, so that
// a client's requests one after the other find the process idle. It says no to a process that is on offer already.
func (p *process) next() bool {
	p.mu.Lock()
	inv := p.current
	if p.initialised && inv == nil {
		p.mu.Unlock()
		return false
	}
	p.initialised, p.current = true, nil
	p.timeout.Stop()
	p.mu.Unlock()
	p.function.ready(p)
	if inv != nil {
		inv.settle()
	}
	return true
}

// deliver marks an invocation as being with the process.
func (p *process) deliver(inv *invocation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	inv.delivered = true
}

// complete takes the answer to the current invocation; it says whether that is the invocation meant, and had none.
func (p *process) complete(invocationID string, r result) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	inv := p.current
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
func (p *process) kill(reason string, inv *invocation) {
	p.mu.Lock()
	if p.ending || inv != nil && p.current != inv {
		p.mu.Unlock()
		return
	}
	p.ending = true // before it can ask for the next invocation
	p.mu.Unlock()
	p.log(reason)
	p.signal(syscall.SIGKILL)
}

// signal tells the process and its descendants to end. It gets no invocation after that.
func (p *process) signal(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ending = true
	select {
	case <-p.exited:
	default:
		if p.command.Process != nil {
			syscall.Kill(-p.command.Process.Pid, signal)
		}
	}
}

func (p *process) log(line string) { p.function.host.log(p.function.cfg.LogicalID, line) }
