// Command ranch-torture plays a million calls with faults and kills, and looks whether everybody was told the truth and
// all gold is where it belongs. `make torture` builds and starts it; OPS, SEED, ROUND, WINDOW, FAULTS and FIGURES are
// environment variables (settings). docs/contributing.md says how to read what it says, docs/truth.md what came of it.
//
// The calls are played in rounds, each on a fresh table, so that nothing grows with their number. A round is planned
// from the seed and its number: who asks what, together with what, and when a process is killed. What then comes first,
// the machine decides. Every so many calls the faults are turned off, what is under way ends, and everything that was
// answered since the round began is compared with what is stored (check.go).
//
//	main.go         settings, and one round after the other
//	round.go        a round: its windows of calls, and what is kept of them
//	plan.go         what is done, from the seed
//	stage.go        the table, the faults, and the real functions; kills
//	player.go       what players ask, over HTTP
//	operator.go     what operators change
//	call.go         a call, and what is known of it
//	functionlog.go  what the functions say of each request
//	check.go        what is compared: of a show (checkshow.go) and of users (checkuser.go)
//	figures.go, progress.go, report.go   what is told
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/localstack/build"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/faultproxy/faults"
	"github.com/ranch-game/ranch/localstack/samtemplate"
)

func main() {
	// From the first signal on everything ends in order, within seconds.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// settings are what the environment variables say.
type settings struct {
	calls   int            // OPS
	seed    uint64         // SEED
	round   int            // ROUND: the only one to play; 0: all
	size    int            // ROUND_OPS: calls of a round
	window  int            // WINDOW: calls between checks
	faults  faults.Options // FAULTS
	figures string         // FIGURES: file to write them to
}

const (
	standardFaults = "conflict=1%,throttle=0.3%,unprocessed=0.3%,error=0.3%,error-after=0.3%,lost=0.4%,broken=0.1%,late=0.6%,slow=0.3%,refuse=0.01%,hold=12ms"
	// mostFailures is after how many rounds with violations nobody wants more of them.
	mostFailures = 5
	// mostBroken is how many rounds in a row may be broken off for want of the machine: an engine that does not start
	// in time.
	mostBroken = 3
	// mostStories is how many violations are told; others follow from them, mostly.
	mostStories = 10
)

func parseSettings(getenv func(string) string) (s settings, err error) {
	number := func(name string, standard, least int) int {
		n, wrong := strconv.Atoi(cmp.Or(getenv(name), strconv.Itoa(standard)))
		if wrong != nil || n < least {
			err = errors.Join(err, fmt.Errorf("%s=%s is no number from %d", name, getenv(name), least))
		}
		return n
	}
	s.calls = number("OPS", 10_000, 1)
	s.seed = uint64(number("SEED", 1, 0))
	s.round = number("ROUND", 0, 0)
	s.size = number("ROUND_OPS", 10_000, 1)
	s.window = number("WINDOW", 2_000, 1)
	s.figures = getenv("FIGURES")
	var wrong error
	if s.faults, wrong = faults.Parse(cmp.Or(getenv("FAULTS"), standardFaults)); wrong != nil {
		err = errors.Join(err, wrong)
	}
	return s, err
}

func run(ctx context.Context) error {
	s, err := parseSettings(os.Getenv)
	if err != nil {
		return err
	}
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	if err := engine.Install(ctx, engine.Embedded, os.Stdout); err != nil {
		return err
	}
	if err := build.Make(ctx, template.Root, os.Stdout, os.Environ(), "functions"); err != nil {
		return err
	}
	t := &torture{
		settings: s, figures: newFigures(), folder: filepath.Join(template.Root, ".build", "torture"),
		stage: stageConfig{template: template, faults: s.faults},
	}
	log.SetOutput(io.Discard) // of the proxies, which complain about every answer that is cut
	began := time.Now()
	shown := showProgress(os.Stdout, t.figures, s.calls)
	failed, err := t.play(ctx)
	shown()
	printFigures(os.Stdout, t.figures, s, time.Since(began))
	if s.figures != "" && err == nil {
		if err := writeFigures(s.figures, t.figures, s, time.Since(began)); err != nil {
			return err
		}
	}
	for i, v := range failed[:min(len(failed), mostStories)] {
		printViolation(os.Stdout, i+1, v, s)
	}
	if len(failed) > 0 {
		err = errors.Join(err, fmt.Errorf("%d violations", len(failed)))
	}
	return err
}

// torture is all rounds.
type torture struct {
	settings
	figures *figures
	folder  string // of what rounds write
	stage   stageConfig
}

// play plays rounds until all calls are made, or too many rounds have failed. What rounds without violations have
// written is deleted.
func (t *torture) play(ctx context.Context) (found []violation, err error) {
	failures, broken := 0, 0
	for number := max(t.round, 1); failures < mostFailures; number++ {
		made, _, _ := t.figures.soFar()
		calls := min(t.calls-made, t.size)
		if calls <= 0 || t.round > 0 && number > t.round {
			break
		}
		folder := filepath.Join(t.folder, fmt.Sprintf("round-%d", number))
		violations, err := playRound(ctx, roundConfig{
			seed: t.seed, number: number, calls: calls, window: t.window, folder: folder, stage: t.stage, figures: t.figures,
		})
		found = append(found, violations...)
		if err != nil {
			err = fmt.Errorf("round %d: %w", number, err)
			if broken++; ctx.Err() != nil || broken > mostBroken {
				return found, err
			}
			t.figures.addBroken()
			fmt.Fprintln(os.Stderr, "\nbroken off:", err)
			continue
		}
		broken = 0
		if len(violations) > 0 {
			failures++
		} else if err := os.RemoveAll(folder); err != nil {
			return found, err
		}
	}
	return found, nil
}
