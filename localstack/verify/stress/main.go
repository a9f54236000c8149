// Command ranch-stress sends thousands of calls to the real functions, with faults and kills. Packages logcheck and
// invariants then check the answers, the log and the table. `make stress` builds and starts the command. OPS, SEED,
// ROUND, WINDOW, FAULTS and FIGURES are its environment variables (settings). docs/searching.md explains the output,
// and docs/truth.md lists what the command has found.
//
// A round is 10,000 calls on a fresh table, so that time and memory for a check stay bounded. The seed and the round's
// number determine the plan: who calls what, which calls are concurrent, and when a process is killed. The machine
// determines the order of concurrent calls. A round has windows of WINDOW calls. After every window, ranch-stress turns
// the faults off, waits for all calls to end, and checks all calls since the round's beginning.
//
//	main.go      settings, one round after the other, and the figures
//	round.go     a round: its windows of calls, its checks, and the story of a violation
//	plan.go      the plan, from the seed
//	stage.go     the table, the faults, and the real functions; kills
//	calls.go     players' calls over HTTP, and operators' changes
//	log.go       the log of each request, and the causes of failures
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() { batch.Main("stress", "the figures are of what was played before", run) }

// settings are the environment variables.
type settings struct {
	ops     int            // OPS: calls
	seed    uint64         // SEED
	only    int            // ROUND: the only round to play; 0: all
	window  int            // WINDOW: calls between checks
	faults  dynamo.Options // FAULTS
	file    string         // FIGURES: the path of the file for the figures; "" for none
	command string         // the command that repeats the run
	besides string         // WINDOW and FAULTS, if set, as text to repeat one round
}

const (
	standardFaults = "conflict=1%,throttle=0.3%,unprocessed=0.3%,error=0.3%,error-after=0.3%,lost=0.4%,broken=0.1%,late=0.6%,slow=0.3%,hold=12ms"
	// roundCalls is the number of calls of a round.
	roundCalls = 10_000
	// mostFailures is the number of rounds with violations after which the run ends.
	mostFailures = 5
	// mostStories is the number of violations that the program prints. Further violations usually have the same cause.
	mostStories = 10
)

func parseSettings(getenv func(string) string) (s settings, err error) {
	from := batch.NewSettings(getenv)
	s.ops = from.Number("OPS", 10_000, 1)
	s.seed = uint64(from.Number("SEED", 1, 0))
	s.only = from.Number("ROUND", 0, 0)
	s.window = from.Number("WINDOW", 2_000, 1)
	if s.faults, err = dynamo.Parse(from.Text("FAULTS", standardFaults)); err != nil {
		from.Wrong("FAULTS", err)
	}
	if s.only > 0 {
		s.ops = min(s.ops, roundCalls) // a round has no more calls
	}
	s.file, s.command, s.besides = from.Figures(), from.Command("stress"), from.Given("WINDOW", "FAULTS")
	return s, from.Err()
}

// search is a run of the program.
type search struct {
	settings
	template *samtemplate.Template
	folder   string // for the calls and the log of rounds with violations
	figures  *figures
	alter    func(http.RoundTripper) http.RoundTripper // changes requests to the engine; nil: none
}

func run(ctx context.Context) error {
	settings, err := parseSettings(os.Getenv)
	if err != nil {
		return err
	}
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	s := &search{settings: settings, template: template, folder: filepath.Join(template.Root, ".build", "stress"), figures: newFigures()}
	if err := errors.Join(stack.Prepare(ctx, template, os.Stdout), os.MkdirAll(s.folder, 0o755)); err != nil {
		return err
	}
	log.SetOutput(io.Discard) // the proxies log every broken answer
	began, f := time.Now(), s.figures
	shown := batch.Show(os.Stdout, func() batch.Progress {
		note := fmt.Sprintf("%d checks, %d violations", f.of("all", "checks"), f.of("all", "violations"))
		return batch.Progress{What: "calls", Done: f.of("all", "calls"), Of: s.ops, Note: note}
	})
	err = s.play(ctx)
	shown()
	f.Run = batch.NewRun(s.command, began, ctx.Err() != nil)
	err = errors.Join(err, batch.WriteFigures(s.file, f))
	if found := f.of("all", "violations"); found > 0 {
		err = errors.Join(err, fmt.Errorf("%d violations, printed above", found))
	}
	return err
}

// play plays rounds until all calls are made and checked, or mostFailures rounds had violations. It prints violations
// when it finds them. It returns an error only if the machine failed, not for violations.
func (s *search) play(ctx context.Context) error {
	stories, failures := 0, 0
	for number := max(s.only, 1); failures < mostFailures; number++ {
		calls := min(s.ops-s.figures.of("all", "calls"), roundCalls)
		if calls <= 0 || s.only > 0 && number > s.only {
			break
		}
		found, err := s.playRound(ctx, number, calls)
		for _, violation := range found.violations {
			if stories++; stories <= mostStories {
				fmt.Printf("\nviolation %d, in the calls %d to %d of round %d: %s\n", stories, found.from, found.to, number, violation)
				fmt.Printf("  all calls: %s; again: make stress SEED=%d ROUND=%d OPS=%d%s\n", found.folder, s.seed, number, found.to, s.besides)
			}
		}
		if err != nil {
			return fmt.Errorf("round %d: %w", number, err)
		}
		if len(found.violations) > 0 {
			failures++
		}
	}
	return nil
}

// figures has the counts of all rounds.
type figures struct {
	batch.Run
	Counts map[string]map[string]int // by group, as in Counts["enter-show"]["201"]

	mu sync.Mutex
}

func newFigures() *figures { return &figures{Counts: map[string]map[string]int{}} }

// add adds n to the count of what in a group. A group is a kind of call, "faults", "functions", "killed",
// "causes of failures" or "all".
func (f *figures) add(group, what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Counts[group] == nil {
		f.Counts[group] = map[string]int{}
	}
	f.Counts[group][what] += n
}

// of returns a count.
func (f *figures) of(group, what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Counts[group][what]
}
