package process

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStop_endsAChildThatIgnoresSIGTERM(t *testing.T) {
	t.Parallel()
	p, err := Start("/bin/sh", []string{"-c", "trap '' TERM; echo ready; sleep 600 & wait; wait"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child is ready", func() bool { return p.LastOutput() == "ready" })
	p.Stop()
	if alive(p.PID) {
		t.Error("it runs on")
	}
}

// alive reports whether the process exists and is no zombie that its new parent has yet to wait for.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// eventually fails the test when the condition does not come true within ten seconds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(10 * time.Second); !condition(); <-poll.C {
		if time.Now().After(deadline) {
			t.Fatalf("ten seconds later it is not so that %s", what)
		}
	}
}
