// Command measure writes the processor time and allocations of the functions' calls into docs/processor.md. It also
// measures an empty function that is built the same way, for comparison. The functions run behind the local gateway, on
// the embedded engine. `make measure` runs it, on Linux only.
//
//	programs.go   compiles the programs
//	figures.go    the cost of a scene's calls
//	script.go     the scenes: a loop of players from registering to logging out
//	probe/        counts allocations inside a function; without a request it does nothing
package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/figures"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	if err := measure(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context) error {
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	t.Functions = append(t.Functions, emptyFunction)
	dir := filepath.Join(t.Root, ".build", "measure")
	if err := compileProbed(ctx, t, dir); err != nil {
		return err
	}
	all, err := observe(ctx, t, amounts{players: 100, shows: 30, repeated: 1000}, dir)
	if err != nil {
		return err
	}
	return callsBlock.Write(t.Root, page(all))
}

// tolerated is the percentage by which the measured allocations of a call may differ from docs/processor.md.
const tolerated = 10

var callsBlock = figures.Block{
	Page: "docs/processor.md", Name: "calls", Tolerance: fmt.Sprintf("%d %% of allocations and KB (`TestAllocations`); no test looks at times", tolerated),
}

// page renders the figures as a table in Markdown.
func page(scenes []taken) string {
	var b strings.Builder
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Fprintf(&b, "%s, %d processors.\n\n", runtime.Version(), runtime.NumCPU())
	b.WriteString("| Call | Function | Processor ms | Above empty | Median ms | Allocations | KB |\n|---|---|---:|---:|---:|---:|---:|\n")
	empty := scenes[0]
	for _, f := range scenes {
		fmt.Fprintf(&b, "| %s | %s | %.3f | %.3f | %.3f | %d | %d |\n", f.scene, path.Base(f.program), ms(f.processor),
			ms(f.processor-empty.processor), ms(f.median), f.objects, f.bytes/1024)
	}
	return b.String()
}
