package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// processID finds the one process that runs the program.
func processID(program string) (string, error) {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return "", err
	}
	var found []string
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == program {
			found = append(found, filepath.Base(filepath.Dir(link)))
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d processes of %s, want 1 (only Linux tells them)", len(found), program)
	}
	return found[0], nil
}

// processorTime returns how long the process's threads have run so far, in nanoseconds as the scheduler counts them:
// the sum that /proc/PID/stat has in ticks of 10 ms. Threads that have ended are not in it; a Go program keeps its own.
func processorTime(pid string) (time.Duration, error) {
	threads, err := filepath.Glob("/proc/" + pid + "/task/*/schedstat")
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, thread := range threads {
		line, err := os.ReadFile(thread)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return 0, err
		}
		ran, _, _ := strings.Cut(string(line), " ")
		nanoseconds, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", thread, err)
		}
		sum += time.Duration(nanoseconds)
	}
	if sum == 0 {
		return 0, fmt.Errorf("the kernel does not tell how long process %s has run", pid)
	}
	return sum, nil
}
