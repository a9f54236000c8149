// Measure prints how large the functions are, as they are deployed, how long they take to start, and what a call takes
// of the processor and allocates, beside an empty handler built the same way. A start is the time from running the
// program to its first question for an invocation; for the calls, the functions run under the local gateway, on the
// embedded engine. `make measure` runs it, and docs/processor.md has what it printed. It needs Linux.
//
//	programs.go   compiles the programs, and times their starts
//	figures.go    what the calls of a scene take
//	script.go     the scenes: a loop of players from registering to logging out
//	probe/        counts allocations inside a function; without a question it does nothing
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"time"

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
	deployed, native, probed := filepath.Join(dir, "arm64"), filepath.Join(dir, "native"), filepath.Join(dir, "probed")
	for _, err := range []error{
		compile(ctx, t, deployed, "GOOS=linux", "GOARCH=arm64"), compile(ctx, t, native), compileProbed(ctx, t, probed),
	} {
		if err != nil {
			return err
		}
	}
	starts, err := medianStarts(ctx, t, native)
	if err != nil {
		return err
	}
	taken, err := observe(ctx, t, amounts{players: 100, shows: 30, repeated: 1000}, probed)
	if err != nil {
		return err
	}
	return page(os.Stdout, deployed, starts, taken)
}

// page prints the figures as a table in Markdown: docs/processor.md has that of a quiet machine.
func page(w io.Writer, deployed string, starts map[string]time.Duration, scenes []figures) error {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Fprintf(w, "%s, %d processors\n\n", runtime.Version(), runtime.NumCPU())
	fmt.Fprintln(w, "| Call | Function | arm64 bytes | Start ms | Processor ms | Above empty | Median ms | Allocations | KB |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|---:|---:|---:|")
	empty := scenes[0]
	for _, f := range scenes {
		info, err := os.Stat(program(deployed, f.program))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %s | %d | %.2f | %.3f | %.3f | %.3f | %d | %d |\n", f.scene, path.Base(f.program), info.Size(), ms(starts[f.program]),
			ms(f.processor), ms(f.processor-empty.processor), ms(f.median), f.objects, f.bytes/1024)
	}
	return nil
}
