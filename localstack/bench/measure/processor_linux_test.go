package main

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// What the scheduler says of this process is what getrusage says, but for a tick or two, and threads that have ended.
func TestProcessorTime(t *testing.T) {
	pid := strconv.Itoa(os.Getpid())
	before, usage := mustProcessorTime(t, pid), mustUsage(t)
	for mustUsage(t)-usage < 200*time.Millisecond { // of work
	}
	spent, worked := mustProcessorTime(t, pid)-before, mustUsage(t)-usage
	if spent < worked/2 || spent > 2*worked {
		t.Errorf("%v, for %v of work", spent, worked)
	}
	if _, err := processorTime("0"); err == nil {
		t.Error("no error for a process that there is not")
	}
}

func TestProcessID(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pid, err := processID(program)
	if err != nil || pid != strconv.Itoa(os.Getpid()) {
		t.Errorf("%s, %v, want %d", pid, err, os.Getpid())
	}
	if _, err := processID(program + "x"); err == nil {
		t.Error("no error for a program that nobody runs")
	}
}

func mustProcessorTime(t *testing.T, pid string) time.Duration {
	t.Helper()
	d, err := processorTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustUsage(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
