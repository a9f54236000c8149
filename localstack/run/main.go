// Command ranch-local runs the whole service on this machine: the engine with the table, a demo, the functions behind a
// stand-in for API Gateway, and the game's page. `make run` builds and starts it. Its settings are environment
// variables (type config).
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/ranch-game/ranch/infra/terminal"
)

func main() {
	// The first signal ends everything in order. That takes seconds at most, so that further signals have no effect.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := start(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ranch-local:", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("the arguments %q are unknown: ranch-local takes none", args)
	}
	cfg, err := parseConfig(os.Getenv)
	if err != nil {
		return err
	}
	return run(ctx, cfg, os.Stdout, newConsole(os.Stdout, terminal.Coloured(os.Stdout)))
}
