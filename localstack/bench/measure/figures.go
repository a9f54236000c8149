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
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/localstack/bench/measure/probe"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/store"
)

// figures are what one call of a scene takes.
type figures struct {
	scene, program string
	processor      time.Duration // of all the process's threads
	objects, bytes uint64        // allocated
}

// The time of a scene is that of the quickest of its parts: whatever else the machine does can only add to it. A part
// is at least so many calls, and there are at most so many parts, so that each has its share of collecting garbage.
const (
	parts      = 15
	callsAPart = 9
)

// observe plays the script with the programs below dir, on a table of their own. Each function has one process, so that
// what calls take is what that process takes. Programs with a probe tell what they allocate; of the others observe
// measures the time.
func observe(ctx context.Context, t *samtemplate.Template, a amounts, dir string, probed bool) ([]figures, error) {
	e, err := engine.Start(ctx, engine.Options{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if err := engine.CreateTable(ctx, e.Client(), stack.TableName); err != nil {
		return nil, err
	}
	of := *t
	of.Root = dir
	served, err := stack.Serve(ctx, stack.Config{Template: &of, Engine: e, Kind: engine.Embedded, Processes: 1, Log: func(_, line string) {
		if !strings.HasPrefix(line, "{") { // it is no record of a call
			fmt.Fprintln(os.Stderr, line)
		}
	}})
	if err != nil {
		return nil, err
	}
	var taken []figures
	s := script{amounts: a, api: served.API, store: store.New(dynamodb.New(e.Client().Options(), store.ClientOptions), stack.TableName, time.Now)}
	s.observe = func(name, function string, n int, call func(i int) error) error {
		fmt.Fprintf(os.Stderr, "%s: %d calls\n", name, n)
		f := figures{scene: name, program: function}
		measure := f.time
		if probed {
			measure = f.allocations
		}
		if err := measure(ctx, program(dir, function), n, call); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		taken = append(taken, f)
		return nil
	}
	return taken, errors.Join(s.play(ctx), served.Close())
}

// time measures the processor's time for n calls, of which the first tenth is not counted.
func (f *figures) time(_ context.Context, program string, n int, call func(i int) error) error {
	first := max(1, n/10)
	if err := calls(0, first, call); err != nil {
		return err
	}
	pid, err := processID(program)
	if err != nil {
		return err
	}
	parts := min(parts, max(1, (n-first)/callsAPart))
	for part := range parts {
		from, to := first+(n-first)*part/parts, first+(n-first)*(part+1)/parts
		before, err := processorTime(pid)
		if err != nil {
			return err
		}
		if err := calls(from, to, call); err != nil {
			return err
		}
		after, err := processorTime(pid)
		if err != nil {
			return err
		}
		if each := (after - before) / time.Duration(to-from); part == 0 || each < f.processor {
			f.processor = each
		}
	}
	return nil
}

// allocations counts what n calls allocate, but for the first tenth.
func (f *figures) allocations(ctx context.Context, program string, n int, call func(i int) error) error {
	first := max(1, n/10)
	if err := calls(0, first, call); err != nil {
		return err
	}
	before, err := heap(ctx, program)
	if err != nil {
		return err
	}
	if err := calls(first, n, call); err != nil {
		return err
	}
	after, err := heap(ctx, program)
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

// heap asks a program's probe.
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
func processorTime(pid string) (sum time.Duration, err error) {
	threads, err := filepath.Glob("/proc/" + pid + "/task/*/schedstat")
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
		return 0, fmt.Errorf("the kernel does not tell how long process %s has run", pid)
	}
	return sum, nil
}
