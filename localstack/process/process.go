package process

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a running child, in a process group of its own so that Ctrl-C in the terminal reaches only its parent, which then ends it in order.
type Process struct {
	PID    int
	output *tail
	Done   chan struct{} // closed once the child has ended and been waited for
}

// Start starts the program. On Linux it ends with this process, however that ends.
func Start(path string, args []string, logs io.Writer) (*Process, error) {
	p := &Process{output: &tail{next: logs}, Done: make(chan struct{})}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = p.output, p.output
	cmd.SysProcAttr = childAttributes()
	cmd.WaitDelay = time.Second
	started := make(chan error, 1)
	go func() {
		// The kernel sends the signal for a parent's death when the thread ends that started the child, so that thread must last as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended shows in its output
			close(p.Done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", filepath.Base(path), err)
	}
	p.PID = cmd.Process.Pid
	return p, nil
}

// Stop asks the child's group to end, and makes it after three seconds.
func (p *Process) Stop() {
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-p.Done:
			return
		default:
		}
		_ = syscall.Kill(-p.PID, signal) // fails only when it has just ended
		select {
		case <-p.Done:
			return
		case <-time.After(3 * time.Second):
		}
	}
	<-p.Done
}

func (p *Process) LastOutput() string {
	if out := p.output.last(); out != "" {
		return out
	}
	return "(it printed nothing)"
}

// tail remembers the end of what is written to it and passes everything on.
type tail struct {
	mu   sync.Mutex
	kept []byte
	next io.Writer // may be nil
}

const tailSize = 4 << 10

// Write never fails: the child must not end because its log cannot be written.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	if t.next != nil {
		_, _ = t.next.Write(b)
	}
	return len(b), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
