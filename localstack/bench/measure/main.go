// Measure prints how large the functions are, as they are deployed, how long they take to start, and what a call takes
// of the processor and allocates, beside an empty handler built the same way. A start is the time from running the
// program to its first question for an invocation; for the calls, the functions run under the local gateway, on the
// embedded engine. `make measure` runs it, and docs/processor.md has what it printed. It needs Linux.
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
	dir := filepath.Join(t.Root, ".build", "measure")
	deployed, native, probed := filepath.Join(dir, "arm64"), filepath.Join(dir, "native"), filepath.Join(dir, "probed")
	for _, err := range []error{
		compile(ctx, t, deployed, "GOOS=linux", "GOARCH=arm64"), compile(ctx, t, native), compileProbed(ctx, t, probed),
	} {
		if err != nil {
			return err
		}
	}
	names := []string{emptyProgram}
	for _, f := range t.Endpoints() {
		names = append(names, path.Base(f.Folder))
	}
	api, err := newRuntimeAPI()
	if err != nil {
		return err
	}
	defer api.close()
	starts, err := api.medians(ctx, native, names)
	if err != nil {
		return err
	}
	profiles := filepath.Join(dir, "profiles")
	if err := os.MkdirAll(profiles, 0o755); err != nil {
		return err
	}
	scenes, err := observeAll(ctx, t, amounts{players: 100, shows: 30, repeated: 1000}, native, probed, profiles)
	if err != nil {
		return err
	}
	return page(os.Stdout, deployed, starts, scenes)
}

// page prints the figures as tables in Markdown: docs/processor.md has those of a quiet machine.
func page(w io.Writer, deployed string, starts map[string]time.Duration, scenes []figures) error {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Fprintf(w, "%s, %d processors\n\n", runtime.Version(), runtime.NumCPU())
	fmt.Fprintln(w, "| Call | Function | arm64 bytes | Start ms | Processor ms | Above empty | Allocations | KB |")
	fmt.Fprintln(w, "|---|---|---:|---:|---:|---:|---:|---:|")
	empty := scenes[0]
	for _, f := range scenes {
		info, err := os.Stat(filepath.Join(deployed, f.program))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %s | %d | %.2f | %.3f | %.3f | %d | %d |\n",
			f.scene, f.program, info.Size(), ms(starts[f.program]), ms(f.processor), ms(f.processor-empty.processor), f.objects, f.bytes/1024)
	}
	fmt.Fprint(w, "\n| Call |")
	rule := "|---|"
	for _, layer := range layers {
		fmt.Fprintf(w, " %s |", layer.name)
		rule += "---:|"
	}
	fmt.Fprintf(w, " %s |\n%s---:|\n", runtimeLayer, rule)
	for _, f := range scenes {
		fmt.Fprintf(w, "| %s |", f.scene)
		for _, layer := range layers {
			fmt.Fprintf(w, " %.3f |", f.layers[layer.name]*ms(f.processor))
		}
		fmt.Fprintf(w, " %.3f |\n", f.layers[runtimeLayer]*ms(f.processor))
	}
	return nil
}
