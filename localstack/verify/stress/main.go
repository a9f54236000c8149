// Command ranch-stress sends thousands of calls to the real functions, with faults and kills, and checks the table.
// `make stress` builds and starts the command. OPS, SEED and WINDOW are its environment variables.
// docs/searching.md explains the output, and docs/truth.md lists what the command has found.
//
// A round is 10,000 calls on a fresh table, so that time and memory for a check stay bounded. The seed of the first
// round is SEED, and that of each further round is one more. The seed decides the plan: who calls what, which calls are
// concurrent, and when a process is killed. The machine decides the order of concurrent calls. A round has windows of
// WINDOW calls. After every window, ranch-stress turns the faults off, waits for all calls to end, and checks the table.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() { batch.Main("stress", "the figures are of what was played before", run) }

// roundCalls is the number of calls of a round.
const roundCalls = 10_000

// These are the faults that requests to the table meet (localstack/dynamo/README.md).
var chances = map[string]float64{
	"conflict": 0.01, "throttle": 0.003, "unprocessed": 0.003, "error": 0.003, "error-after": 0.003,
	"lost": 0.004, "broken": 0.001, "late": 0.006, "slow": 0.003,
}

const (
	longestDelay = 500 * time.Millisecond // of late attempts and slow answers
	hold         = 12 * time.Millisecond  // for which a transaction holds its items
)

// search is a run of the program.
type search struct {
	window   int // calls between checks
	template *samtemplate.Template
	folder   string // for the receipts of a round with violations
	figures  *figures
	alter    stack.Between // changes requests behind the faults; nil: nothing does
}

func run(ctx context.Context) error {
	from := batch.NewSettings(os.Getenv)
	calls, first := from.Number("OPS", 10_000, 1), from.Number("SEED", 1, 0)
	s := &search{window: from.Number("WINDOW", 2_000, 1), figures: &figures{counts: map[string]int{}}}
	template, err := samtemplate.LoadRoot()
	if err := errors.Join(from.Err(), err); err != nil {
		return err
	}
	s.template, s.folder = template, filepath.Join(template.Root, ".build", "stress")
	if err := errors.Join(build.Make(ctx, template.Root, os.Stdout, "functions"), os.MkdirAll(s.folder, 0o755)); err != nil {
		return err
	}
	log.SetOutput(io.Discard) // the proxies log every broken answer
	began := time.Now()
	for seed := first; err == nil && s.figures.of("calls") < calls; seed++ {
		some := min(calls-s.figures.of("calls"), roundCalls)
		if err = s.playRound(ctx, uint64(seed), some); err != nil {
			err = fmt.Errorf("%w\nto play this round again: make stress SEED=%d OPS=%d WINDOW=%d",
				err, seed, some, s.window)
		}
		fmt.Printf("%d of %d calls, %d checks\n", s.figures.of("calls"), calls, s.figures.of("checks"))
	}
	counts, _ := json.MarshalIndent(s.figures.counts, "", "\t")
	took := time.Since(began).Round(time.Second)
	fmt.Printf("%s\nSEED=%d OPS=%d WINDOW=%d, in %v\n", counts, first, calls, s.window, took)
	return err
}

// figures counts what happens in all rounds, such as "EnterShow 201".
type figures struct {
	mu     sync.Mutex
	counts map[string]int
}

func (f *figures) add(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[what] += n
}

func (f *figures) of(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[what]
}
