// Package processtest lets tests wait, for example for the end of a process.
package processtest

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Alive reports whether a process with the id pid runs. On Linux, a zombie does not count as running: in /proc, its
// state, the field after the name in parentheses, is Z (proc_pid_stat(5)).
func Alive(pid int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(pid, 0) == nil
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" Z"))
}

// Eventually waits until the condition returns true. If that takes longer than a minute, the test fails.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(time.Minute); !condition(); <-poll.C {
		require.False(t, time.Now().After(deadline), "waited a minute in vain until %s", what)
	}
}
