// Package processtest lists processes for tests. It reads /proc, which only Linux has. On other systems it finds no
// descendants.
package processtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Process identifies a process that a test has seen. Its start time distinguishes it from a later process with the same
// id.
type Process struct {
	PID, parent int
	Name        string // its program's
	start       string
}

// Alive reports whether the process still runs.
func (p Process) Alive() bool {
	now, err := readProcess(p.PID)
	return err == nil && now.start == p.start
}

// Alive reports whether a process with the id pid runs. A zombie does not count as running.
func Alive(pid int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(pid, 0) == nil
	}
	_, err := readProcess(pid)
	return err == nil
}

// Descendants returns the direct and indirect children of the given process.
func Descendants(ancestor int) []Process {
	children := map[int][]Process{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if p, err := readProcess(pid); err == nil {
			children[p.parent] = append(children[p.parent], p)
		}
	}
	found := children[ancestor]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i].PID]...)
	}
	return found
}

// readProcess returns the state of a process from /proc. The manual page proc_pid_stat(5) describes the format: state,
// parent and start are fields 3, 4 and 22, and the name in parentheses may have any character.
func readProcess(pid int) (Process, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, err
	}
	open, shut := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	fields := strings.Fields(string(stat[shut+1:]))
	if open < 0 || len(fields) < 20 || fields[0] == "Z" {
		return Process{}, fmt.Errorf("process %d has ended", pid)
	}
	parent, err := strconv.Atoi(fields[1])
	return Process{pid, parent, string(stat[open+1 : shut]), fields[19]}, err
}

// Eventually waits until the condition returns true. If that takes longer than a minute, the test fails.
func Eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(time.Minute); !condition(); <-poll.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited a minute in vain until %s", what)
		}
	}
}
