// Command ranch-torture plays a million calls with faults and kills, and looks whether everybody was told the truth and
// all gold is where it belongs. `make torture` builds and starts it; OPS, SEED, ROUND, WINDOW, FAULTS and FIGURES are
// environment variables (settings). docs/searching.md says how to read what it says, docs/truth.md what came of it.
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
//	check.go        what is compared, by subject in check*.go
//	figures.go, report.go   what is told
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
	batch.Main("torture", "the figures are of what was played before", run)
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
	besides string         // what else must be said to play a round of it alone
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
	s.figures, s.command, s.besides = from.Figures(), from.Command("torture"), from.Given("ROUND_OPS", "WINDOW", "FAULTS")
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
	t := &torture{
		settings: s, began: time.Now(), figures: newFigures(), folder: filepath.Join(template.Root, ".build", "torture"),
		stage: stageConfig{template: template, faults: s.faults},
	}
	log.SetOutput(io.Discard) // of the proxies, which complain about every answer that is cut
	shown := batch.Show(os.Stdout, func() batch.Progress { return t.figures.progress(s.calls) })
	found, err := t.play(ctx)
	shown()
	err = errors.Join(err, t.keep(ctx.Err() != nil))
	printFigures(os.Stdout, t.figures, s)
	if found > 0 {
		err = errors.Join(err, fmt.Errorf("%d violations, told above", found))
	}
	return err
}

// torture is all rounds.
type torture struct {
	settings
	began   time.Time
	figures *figures
	folder  string // of what rounds write
	stage   stageConfig
}

// play plays rounds until all calls are made and compared, or too many rounds have failed. It tells violations as they
// are found, and returns how many there were. What rounds without any have written is deleted, and the figures are kept
// after each.
func (t *torture) play(ctx context.Context) (found int, err error) {
	if err := os.MkdirAll(t.folder, 0o755); err != nil {
		return 0, err
	}
	unlock, err := process.TryLock(t.folder)
	if err != nil {
		return 0, err
	}
	if unlock == nil {
		return 0, fmt.Errorf("another torture writes into %s", t.folder)
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
func (t *torture) keep(interrupted bool) error {
	t.figures.mu.Lock()
	defer t.figures.mu.Unlock()
	t.figures.Run = batch.NewRun(t.command, t.began, interrupted)
	return batch.WriteFigures(t.settings.figures, t.figures)
}
