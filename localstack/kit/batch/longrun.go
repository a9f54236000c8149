// Package batch is what the commands have in common that run for minutes or hours: how they are told what to do, how
// far they are, what a signal does to them, and the figures that they leave.
//
//	batch.go   the command, from its start to its exit code
//	settings.go  the variables of the environment that it goes by
//	progress.go  how far it is
//	figures.go   what it has counted, as a file
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

// Main runs a command and ends the process where it fails: with 1, and the reason on stderr. The first signal to end
// ends ctx, upon which run has to return within seconds; further ones, such as those that make passes on, change
// nothing. What is kept of a run that was interrupted, its user is told, "" being nothing, and what else has gone wrong
// by then.
func Main(name, kept string, run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx)
	interrupted := ctx.Err() != nil
	stop()
	if err == nil {
		return
	}
	text := err.Error()
	if interrupted {
		text = strings.Join(append([]string{strings.TrimSuffix("interrupted; "+kept, "; ")}, besides(text)...), "\n")
	}
	fmt.Fprintf(os.Stderr, "%s: %s\n", name, text)
	os.Exit(1)
}

// besides returns the lines of an error that say more than that it was interrupted.
func besides(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.HasSuffix(line, context.Canceled.Error()) })
}
