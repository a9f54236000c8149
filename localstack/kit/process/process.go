// Package process starts child processes, and ends them with their descendants. It also locks files between processes.
//
// Each child process has a process group of its own. Ctrl-C in the terminal therefore reaches only the parent, which
// can then end the child in order. On Linux, the system kills the child if its parent dies for any reason. On other
// systems, the child then keeps running.
package process

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Process is a started child.
type Process struct {
	pid  int
	done chan struct{}
	err  error // of the child; valid when done is closed
}

// Start starts a command that the caller has prepared with exec.Command. It waits for the command in the background, so
// the caller must not call cmd.Wait. Start sets SysProcAttr and WaitDelay. cmd.ProcessState is set when Done is closed.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{done: make(chan struct{})}
	cmd.SysProcAttr = attributes()
	cmd.WaitDelay = time.Second // for descendants that hold the output open
	started := make(chan error, 1)
	go func() {
		// When the thread that started a child ends, Linux treats this as the death of the child's parent. Go may end
		// any thread that is not locked. Locking costs nothing, because waiting occupies a thread anyway.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		p.pid = cmd.Process.Pid
		started <- nil
		p.err = cmd.Wait()
		_ = syscall.Kill(-p.pid, syscall.SIGKILL) // the remaining descendants; fails if none remain
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// PID returns the process id of the child, which is also the id of its process group.
func (p *Process) PID() int { return p.pid }

// Done returns a channel that is closed when the child has ended, its output is written, and its group is killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until Done is closed, and returns the child's error as exec.Cmd's Wait does, any number of times.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Signal sends the signal to the child and its process group. After Done is closed, it does nothing.
func (p *Process) Signal(signal syscall.Signal) {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(-p.pid, signal) // fails only when the child has just ended
	}
}

// Stop asks the child and its process group to end (SIGTERM). If the grace period passes, Stop kills them. It returns
// when Done is closed. Callers can call it any number of times, also concurrently.
func (p *Process) Stop(grace time.Duration) {
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(grace):
		p.Signal(syscall.SIGKILL)
		<-p.done
	}
}
