package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/gateway"
	"github.com/ranch-game/ranch/localstack/samtemplate"
)

// stack is everything that runs.
type stack struct {
	engine  *engine.Engine
	gateway *gateway.Gateway
	server  *http.Server
	failed  chan error // what ended a server by itself
	api     string

	permissions *http.Server // between the functions and the engine

	withdraw func() // the announcement
}

// run serves the API until ctx ends, which is no error, or until something fails. When it returns, nothing that it has started runs any more.
func run(ctx context.Context, cfg config, out io.Writer, logs console) error {
	s := &stack{failed: make(chan error, 2)}
	err := s.open(ctx, cfg, out, logs)
	if err == nil {
		fmt.Fprint(out, welcome(s.api, s.engine.Endpoint()))
		err = s.wait(ctx, out)
	}
	if ctx.Err() != nil { // then err is only a consequence
		fmt.Fprintln(out, "\nStopping")
		err = nil
	}
	return errors.Join(err, s.close())
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
	if err := engine.Install(ctx, cfg.engine, out); err != nil {
		return err
	}
	if cfg.engine == engine.LocalStack {
		fmt.Fprintf(out, "Looking for LocalStack at %s\n", engine.LocalStackEndpoint())
	} else {
		fmt.Fprintf(out, "Starting the engine (%s)\n", cfg.engine)
	}
	if s.engine, err = engine.Start(ctx, engine.Options{Kind: cfg.engine, Port: cfg.dbPort, DataDir: cfg.dataDir}); err != nil {
		return err
	}
	fmt.Fprintln(out, "Building the functions (the first time it takes a minute)")
	if err := buildFunctions(ctx, t.Root, out); err != nil {
		return err
	}
	if err := setUp(ctx, cfg, t, s.engine, out); err != nil {
		return err
	}
	if err := s.serve(ctx, cfg, t, logs); err != nil {
		return err
	}
	s.withdraw, err = running.Announce(t.Root, running.Stack{API: s.api, Endpoint: s.engine.Endpoint(), Table: tableName})
	return err
}

func (s *stack) serve(ctx context.Context, cfg config, t *samtemplate.Template, logs console) error {
	permissions, err := s.servePermissions(ctx, t, logs)
	if err != nil {
		return err
	}
	config, err := gatewayConfig(t, cfg.engine, permissions)
	if err != nil {
		return err
	}
	config.Log = logs.line
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", cfg.port))
	if err != nil {
		return fmt.Errorf("serving the API: %w", err)
	}
	g, err := gateway.New(config)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := g.Start(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	s.api, s.gateway, s.server = "http://"+listener.Addr().String(), g, g.Server()
	go func() { s.failed <- fmt.Errorf("the API is served no more: %w", s.server.Serve(listener)) }()
	return nil
}

// wait returns nil when ctx ends, or why the stack cannot go on. The end of the engine does not end the rest: as in the cloud, a table that is lost
// makes every answer a 500 until it is back.
func (s *stack) wait(ctx context.Context, out io.Writer) error {
	ended := s.engine.Exited()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ended:
			fmt.Fprintf(out, "The engine has ended: %s\nUntil another one serves the table at %s, the API answers 500. Ctrl-C ends the rest.\n",
				s.engine.LastOutput(), s.engine.Endpoint())
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
	if s.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if s.server.Shutdown(ctx) != nil {
			_ = s.server.Close()
		}
		ctx, cancel = context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = s.gateway.Close(ctx)
	}
	if s.permissions != nil {
		_ = s.permissions.Close()
	}
	if s.engine != nil {
		s.engine.Close()
	}
	return err
}
