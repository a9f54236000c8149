package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/build"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/gateway"
	"github.com/ranch-game/ranch/localstack/limits"
	"github.com/ranch-game/ranch/localstack/samtemplate"
)

// stack is everything that runs.
type stack struct {
	engine   *engine.Engine
	inside   []*http.Server // what stands before the engine: for tools, and for the functions
	endpoint string         // of the database, for tools
	gateway  *gateway.Gateway
	server   *http.Server // of the API
	api      string
	limits   *limits.Limits // between the functions and the engine; nil: none
	failed   chan error     // what ended a server by itself

	withdraw func() // the announcement
}

func newStack() *stack { return &stack{failed: make(chan error, 3)} } // one for each server

// run serves the API until ctx ends, which is no error, or until something fails. When it returns, nothing that it has
// started runs any more.
func run(ctx context.Context, cfg config, out io.Writer, logs console) error {
	s := newStack()
	err := s.open(ctx, cfg, out, logs)
	if err == nil {
		fmt.Fprint(out, welcome(s.api, s.endpoint))
		err = s.wait(ctx, out)
	}
	if ctx.Err() != nil { // then err is only a consequence
		fmt.Fprintln(out, "\nStopping")
		err = nil
	}
	err = errors.Join(err, s.close())
	if s.limits != nil {
		fmt.Fprintln(out, summary(s.limits.Snapshot()))
	}
	return err
}

// summary is what the functions' requests came to under limits.
func summary(s limits.Snapshot) string {
	all := s.Total()
	text := fmt.Sprintf("The functions' requests: %d, of them throttled %d and in conflict %d; %.0f read and %.0f write units",
		all.Requests, all.Throttled, all.Conflicts, all.Read, all.Written)
	if len(s.Hottest) > 0 {
		hottest := s.Hottest[0]
		text += fmt.Sprintf(", most of them in %s (%.0f and %.0f)", hottest.Key, hottest.Read, hottest.Written)
	}
	return text
}

// open brings everything up, the quick checks first. After an error, too, close must be called.
func (s *stack) open(ctx context.Context, cfg config, out io.Writer, logs console) error {
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	if err := cfg.checkPorts(); err != nil {
		return err
	}
	for _, note := range cfg.notes() {
		fmt.Fprintln(out, note)
	}
	if err := engine.Install(ctx, cfg.engine, out); err != nil {
		return err
	}
	if cfg.engine == engine.LocalStack {
		fmt.Fprintf(out, "Looking for LocalStack at %s\n", engine.LocalStackEndpoint())
	} else {
		fmt.Fprintf(out, "Starting the engine (%s)\n", cfg.engine)
	}
	if s.engine, err = engine.Start(ctx, engine.Options{Kind: cfg.engine, DataDir: cfg.dataDir}); err != nil {
		return err
	}
	fmt.Fprintln(out, "Building the functions (the first time it takes a minute)")
	if err := build.Make(ctx, t.Root, out, os.Environ(), "functions"); err != nil {
		return err
	}
	if err := setUp(ctx, cfg, t, s.engine, out); err != nil {
		return err
	}
	if err := s.serve(ctx, cfg, t, logs); err != nil {
		return err
	}
	s.withdraw, err = running.Announce(t.Root, running.Stack{API: s.api, Endpoint: s.endpoint, Table: tableName})
	return err
}

// wait returns nil when ctx ends, or why the stack cannot go on. The end of the engine does not end the rest: as in the
// cloud, a table that is lost makes every answer a 500.
func (s *stack) wait(ctx context.Context, out io.Writer) error {
	ended := s.engine.Exited()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ended:
			fmt.Fprintf(out, "The engine has ended: %s\nFrom now on the API answers 500, and the database 502. Ctrl-C ends the rest.\n",
				s.engine.LastOutput())
			ended = nil
		case err := <-s.failed:
			return err
		}
	}
}

// close ends whatever has been started, from the outside in. Requests under way get two seconds.
func (s *stack) close() error {
	var err error
	if s.withdraw != nil {
		s.withdraw()
	}
	if s.gateway != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if s.server.Shutdown(ctx) != nil {
			_ = s.server.Close()
		}
		ctx, cancel = context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = s.gateway.Close(ctx)
	}
	for _, server := range s.inside {
		_ = server.Close()
	}
	if s.engine != nil {
		s.engine.Close()
	}
	return err
}
