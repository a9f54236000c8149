package gateway

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// alive says whether there is such a process, other than one that only waits for its parent to take note of its end.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// A process that a function has left behind ends with it.
func TestDescendantsEndWithTheFunction(t *testing.T) {
	s := serveOne(t)
	a := s.do("descend", "")
	descendant, err := strconv.Atoi(a.body)
	if err != nil || !alive(descendant) {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	s.do("exit", "").want(t, 500, internalError)
	eventually(t, "the descendant is gone", func() bool { return !alive(descendant) })
}

// Threads of this process come and go, also those that were there when a function's process started; it does not end with them.
func TestProcessesOutliveThreads(t *testing.T) {
	h := newHost(Config{})
	if err := h.open("nowhere"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	for range 20 {
		command := exec.Command("sleep", "1000")
		command.SysProcAttr = processAttributes()
		if err := h.start(command); err != nil {
			t.Fatal(err)
		}
		endThreads()
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		command.Wait()
		if signal := command.ProcessState.Sys().(syscall.WaitStatus).Signal(); signal != syscall.SIGTERM {
			t.Fatalf("ended by %v before it was told to", signal)
		}
	}
}

// endThreads takes hold of more threads than this process has to spare, and ends them.
func endThreads() {
	const n = 50
	var held, ended sync.WaitGroup
	held.Add(n)
	for range n {
		ended.Go(func() {
			runtime.LockOSThread() // never undone: the thread ends with the goroutine
			held.Done()
			held.Wait()
		})
	}
	ended.Wait()
}

// A function at work would not notice by itself.
func TestFunctionsDieWithTheGateway(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"="+binary)
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	pid := answer{status: 200, body: line, err: err}.instance(t).PID
	if !alive(pid) {
		t.Errorf("no function: %s", line)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Error(err)
	}
	if exit := new(exec.ExitError); !errors.As(parent.Wait(), &exit) || exit.Exited() {
		t.Error("the gateway's process has ended by itself")
	}
	eventually(t, "the function is gone", func() bool { return !alive(pid) })
}
