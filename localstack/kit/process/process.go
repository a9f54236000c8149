// Package process starts child processes and ends them, together with their descendants, and locks files between
// processes.
//
// A child leads a process group of its own, so that Ctrl-C in the terminal reaches only its parent, which then ends it
// in order. On Linux it is killed when its parent dies, however that happens. Elsewhere it then lives on: only Stop
// ends it.
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
	err  error // how it ended, once done is closed
}

// Start starts a command that the caller has prepared with exec.Command, and waits for it in the background: the caller
// must not. After Done is closed, the command's ProcessState is set. Start itself sets SysProcAttr and WaitDelay.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{done: make(chan struct{})}
	cmd.SysProcAttr = attributes()
	cmd.WaitDelay = time.Second // for descendants that hold the output open
	started := make(chan error, 1)
	go func() {
		// Linux treats the end of the thread that started a child as its parent's death. Go ends threads as it likes,
		// except for a locked one. Waiting occupies a thread anyway.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		p.pid = cmd.Process.Pid
		started <- nil
		p.err = cmd.Wait()
		_ = syscall.Kill(-p.pid, syscall.SIGKILL) // left descendants; it fails if there are none
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// PID returns the number of the child and of its process group.
func (p *Process) PID() int { return p.pid }

// Done is closed when the child has ended, all of its output has been written, and the rest of its group has been
// killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until Done is closed, and returns the child's error, as exec.Cmd's Wait does. It may be called any number
// of times.
func (p *Process) Wait() error {
	<-p.done
	return p.err
}

// Signal sends the signal to the child and its group. After Done is closed, it does nothing.
func (p *Process) Signal(signal syscall.Signal) {
	select {
	case <-p.done:
	default:
		_ = syscall.Kill(-p.pid, signal) // fails only when the child has just ended
	}
}

// Stop asks the child and its group to end (SIGTERM), kills them after the grace period, and returns when Done is
// closed. It may be called any number of times, also concurrently.
func (p *Process) Stop(grace time.Duration) {
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(grace):
		p.Signal(syscall.SIGKILL)
		<-p.done
	}
}
