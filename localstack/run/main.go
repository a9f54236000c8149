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
	"strings"

	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	batch.Main("ranch-local", "", func(ctx context.Context) error { return start(ctx, os.Args[1:]) })
}

func start(ctx context.Context, args []string) error {
	cfg, err := parseConfig()
	if err != nil {
		return err
	}
	command := strings.Join(args, " ")
	function, isEvent := strings.CutPrefix(command, "event ")
	switch {
	case command == "":
		return run(ctx, cfg, os.Stdout, newConsole(os.Stdout, terminal.Coloured(os.Stdout)))
	case command != "init" && !isEvent:
		return fmt.Errorf("%s: the command must be init, event FUNCTION, or none", command)
	case cfg.engine != engine.LocalStack:
		return fmt.Errorf("%s: it needs ENGINE=localstack", command)
	}
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	e, err := engine.Start(ctx, engine.Options{Kind: engine.LocalStack})
	if err != nil {
		return err
	}
	defer e.Close()
	if isEvent {
		return printEvent(ctx, t, e, function, os.Stdout)
	}
	if err = setUp(ctx, cfg, e, os.Stdout); err == nil {
		fmt.Printf("LocalStack at %s has the table %s and the secret %s\n", e.Endpoint(), stack.TableName, stack.SecretName)
	}
	return err
}
