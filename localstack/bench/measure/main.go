// Command measure writes the start times of functions, and the processor time of their calls, into docs/processor.md. A
// start begins when the program is run, and ends with its first request for an invocation. To measure calls, it runs
// the functions behind the local gateway, on the embedded engine. `make measure` runs it, on Linux only.
//
//	starts.go      times the starts
//	processor.go   the processor time of a scene's calls
//	script.go      the scenes: players from registering to logging out
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/bench/figures"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() { batch.Main("measure", "", measure) }

func measure(ctx context.Context) error {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	dir := filepath.Join(template.Root, ".build", "measure")
	// A function has only one process, so that all of this process's time belongs to the measured calls.
	w, err := world.Open(ctx, world.Config{Folder: dir, Processes: 1})
	if err != nil {
		return err
	}
	programs := filepath.Join(dir, ".build", "functions")
	all, err := observe(ctx, w, programs, amounts{players: 100, shows: 30, repeated: 1000})
	if err := w.Close(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	starts, err := medianStarts(ctx, template, programs)
	if err != nil {
		return err
	}
	page := figures.Block{Page: "docs/processor.md", Name: "calls", Tolerance: "not tested: times are the machine's"}
	return page.Write(template.Root, table(starts, all))
}

// table renders the figures in Markdown.
func table(starts map[string]time.Duration, all []taken) string {
	var b strings.Builder
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Fprintf(&b, "%s, %d processors.\n\n", runtime.Version(), runtime.NumCPU())
	b.WriteString("| Call | Function | Start ms | Processor ms | Median ms |\n|---|---|---:|---:|---:|\n")
	for _, t := range all {
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.3f | %.3f |\n", t.scene, t.program, ms(starts[t.program]), ms(t.fastest), ms(t.median))
	}
	return b.String()
}

// observe plays the script against the world, whose functions have their programs in the given folder. It returns the
// processor time of each scene's calls.
func observe(ctx context.Context, w *world.World, programs string, a amounts) (all []taken, err error) {
	s := script{amounts: a, World: w}
	s.observe = func(name, function string, n int, call func(i int) error) error {
		fmt.Fprintf(os.Stderr, "%s: %d calls\n", name, n)
		t := taken{scene: name, program: function}
		if err := t.measure(filepath.Join(programs, function), n, call); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, t)
		return nil
	}
	return all, s.play(ctx)
}
