// Command ranch-local runs the whole service on this machine: the engine with the table, a demo, the functions behind a
// stand-in for API Gateway, and the game's page. `make run` builds and starts it. Its settings are environment
// variables (type config).
//
// `ranch-local init` only creates the table and the secret in a LocalStack, for use with other gateways. `ranch-local
// sam-local` creates them, too, and then serves the API with sam local.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/localstack/engine"
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
	cfg, err := parseConfig(func(name string) string {
		if name == "PLAY_PORT" && len(args) > 0 {
			return "none" // only run serves the page
		}
		return os.Getenv(name)
	})
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return run(ctx, cfg, os.Stdout, newConsole(os.Stdout, terminal.Coloured(os.Stdout)))
	}
	command := map[string]func(context.Context, config, io.Writer) error{"init": initialise, "sam-local": serveWithSAM}[args[0]]
	if command == nil || len(args) > 1 {
		return fmt.Errorf("%q is no command of it: it takes none, init or sam-local", args)
	}
	if cfg.engine != engine.LocalStack {
		return fmt.Errorf("%s is for a LocalStack: call it with ENGINE=localstack", args[0])
	}
	return command(ctx, cfg, os.Stdout)
}
