package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// taken is the average processor time of a call in one scene, of all threads of the function's process.
type taken struct {
	scene, program  string
	fastest, median time.Duration // of the parts of the scene
}

// measure divides a scene's calls into parts. The fastest part serves to compare two runs, because other work on the
// machine can only slow a part down. The median part represents a usual call. There are at most 15 parts. If there are
// several, each has at least callsAPart calls, and so its share of garbage collection.
const (
	parts      = 15
	callsAPart = 9
)

// measure measures n calls except for the first tenth (at least one call), which warms the program up.
func (t *taken) measure(program string, n int, call func(i int) error) error {
	first := max(1, n/10)
	if err := calls(0, first, call); err != nil {
		return err
	}
	process, err := runs(program)
	if err != nil {
		return err
	}
	each := make([]time.Duration, min(parts, max(1, (n-first)/callsAPart)))
	for part := range each {
		from, to := first+(n-first)*part/len(each), first+(n-first)*(part+1)/len(each)
		began, err := processorTime(process)
		if err != nil {
			return err
		}
		if err := calls(from, to, call); err != nil {
			return err
		}
		ended, err := processorTime(process)
		if err != nil {
			return err
		}
		each[part] = (ended - began) / time.Duration(to-from)
	}
	slices.Sort(each)
	t.fastest, t.median = each[0], each[len(each)/2]
	return nil
}

func calls(from, to int, call func(i int) error) error {
	for i := from; i < to; i++ {
		if err := call(i); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

// runs returns the id of this process's child that runs a program.
func runs(program string) (pid int, err error) {
	threads, err := filepath.Glob("/proc/self/task/*/children")
	for _, thread := range threads {
		children, _ := os.ReadFile(thread) // fails if the thread has ended
		for child := range strings.FieldsSeq(string(children)) {
			if of, err := os.Readlink("/proc/" + child + "/exe"); err == nil && of == program {
				return strconv.Atoi(child)
			}
		}
	}
	return 0, errors.Join(err, fmt.Errorf("no child process runs %s: it has ended, or this is not Linux", program))
}

// processorTime returns how long all threads of a process have run so far.
func processorTime(pid int) (time.Duration, error) {
	var t unix.Timespec
	const allThreads = 2 // clock_getcpuclockid(3) makes the clock's number from the process id and this kind
	if err := unix.ClockGettime(int32(^pid<<3|allThreads), &t); err != nil {
		return 0, fmt.Errorf("the clock of the process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}
