// Package batch has the common parts of commands that run for minutes or hours: settings, signals, progress, and
// figures.
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

// Main runs a command. If the command fails, Main prints the reason and exits with 1. The first signal ends ctx, and
// run must return within seconds; further signals have no effect. If a signal has interrupted the run, Main says so. It
// prints what is kept of the run ("" for nothing), and what else went wrong.
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
