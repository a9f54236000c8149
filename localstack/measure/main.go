// Measure prints how large the functions are, as they are deployed, and how long they take to start, beside an empty
// handler built the same way. A start is the time from running the program to its first question for an invocation.
// `make measure` runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/ranch-game/ranch/localstack/build"
	"github.com/ranch-game/ranch/localstack/samtemplate"
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
	deployed, native := filepath.Join(dir, "arm64"), filepath.Join(dir, "native")
	for _, program := range []struct{ target, dir, arch string }{
		{"functions", native, ""}, {"functions", deployed, "arm64"}, {"empty-function", native, ""}, {"empty-function", deployed, "arm64"},
	} {
		environ := os.Environ()
		if program.arch != "" {
			environ = append(environ, "GOOS=linux", "GOARCH="+program.arch)
		}
		if err := build.Make(ctx, t.Root, os.Stderr, environ, program.target, "FUNCTIONS_DIR="+program.dir); err != nil {
			return err
		}
	}
	names := []string{"empty"}
	for _, f := range t.Functions {
		names = append(names, path.Base(f.Folder))
	}
	runtime, err := newRuntimeAPI()
	if err != nil {
		return err
	}
	defer runtime.close()
	medians, err := runtime.medians(ctx, native, names)
	if err != nil {
		return err
	}
	fmt.Printf("%-14s %12s %10s %6s\n", "function", "arm64 bytes", "start ms", "ratio")
	for _, name := range names {
		info, err := os.Stat(filepath.Join(deployed, name))
		if err != nil {
			return err
		}
		ratio := float64(medians[name]) / float64(medians["empty"])
		fmt.Printf("%-14s %12d %10.2f %6.2f\n", name, info.Size(), float64(medians[name].Microseconds())/1000, ratio)
	}
	return nil
}
