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

// A killed parent cannot end its children.
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
	line, _ := bufio.NewReader(stdout).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || !processtest.Alive(pid) {
		t.Errorf("no child: %q, %v", line, err)
	}
	if err := errors.Join(parent.Process.Kill(), parent.Wait()); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the parent has ended with %v", err)
	}
	processtest.Eventually(t, "the child is gone", func() bool { return !processtest.Alive(pid) })
}

// TestOutlivesThreads checks that a child process does not end with the thread that started it. Go may end such threads
// at any time.
func TestOutlivesThreads(t *testing.T) {
	t.Parallel()
	for range 20 {
		var p *Process
		endThreads(1, func() {
			var err error
			if p, err = Start(exec.Command("sleep", "600")); err != nil {
				t.Error(err)
			}
		})
		endThreads(50, func() {})
		if p == nil {
			t.FailNow()
		}
		p.Signal(syscall.SIGTERM)
		if err := p.Wait(); err == nil || err.Error() != "signal: terminated" {
			t.Fatalf("ended by %v before it was told to", err)
		}
	}
}

// endThreads calls do on n threads at once. The threads end when do has returned.
func endThreads(n int, do func()) {
	var held, ended sync.WaitGroup
	held.Add(n)
	for range n {
		ended.Go(func() {
			runtime.LockOSThread() // never undone: the thread ends with the goroutine
			do()
			held.Done()
			held.Wait()
		})
	}
	ended.Wait()
}
