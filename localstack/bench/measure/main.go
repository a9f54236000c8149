// Command measure writes the start times of functions, and the processor time and allocations of their calls, into
// docs/processor.md. It also measures an empty function that is built the same way, for comparison. A start begins when
// the program is run, and ends with its first request for an invocation. To measure calls, it runs the functions behind
// the local gateway, on the embedded engine. `make measure` runs it, on Linux only.
//
//	programs.go   compiles the programs, and times their starts
//	figures.go    the cost of a scene's calls
//	script.go     the scenes: a loop of players from registering to logging out
//	probe/        counts allocations inside a function; without a request it does nothing
package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/figures"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() { batch.Main("measure", "", measure) }

func measure(ctx context.Context) error {
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	t.Functions = append(t.Functions, emptyFunction)
	dir := filepath.Join(t.Root, ".build", "measure")
	native, probed := filepath.Join(dir, "native"), filepath.Join(dir, "probed")
	if err := errors.Join(compile(ctx, t, native), compileProbed(ctx, t, probed)); err != nil {
		return err
	}
	starts, err := medianStarts(ctx, t, native)
	if err != nil {
		return err
	}
	all, err := observe(ctx, t, amounts{players: 100, shows: 30, repeated: 1000}, probed)
	if err != nil {
		return err
	}
	return callsBlock.Write(t.Root, page(starts, all))
}

// tolerated is the percentage by which TestAllocations lets the allocations of a call differ from docs/processor.md.
const tolerated = 10

var callsBlock = figures.Block{
	Page: "docs/processor.md", Name: "calls", Tolerance: fmt.Sprintf("%d %% of allocations and KB (`TestAllocations`); no test looks at times", tolerated),
}

// page renders the figures as a table in Markdown. The first scene must call the empty function, for comparison.
func page(starts map[string]time.Duration, scenes []taken) string {
	var b strings.Builder
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Fprintf(&b, "%s, %d processors.\n\n", runtime.Version(), runtime.NumCPU())
	b.WriteString("| Call | Function | Start ms | Processor ms | Above empty | Median ms | Allocations | KB |\n|---|---|---:|---:|---:|---:|---:|---:|\n")
	empty := scenes[0]
	for _, f := range scenes {
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.3f | %.3f | %.3f | %d | %d |\n", f.scene, path.Base(f.program), ms(starts[f.program]),
			ms(f.processor), ms(f.processor-empty.processor), ms(f.median), f.objects, f.bytes/1024)
	}
	return b.String()
}
