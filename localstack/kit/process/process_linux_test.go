package process

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// A parent that is killed has no chance to end its children.
func TestDiesWithItsParent(t *testing.T) {
	t.Parallel()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentVariable+"=1")
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	pid, notANumber := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || notANumber != nil || !processtest.Alive(pid) {
		t.Errorf("no child: %q, %v", line, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Error(err)
	}
	if exit := new(exec.ExitError); !errors.As(parent.Wait(), &exit) || exit.Exited() {
		t.Error("the parent has ended by itself")
	}
	eventually(t, "the child is gone", func() bool { return !processtest.Alive(pid) })
}

// Threads of this process come and go, also those that were there when a child started; it does not end with them.
func TestOutlivesThreads(t *testing.T) {
	t.Parallel()
	for range 20 {
		p := startFromAThreadThatEnds(t)
		endThreads()
		p.Signal(syscall.SIGTERM)
		if err := p.Wait(); err == nil || err.Error() != "signal: terminated" {
			t.Fatalf("ended by %v before it was told to", err)
		}
	}
}

func startFromAThreadThatEnds(t *testing.T) (p *Process) {
	var ended sync.WaitGroup
	ended.Go(func() {
		runtime.LockOSThread() // never undone: the thread ends with the goroutine
		var err error
		if p, err = Start(exec.Command("sleep", "600")); err != nil {
			t.Error(err)
		}
	})
	ended.Wait()
	if p == nil {
		t.FailNow()
	}
	return p
}

// endThreads takes hold of more threads than this process has to spare, and ends them.
func endThreads() {
	const n = 50
	var held, ended sync.WaitGroup
	held.Add(n)
	for range n {
		ended.Go(func() {
			runtime.LockOSThread() // never undone
			held.Done()
			held.Wait()
		})
	}
	ended.Wait()
}
