package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// minimizing is how long go test makes a new input smaller before it goes on: its own minute would be the whole of a
// short run.
const minimizing = "1s"

// run gives the target its time. A property that breaks is a result; an error is what keeps the target from running.
func (t target) run(ctx context.Context, root, fuzzTime string) (result, error) {
	began := time.Now()
	output, err := runGo(ctx, root, "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", fuzzTime, "-fuzzminimizetime", minimizing, "./"+t.folder)
	r := result{Seconds: time.Since(began).Round(time.Second / 10).Seconds()}
	if ctx.Err() != nil {
		return r, fmt.Errorf("%s: interrupted", t)
	}
	known := r.read(output)
	if err == nil || timeIsUp.MatchString(output) {
		if !known {
			return r, fmt.Errorf("%s says nothing of what it has tried:\n%s", t, output)
		}
		return r, nil
	}
	if !strings.Contains(output, "--- FAIL: "+t.name) {
		return r, fmt.Errorf("%s: %w\n%s", t, err, output)
	}
	r.Broken = strings.TrimSpace(output[strings.Index(output, "--- FAIL: "):])
	return r, nil
}

// timeIsUp is what go test may say, until Go 1.27, of a target in which nothing is wrong: it takes the end of the time
// that it gives for a failure (go.dev/issue/75804). Of a property that is broken it says which input does it.
var timeIsUp = regexp.MustCompile(`(?m)^--- FAIL: \w+ \([0-9.]+s\)\n    context deadline exceeded\nFAIL$`)

// progress is a line such as
//
//	fuzz: elapsed: 3s, execs: 325017 (108336/sec), new interesting: 11 (total: 202)
var progress = regexp.MustCompile(`execs: (\d+) \(\d+/sec\), new interesting: (\d+) \(total: (\d+)\)`)

// baseline is a line such as
//
//	fuzz: elapsed: 0s, gathering baseline coverage: 12/93 completed
var baseline = regexp.MustCompile(`gathering baseline coverage: (\d+)/(\d+) completed`)

// read takes the last numbers of a target's output; false where there are none. A target whose time was over before it
// came to inputs of its own has tried those that are kept, or as many of them as it could.
func (r *result) read(output string) (known bool) {
	for _, line := range baseline.FindAllStringSubmatch(output, -1) {
		r.Executions, r.Corpus, known = number(line[1]), number(line[2]), true
	}
	for _, line := range progress.FindAllStringSubmatch(output, -1) {
		r.Executions, r.New, r.Corpus, known = number(line[1]), number(line[2]), number(line[3]), true
	}
	return known
}

func number(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64) // the expression lets nothing else through, and nobody counts further
	return n
}

// runGo runs the Go command and returns all that it prints. It ends with ctx, and with it all that it has started.
func runGo(ctx context.Context, root string, arguments ...string) (output string, err error) {
	var printed bytes.Buffer
	cmd := exec.Command("go", arguments...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, &printed, &printed
	p, err := process.Start(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop(5 * time.Second)
	}
	err = p.Wait()
	return printed.String(), err
}
