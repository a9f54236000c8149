package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/run/samlocal"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// serveWithSAM sets up the LocalStack and serves the API before it with sam local, which takes this process's place: it
// returns only with an error. What may be missing is looked for before anything is built.
func serveWithSAM(ctx context.Context, cfg config, out io.Writer) error {
	if err := cfg.checkPorts(); err != nil {
		return err
	}
	if err := samlocal.CheckEndpoint(engine.LocalStackEndpoint()); err != nil {
		return err
	}
	if err := samlocal.CheckDocker(ctx); err != nil {
		return err
	}
	if err := initialise(ctx, cfg, out); err != nil {
		return err
	}
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	architecture, err := samlocal.HostArchitecture(ctx)
	if err != nil {
		return err
	}
	environ := append(samlocal.Environ(os.Environ()), "GOOS=linux", "GOARCH="+architecture.Go)
	if err := build.Make(ctx, t.Root, out, environ, samlocal.Program, "functions", "FUNCTIONS_DIR="+samlocal.Programs(t)); err != nil {
		return err
	}
	template, err := samlocal.WriteTemplate(t, stack.PhysicalIDs(cfg.engine), architecture)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "No page of the game is served with it. The one of a `make run` plays here, too, with ?api=http://127.0.0.1:%d\n", cfg.port)
	return samlocal.Exec(t.Root, template, cfg.port)
}
