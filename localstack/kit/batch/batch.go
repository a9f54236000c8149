// Package batch has the common parts of commands that run for a while: settings and signals.
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

// Main runs a command. If run returns an error, Main prints the error and exits with 1. SIGINT, SIGTERM and SIGHUP
// cancel ctx. run must then return within seconds, because further signals have no effect. If run returns an error
// after a signal, Main prints "interrupted", the text kept, and the lines of the error that do not end with "context
// canceled". kept says which results remain ("" if none do).
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
