// Package batch has the common parts of commands that run for minutes or hours: settings, signals, progress, and the
// file of measured figures.
package batch

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// Main runs a command. If run returns an error, Main prints the error and exits with 1. The first signal ends ctx, and
// run must then return within seconds. Further signals have no effect. After a signal, Main prints that the run was
// interrupted, the text kept, and errors other than the interruption. The text kept says which results remain ("" if
// none do).
func Main(name, kept string, run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx)
	interrupted := ctx.Err() != nil
	stop()
	if err == nil {
		return
	}
	lines := strings.Split(err.Error(), "\n")
	if interrupted {
		besides := slices.DeleteFunc(lines, func(line string) bool { return strings.HasSuffix(line, context.Canceled.Error()) })
		lines = append([]string{strings.TrimSuffix("interrupted; "+kept, "; ")}, besides...)
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", name, strings.Join(lines, "\n"))
	os.Exit(1)
}
