// Command fuzz runs the fuzz targets of the repository one after the other: `make fuzz`. It finds them by itself, gives
// each its time, and says what each came to: how many inputs it has tried, how many of them reached code that none had
// reached before, and whether one broke its property. Such an input stands in testdata/fuzz of the target's package
// from then on, where every test run tries it again, and the run ends with an error.
//
//	main.go     from the settings to the verdict
//	targets.go  which targets there are
//	run.go      one target's run
//	report.go   what it came to, in lines and as JSON (.build/fuzz.json)
//
// FUZZTIME is the time of each target, or the number of its inputs as in 1000x; TARGET is a regular expression that the
// names of packages and targets, as in shared/game.FuzzInstant, are chosen by.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/localstack/samtemplate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := fuzz(ctx, os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		stop()
		os.Exit(1)
	}
}

func fuzz(ctx context.Context, getenv func(string) string, out io.Writer) error {
	s, err := readSettings(getenv)
	if err != nil {
		return err
	}
	template, err := samtemplate.LoadRoot() // which knows the root
	if err != nil {
		return err
	}
	targets, err := find(ctx, template.Root, s.target)
	if err != nil {
		return err
	}
	report := newReport(s.time)
	fmt.Fprintf(out, "%d targets, %s each\n", len(targets), s.time)
	for i, target := range targets {
		fmt.Fprintf(out, "[%d/%d] %s ", i+1, len(targets), target)
		result, err := target.run(ctx, template.Root, s.time)
		if err != nil {
			return errors.Join(err, report.write(template.Root))
		}
		fmt.Fprintln(out, result)
		report.Targets = append(report.Targets, result)
	}
	return errors.Join(report.write(template.Root), report.verdict())
}

// settings are what the environment says.
type settings struct {
	time   string // a duration, or a number of inputs as in 1000x: what go test's -fuzztime takes
	target *regexp.Regexp
}

const usualTime = "60s"

func readSettings(getenv func(string) string) (settings, error) {
	s := settings{time: cmp.Or(getenv("FUZZTIME"), usualTime)}
	inputs, counted := strings.CutSuffix(s.time, "x")
	if n, err := strconv.Atoi(inputs); counted && (err != nil || n < 1) {
		return settings{}, fmt.Errorf("FUZZTIME=%s is no number of inputs, such as 1000x", s.time)
	}
	if d, err := time.ParseDuration(s.time); !counted && (err != nil || d <= 0) {
		return settings{}, fmt.Errorf("FUZZTIME=%s is neither a time, such as 60s, nor a number of inputs, such as 1000x", s.time)
	}
	var err error
	if s.target, err = regexp.Compile(getenv("TARGET")); err != nil {
		return settings{}, fmt.Errorf("TARGET: %w", err)
	}
	return s, nil
}

// reportFile is where the report is, from the root of the working tree.
var reportFile = filepath.Join(".build", "fuzz.json")
