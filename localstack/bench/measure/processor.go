package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
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

// runs returns the folder in /proc of the process that runs a program.
func runs(program string) (string, error) {
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return "", err
	}
	for _, link := range links {
		if of, err := os.Readlink(link); err == nil && of == program {
			return filepath.Dir(link), nil
		}
	}
	return "", fmt.Errorf("no process in /proc runs %s: the program has ended, or this is not Linux", program)
}

// processorTime returns how long the threads of a process have run so far. It reads the scheduler's nanoseconds,
// because /proc/PID/stat has only ticks of 10 ms. The sum lacks ended threads, but Go keeps its threads.
func processorTime(process string) (sum time.Duration, err error) {
	threads, err := filepath.Glob(process + "/task/*/schedstat")
	if err != nil {
		return 0, err
	}
	for _, thread := range threads {
		line, err := os.ReadFile(thread)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		ran, _, _ := strings.Cut(string(line), " ")
		nanoseconds, notANumber := strconv.ParseInt(ran, 10, 64)
		if err := errors.Join(err, notANumber); err != nil {
			return 0, fmt.Errorf("%s: %w", thread, err)
		}
		sum += time.Duration(nanoseconds)
	}
	if sum == 0 {
		return 0, fmt.Errorf("the process %s has ended", process)
	}
	return sum, nil
}
