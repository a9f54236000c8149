package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/bench/measure/probe"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// taken is the average cost of a call in one scene.
type taken struct {
	scene, program string
	processor      time.Duration // of all threads of the process, in the fastest part
	median         time.Duration // the same in the median part
	objects, bytes uint64        // allocated
}

// measure divides a scene's calls into parts. The fastest part serves to compare two runs, because other work on the
// machine can only slow a part down. The median part represents a usual call. There are at most 15 parts. If there are
// several, each has at least callsAPart calls, and so its share of garbage collection.
const (
	parts      = 15
	callsAPart = 9
)

// observe plays the script with the probed programs below dir, on a new table, and returns the cost of each scene's
// calls. Each function has only one process, so the whole cost of this process belongs to the measured calls.
func observe(ctx context.Context, t *samtemplate.Template, a amounts, dir string) ([]taken, error) {
	of := *t
	of.Root = dir
	w, err := world.Open(ctx, world.Config{Template: &of, Processes: 1, Log: func(_, line string) {
		if !strings.HasPrefix(line, "{") { // not a record of a call
			fmt.Fprintln(os.Stderr, line)
		}
	}})
	if err != nil {
		return nil, err
	}
	var all []taken
	s := script{amounts: a, World: w}
	s.observe = func(name, function string, n int, call func(i int) error) error {
		fmt.Fprintf(os.Stderr, "%s: %d calls\n", name, n)
		f := taken{scene: name, program: function}
		if err := f.measure(ctx, program(dir, function), n, call); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, f)
		return nil
	}
	return all, errors.Join(s.play(ctx), w.Close())
}

// measure measures the cost of n calls except for the first tenth (at least one call), which warms the program up.
// Between the parts it does not read the probe, because the probe's answers need processor time, too.
func (f *taken) measure(ctx context.Context, program string, n int, call func(i int) error) error {
	first := max(1, n/10)
	if err := calls(0, first, call); err != nil {
		return err
	}
	before, err := heap(ctx, program)
	if err != nil {
		return err
	}
	each := make([]time.Duration, min(parts, max(1, (n-first)/callsAPart)))
	for part := range each {
		from, to := first+(n-first)*part/len(each), first+(n-first)*(part+1)/len(each)
		began, err := processorTime(before.PID)
		if err != nil {
			return err
		}
		if err := calls(from, to, call); err != nil {
			return err
		}
		ended, err := processorTime(before.PID)
		if err != nil {
			return err
		}
		each[part] = (ended - began) / time.Duration(to-from)
	}
	slices.Sort(each)
	f.processor, f.median = each[0], each[len(each)/2]
	after, err := heap(ctx, program)
	if err == nil && after.PID != before.PID {
		err = fmt.Errorf("%s was started again, as process %d", program, after.PID)
	}
	f.objects, f.bytes = (after.Objects-before.Objects)/uint64(n-first), (after.Bytes-before.Bytes)/uint64(n-first)
	return err
}

func calls(from, to int, call func(i int) error) error {
	for i := from; i < to; i++ {
		if err := call(i); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}

// heap reads the allocations from a program's probe.
func heap(ctx context.Context, program string) (h probe.Heap, err error) {
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", probe.Socket(program))
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://probe", nil)
	if err != nil {
		return h, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return h, err
	}
	defer answer.Body.Close()
	return h, json.NewDecoder(answer.Body).Decode(&h)
}

// processorTime returns how long the threads of a process have run so far. It reads the scheduler's nanoseconds,
// because /proc/PID/stat has only ticks of 10 ms. The sum lacks ended threads, but Go keeps its threads.
func processorTime(pid int) (sum time.Duration, err error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
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
		return 0, fmt.Errorf("cannot read the processor time of process %d in /proc: the process has ended, or this is not Linux", pid)
	}
	return sum, nil
}
