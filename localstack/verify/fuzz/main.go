// Command fuzz runs the fuzz targets of the repository one after the other: `make fuzz`. It finds them by itself, gives
// each its time, and says what each came to: how many inputs it has tried, how many of them reached code that none had
// reached before, and whether one broke its property. Such an input stands in testdata/fuzz of the target's package
// from then on, where every test run tries it again, and the run ends with an error.
//
//	main.go     from the settings to the verdict
//	targets.go  which targets there are
//	run.go      one target's run
//	figures.go  what they came to
//
// FUZZTIME is the time of each target, or the number of its inputs as in 1000x; TARGET is a regular expression that the
// names of packages and targets, as in shared/game.FuzzInstant, are chosen by; FIGURES is the file that the figures go
// into, .build/fuzz.json without it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	batch.Main("fuzz", "the figures are of the targets before", func(ctx context.Context) error { return fuzz(ctx, os.Getenv, os.Stdout) })
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
	if s.figures == "" {
		s.figures = filepath.Join(template.Root, ".build", "fuzz.json")
		if err := os.MkdirAll(filepath.Dir(s.figures), 0o755); err != nil {
			return err
		}
	}
	return s.run(ctx, template.Root, out)
}

// run runs the targets of the module at root.
func (s settings) run(ctx context.Context, root string, out io.Writer) error {
	targets, err := find(ctx, root, s.target)
	if err != nil {
		return err
	}
	began, figures := time.Now(), newFigures(s.time)
	fmt.Fprintf(out, "%d targets, %s each\n", len(targets), s.time)
	for i, target := range targets {
		fmt.Fprintf(out, "[%d/%d] %s ", i+1, len(targets), target)
		result, failure := target.run(ctx, root, s.time)
		if failure == nil {
			fmt.Fprintln(out, result)
			figures.add(target, result)
		}
		figures.Run = batch.NewRun(s.command, began, failure != nil || i+1 < len(targets))
		if err := errors.Join(failure, batch.WriteFigures(s.figures, figures)); err != nil {
			return err
		}
	}
	return figures.verdict()
}

// settings are what the environment says.
type settings struct {
	time    string // FUZZTIME: a duration, or a number of inputs as in 1000x: what go test's -fuzztime takes
	target  *regexp.Regexp
	figures string // FIGURES: file to write them to
	command string // that does the same again
}

const usualTime = "60s"

func readSettings(getenv func(string) string) (settings, error) {
	from := batch.NewSettings(getenv)
	s := settings{time: from.Text("FUZZTIME", usualTime), target: from.Pattern("TARGET"), figures: from.Figures()}
	inputs, counted := strings.CutSuffix(s.time, "x")
	if n, err := strconv.Atoi(inputs); counted && (err != nil || n < 1) {
		from.Wrong("FUZZTIME", errors.New("it is no number of inputs, such as 1000x"))
	}
	if d, err := time.ParseDuration(s.time); !counted && (err != nil || d <= 0) {
		from.Wrong("FUZZTIME", errors.New("it is neither a time, such as 60s, nor a number of inputs, such as 1000x"))
	}
	s.command = from.Command("fuzz")
	return s, from.Err()
}
