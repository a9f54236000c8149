// Command ranch-stress plays calls by the thousand on the real programs, with faults and kills, and has packages
// logcheck and invariants judge what was answered, logged and stored. `make stress` builds and starts it; OPS, SEED,
// ROUND, WINDOW, FAULTS and FIGURES are environment variables (settings). docs/searching.md says how to read its
// output, docs/truth.md what it has found.
//
// The calls are played in rounds, each on a fresh table, so that nothing grows with their number. A round is planned
// from the seed and its number: who asks what, together with what, and when a process is killed. The machine decides
// what comes first. After every window of calls the faults are turned off, calls under way end, and all calls since the
// round began are judged.
//
//	main.go         settings, and one round after the other
//	round.go        a round: its windows of calls, and what is kept of them
//	plan.go         what is done, from the seed
//	stage.go        the table, the faults, and the real functions; kills
//	player.go       what players ask, over HTTP
//	operator.go     what operators change
//	functionlog.go  what the functions log of each request
//	check.go        who judges the calls, and the story of a violation
//	causes.go       what explains a failure
//	figures.go      what is counted, and printed
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/process"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	batch.Main("stress", "the figures are of what was played before", run)
}

// settings are what the environment variables say.
type settings struct {
	calls   int            // OPS
	seed    uint64         // SEED
	round   int            // ROUND: the only one to play; 0: all
	size    int            // ROUND_OPS: calls of a round
	window  int            // WINDOW: calls between checks
	faults  dynamo.Options // FAULTS
	figures string         // FIGURES: file to write them to
	command string         // that does the same again
	besides string         // the other settings that play a round of it alone
}

const (
	standardFaults = "conflict=1%,throttle=0.3%,unprocessed=0.3%,error=0.3%,error-after=0.3%,lost=0.4%,broken=0.1%,late=0.6%,slow=0.3%,refuse=0.01%,hold=12ms"
	// mostFailures is after how many rounds with violations it stops.
	mostFailures = 5
	// mostBroken is how many rounds in a row may be broken off for want of the machine: an engine that does not start
	// in time.
	mostBroken = 3
	// mostStories is how many violations are printed; others follow from them, mostly.
	mostStories = 10
)

func parseSettings(getenv func(string) string) (s settings, err error) {
	from := batch.NewSettings(getenv)
	s.calls = from.Number("OPS", 10_000, 1)
	s.seed = uint64(from.Number("SEED", 1, 0))
	s.round = from.Number("ROUND", 0, 0)
	s.size = from.Number("ROUND_OPS", 10_000, 1)
	s.window = from.Number("WINDOW", 2_000, 1)
	if s.faults, err = dynamo.Parse(from.Text("FAULTS", standardFaults)); err != nil {
		from.Wrong("FAULTS", err)
	}
	if s.round > 0 {
		s.calls = min(s.calls, s.size) // there are no more in it
	}
	s.figures, s.command, s.besides = from.Figures(), from.Command("stress"), from.Given("ROUND_OPS", "WINDOW", "FAULTS")
	return s, from.Err()
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
	if err := stack.Prepare(ctx, template, os.Stdout); err != nil {
		return err
	}
	t := &search{
		settings: s, began: time.Now(), figures: newFigures(), folder: filepath.Join(template.Root, ".build", "stress"),
		stage: stageConfig{template: template, faults: s.faults},
	}
	log.SetOutput(io.Discard) // of the proxies, which complain about every answer that is cut
	shown := batch.Show(os.Stdout, func() batch.Progress { return t.figures.progress(s.calls) })
	found, err := t.play(ctx)
	shown()
	err = errors.Join(err, t.keep(ctx.Err() != nil))
	printFigures(os.Stdout, t.figures, s)
	if found > 0 {
		err = errors.Join(err, fmt.Errorf("%d violations, printed above", found))
	}
	return err
}

// search is all rounds.
type search struct {
	settings
	began   time.Time
	figures *figures
	folder  string // of what rounds write
	stage   stageConfig
}

// play plays rounds until all calls are made and compared, or too many rounds have failed. It prints violations as
// they are found, and returns how many there were. It deletes what rounds without any have
// written, and keeps the figures after each.
func (t *search) play(ctx context.Context) (found int, err error) {
	if err := os.MkdirAll(t.folder, 0o755); err != nil {
		return 0, err
	}
	unlock, err := process.TryLock(t.folder)
	if err != nil {
		return 0, err
	}
	if unlock == nil {
		return 0, fmt.Errorf("another run writes into %s", t.folder)
	}
	defer unlock()
	failures, broken := 0, 0
	for number := max(t.round, 1); failures < mostFailures; number++ {
		calls := min(t.calls-t.figures.compared(), t.size)
		if calls <= 0 || t.round > 0 && number > t.round {
			break
		}
		folder := filepath.Join(t.folder, fmt.Sprintf("round-%d", number))
		violations, err := playRound(ctx, roundConfig{
			seed: t.seed, number: number, calls: calls, window: t.window, folder: folder, stage: t.stage, figures: t.figures,
		})
		for _, v := range violations {
			if found++; found <= mostStories {
				printViolation(os.Stdout, found, v, t.settings)
			}
		}
		if err != nil {
			err = fmt.Errorf("round %d: %w", number, err)
			if broken++; ctx.Err() != nil || broken > mostBroken {
				return found, err
			}
			t.figures.addBroken()
			fmt.Fprintln(os.Stderr, "\nbroken off:", err)
			if t.round > 0 {
				number-- // there is no other
			}
			continue
		}
		broken = 0
		if len(violations) > 0 {
			failures++
		} else if err := os.RemoveAll(folder); err != nil {
			return found, err
		}
		if err := t.keep(false); err != nil {
			return found, err
		}
	}
	return found, nil
}

// keep writes the figures so far.
func (t *search) keep(interrupted bool) error {
	t.figures.mu.Lock()
	defer t.figures.mu.Unlock()
	t.figures.Run = batch.NewRun(t.command, t.began, interrupted)
	return batch.WriteFigures(t.settings.figures, t.figures)
}
