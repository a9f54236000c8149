// Command ranch-local runs the whole service on this machine: the engine with the table, a demo, the functions behind a
// stand-in for API Gateway, and the game's page. `make run` builds and starts it. Its settings are environment
// variables (type config).
//
// With a LocalStack of the developer (ENGINE=localstack), `ranch-local init` only creates the table, the secret and the
// demo, and `ranch-local event FUNCTION` prints an event for `sam local invoke`.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
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
	cfg, err := parseConfig()
	if err != nil {
		return err
	}
	command := strings.Join(args, " ")
	_, isEvent := strings.CutPrefix(command, "event ")
	if cfg.engine != engine.LocalStack && command != "" {
		return fmt.Errorf("%s: it needs ENGINE=localstack", command)
	}
	switch {
	case command == "":
		return run(ctx, cfg, os.Stdout, newConsole(os.Stdout, terminal.Coloured(os.Stdout)))
	case command == "init":
		return initialise(ctx, cfg, os.Stdout)
	case isEvent:
		return printEvent(ctx, args[1], os.Stdout)
	}
	return fmt.Errorf("%s: the command must be init, event FUNCTION, or none", command)
}
