// Package longrun is what the commands have in common that run for minutes or hours: how they are told what to do, how
// far they are, what a signal does to them, and the figures that they leave.
//
//	longrun.go   the command, from its start to its exit code
//	settings.go  the variables of the environment that it goes by
//	progress.go  how far it is
//	figures.go   what it has counted, as a file
package longrun

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a command and ends the process where it fails: with 1, and the reason on stderr. The first signal that asks
// it to end ends ctx, upon which run has to return within seconds; further ones, such as those that make passes on,
// change nothing. What is kept of a run that was interrupted, its user is told; "" is nothing.
func Main(name, kept string, run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil:
		return
	case interrupted && kept != "":
		err = fmt.Errorf("interrupted; %s", kept)
	case interrupted:
		err = fmt.Errorf("interrupted: %w", err)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	os.Exit(1)
}
