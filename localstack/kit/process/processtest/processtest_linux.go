package processtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Process is a process that has been seen; its start tells it from a later one with its number.
type Process struct {
	PID, parent int
	Name        string // its program's
	start       string
}

// Alive reports whether it still runs.
func (p Process) Alive() bool {
	now, err := readProcess(p.PID)
	return err == nil && now.start == p.start
}

// Alive reports whether a process with the number runs. One that only waits for its parent to take note of its end does
// not.
func Alive(pid int) bool {
	_, err := readProcess(pid)
	return err == nil
}

// Descendants returns the processes that come from the given one, directly or not.
func Descendants(ancestor int) []Process {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil
	}
	var all []Process
	for _, path := range stats {
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			if p, err := readProcess(pid); err == nil {
				all = append(all, p)
			}
		}
	}
	family, found := []int{ancestor}, []Process{}
	for i := 0; i < len(family); i++ {
		for _, p := range all {
			if p.parent == family[i] && !slices.Contains(family, p.PID) {
				family, found = append(family, p.PID), append(found, p)
			}
		}
	}
	return found
}

// readProcess reads a process that has not ended. The layout is that of proc_pid_stat(5): state, parent and start are
// fields 3, 4 and 22.
func readProcess(pid int) (Process, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, err
	}
	open, shut := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || shut < open {
		return Process{}, fmt.Errorf("process %d: %q", pid, stat)
	}
	fields := strings.Fields(string(stat[shut+1:]))
	if len(fields) < 20 || fields[0] == "Z" {
		return Process{}, fmt.Errorf("process %d has ended", pid)
	}
	parent, err := strconv.Atoi(fields[1])
	return Process{pid, parent, string(stat[open+1 : shut]), fields[19]}, err
}
