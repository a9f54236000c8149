// Command fuzz runs every fuzz target of the repository, one after the other: `make fuzz`. It prints how many inputs
// each has tried, and the input that breaks a target's property. Go keeps such an input in testdata/fuzz of the
// target's package, where every test run tries it again; the command then ends with an error.
//
// FUZZTIME is the time of each target, or the number of its inputs as in 1000x. TARGET is a regular expression that
// chooses targets by their folder and name, as in shared/game.FuzzInstant.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/process"
)

func main() {
	batch.Main("fuzz", "", func(ctx context.Context) error { return fuzz(ctx, ".", os.Getenv, os.Stdout) })
}

// declaration is a target as git grep prints it.
var declaration = regexp.MustCompile(`(?m)^([^:]+):func (Fuzz\w+)`)

// fuzz runs the targets of the working tree at root.
func fuzz(ctx context.Context, root string, getenv func(string) string, out io.Writer) error {
	settings := batch.NewSettings(getenv)
	fuzzTime, chosen := settings.Text("FUZZTIME", "60s"), settings.Pattern("TARGET")
	if err := settings.Err(); err != nil {
		return err
	}
	// The tests of docs have targets in their texts.
	listed, err := run(ctx, root, "git", "grep", "--untracked", "-oE", "^func Fuzz[A-Za-z0-9_]+", "--", "*_test.go", ":!docs")
	if err != nil {
		return fmt.Errorf("looking for fuzz targets: %w\n%s", err, listed)
	}
	type target struct{ folder, name string }
	var targets []target
	for _, m := range declaration.FindAllStringSubmatch(listed, -1) {
		if t := (target{path.Dir(m[1]), m[2]}); chosen.MatchString(t.folder + "." + t.name) {
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		return errors.New("TARGET: no target has such a name")
	}
	broken := 0
	for i, t := range targets {
		fmt.Fprintf(out, "[%d/%d] %s.%s: ", i+1, len(targets), t.folder, t.name)
		// Go would spend up to a minute to make each new input smaller, even if the target has less time than that.
		output, err := run(ctx, root, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", fuzzTime, "-fuzzminimizetime", "1s", "./"+t.folder)
		failure := strings.Index(output, "--- FAIL: "+t.name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case strings.Contains(output, "no fuzz tests to fuzz"):
			return fmt.Errorf("%s has no target %s", t.folder, t.name)
		case err == nil || timeIsUp.MatchString(output):
			fmt.Fprintln(out, executions(output))
		case failure >= 0:
			broken++
			fmt.Fprintf(out, "%s\n%s\n", executions(output), strings.TrimSpace(output[failure:]))
		default:
			return fmt.Errorf("%w\n%s", err, output)
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d targets have an input that breaks their property; a new one is in testdata/fuzz of the target's folder", broken, len(targets))
	}
	return nil
}

// timeIsUp is how go test may report, until Go 1.27, a target in which nothing is wrong: it takes the end of its own
// time limit for a failure (go.dev/issue/75804). A broken property has an input beside it.
var timeIsUp = regexp.MustCompile(`(?m)^--- FAIL: \w+ \([0-9.]+s\)\n    context deadline exceeded\nFAIL$`)

// progress is what go test prints of a target every three seconds and at its end.
var progress = regexp.MustCompile(`fuzz: elapsed: \S+, (gathering baseline.*|execs: \d+).*`)

// executions is how far a target has come. A run that is over at once has tried its seeds only.
func executions(output string) string {
	lines := progress.FindAllString(output, -1)
	if len(lines) == 0 {
		return "only its seeds"
	}
	return lines[len(lines)-1]
}

// run runs a command and returns all that it prints. It ends with ctx, together with all that it has started.
func run(ctx context.Context, dir, name string, arguments ...string) (string, error) {
	var printed bytes.Buffer
	cmd := exec.Command(name, arguments...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &printed, &printed
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
