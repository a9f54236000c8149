// Package stack serves the functions on this machine as the cloud does: behind a stand-in for API Gateway, each with
// what its role allows, and, where wanted, with a table's limits between them and the engine. `make run` serves one,
// and so does whatever measures the real functions.
package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/sam/front"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/localstack/sam/iam"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Config says what is served, and where.
type Config struct {
	Template  *samtemplate.Template        // its functions are built, below its root
	Engine    *engine.Engine               // with the table in it
	Kind      engine.Kind                  // of the engine
	Before    string                       // base URL of what stands before the engine, for functions; "": nothing does
	Port      int                          // of the API; 0 is any that is free
	DBPort    int                          // of the database, for tools; 0 is any that is free. LocalStack has its own
	Limits    *capacity.Options            // of the table that the functions meet; nil: none
	Processes int                          // how many a function may have; 0 is the gateway's own number
	Throttle  bool                         // whether routes are held to the template's limits
	Front     front.Limits                 // of each address, before the API; nil: none
	Emulator  string                       // runs functions for another processor; "": for this one
	Log       func(function, line string)  // gets what functions write
	Throttled func(function string)        // is told of requests that a reserved concurrency turns away; nil: nobody is
	Access    func(requestID, line string) // gets the access log's lines; nil: there is none

	// Invoked is told of each invocation that has ended; nil: nobody is.
	Invoked func(function string, took time.Duration, err error)
}

// Stack is a service that answers.
type Stack struct {
	API      string           // base URL
	Endpoint string           // of the database, for tools; past the limits
	Limits   *capacity.Limits // between the functions and the engine; nil: none
	Inside   []*http.Server   // what no web page is to reach: before the engine, for tools and for the functions

	gateway *gateway.Gateway
	server  *http.Server // of the API
	failed  chan error
}

// Prepare brings what Serve wants of a working tree: the embedded engine is installed, and the functions are compiled.
// What has to be done for that is told to out.
func Prepare(ctx context.Context, t *samtemplate.Template, out io.Writer) error {
	if err := engine.Install(ctx, engine.Embedded, out); err != nil {
		return err
	}
	return build.Make(ctx, t.Root, out, os.Environ(), "functions")
}

// Serve opens all that others connect to: the database for tools, the permissions for the functions, and the API. Web
// pages are let into the API alone. After an error nothing is left open.
func Serve(ctx context.Context, cfg Config) (*Stack, error) {
	s := &Stack{failed: make(chan error, 3)} // one for each server
	if err := s.serve(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Stack) serve(ctx context.Context, cfg Config) error {
	behind, err := url.Parse(cfg.Engine.Endpoint())
	if err != nil {
		return fmt.Errorf("the engine's endpoint: %w", err)
	}
	s.Endpoint = cfg.Engine.Endpoint()
	if cfg.Kind != engine.LocalStack {
		if s.Endpoint, err = s.serveInside(ctx, "the database", cfg.DBPort, loopback.Forward(behind)); err != nil {
			return err
		}
	}
	if cfg.Before != "" {
		if behind, err = url.Parse(cfg.Before); err != nil {
			return fmt.Errorf("what stands before the engine: %w", err)
		}
	}
	transport := http.RoundTripper(loopback.Transport())
	if cfg.Limits != nil {
		s.Limits = capacity.New(*cfg.Limits)
		transport = s.Limits.Transport(transport)
	}
	var roles []*iam.Role
	for _, f := range cfg.Template.Functions {
		roles = append(roles, iam.NewRole(f.LogicalID, f.Statements))
	}
	// A permission that is missing is a line in the log of the function that lacks it.
	permissions, err := s.serveInside(ctx, "the permissions", 0, iam.Proxy(roles, transport, behind, func(function, permission string) {
		cfg.Log(function, fmt.Sprintf("template.yaml does not allow %s %s", function, permission))
	}))
	if err != nil {
		return err
	}
	var listener net.Listener
	if listener, s.API, err = listen(ctx, "the API", cfg.Port); err != nil {
		return err
	}
	config, err := gatewayConfig(cfg, permissions, s.API)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	g, err := gateway.New(config)
	if err == nil {
		err = g.Start(ctx)
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	s.gateway, s.server = g, g.Server()
	if cfg.Front != nil {
		s.server.Handler = front.Handler(cfg.Front, time.Now, s.server.Handler)
	}
	s.start("the API", listener, s.server)
	return nil
}

// serveInside serves what no web page is to reach.
func (s *Stack) serveInside(ctx context.Context, what string, port int, handler http.Handler) (address string, err error) {
	server := &http.Server{Handler: loopback.RefuseBrowsers(handler), ReadHeaderTimeout: 10 * time.Second}
	s.Inside = append(s.Inside, server)
	listener, address, err := listen(ctx, what, port)
	if err == nil {
		s.start(what, listener, server)
	}
	return address, err
}

// listen opens a port of the loopback interface, a free one where the port is 0, and returns its base URL.
func listen(ctx context.Context, what string, port int) (listener net.Listener, address string, err error) {
	listener, err = new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, "", fmt.Errorf("serving %s: %w", what, err)
	}
	return listener, "http://" + listener.Addr().String(), nil
}

// start serves what comes to the port.
func (s *Stack) start(what string, listener net.Listener, server *http.Server) {
	go func() { s.failed <- fmt.Errorf("%s is served no more: %w", what, server.Serve(listener)) }()
}

// Invoke runs a function with an event, as EventBridge Scheduler has Lambda do it.
func (s *Stack) Invoke(ctx context.Context, logicalID string, event []byte) ([]byte, error) {
	return s.gateway.Invoke(ctx, logicalID, event)
}

// Processes returns those that run functions now.
func (s *Stack) Processes() []gateway.Process { return s.gateway.Processes() }

// Failed tells what has ended a server by itself.
func (s *Stack) Failed() <-chan error { return s.failed }

// Close ends all that Serve has started, from the outside in, with every process of a function; the engine goes on.
// Requests under way get two seconds.
func (s *Stack) Close() error {
	var err error
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
	for _, server := range s.Inside {
		_ = server.Close()
	}
	return err
}

// Doors opens or closes the API's doors, as the template's parameter of that name does: "open" or "closed".
func (s *Stack) Doors(doors string) { s.gateway.SetStage(map[string]string{"doors": doors}) }

// Limit holds a function's route to other limits than the template's (gateway.Limit).
func (s *Stack) Limit(function string, t gateway.Throttle) error { return s.gateway.Limit(function, t) }

// Reserve holds a function to so many requests at a time (gateway.Reserve).
func (s *Stack) Reserve(function string, concurrency int) error {
	return s.gateway.Reserve(function, concurrency)
}
