// Package stack serves the functions on this machine as the cloud does: behind a stand-in for API Gateway, each with
// the rights of its role. `make run`, and the tests and measurements of the real functions, use it.
package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/sam/front"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/localstack/sam/iam"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Config has the parts of a service, their addresses and limits.
type Config struct {
	Template  *samtemplate.Template         // its functions are built, in folders below its root
	Engine    *engine.Engine                // with the table in it
	Address   string                        // the API and the game listen here; "" for 127.0.0.1
	Hosts     loopback.Hosts                // that requests to the API may name
	Port      int                           // of the API; 0 for any free port
	DBPort    int                           // port of the database for tools; 0: any. LocalStack ignores it
	Between   Between                       // is between the functions and the engine; nil for nothing
	Processes int                           // the most processes of a function; 0 for the gateway's default
	Throttle  bool                          // whether the gateway enforces the template's rate limits
	Front     front.Limits                  // the limits of each address, before the API; nil for none
	Page      func(api string) http.Handler // serves the game that plays at api; nil for none
	PagePort  int                           // of the game; 0 for any free port
	Log       func(function, line string)   // gets the output of the functions
}

// Between returns a transport that changes requests to the engine, such as by limits or faults. next leads to the
// engine.
type Between = func(next http.RoundTripper) http.RoundTripper

// Stack is a running service.
type Stack struct {
	API      string         // base URL
	Page     string         // base URL of the game; "" for none
	Endpoint string         // of the database, for tools; without the limits
	Inside   []*http.Server // servers between the engine and tools or functions, not for web pages

	*gateway.Gateway              // invokes and limits the functions
	server, page     *http.Server // of the API and of the game
	failed           chan error
}

// Serve starts the servers of the service: the database for tools, the proxy that checks the functions' permissions,
// the API, and the game's page. Web pages can use only the API. After an error, Serve has closed everything.
func Serve(ctx context.Context, cfg Config) (*Stack, error) {
	s := &Stack{failed: make(chan error, 4)} // one for each server
	if err := s.serve(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Stack) serve(ctx context.Context, cfg Config) error {
	behind, err := url.Parse(cfg.Engine.Endpoint())
	if err != nil {
		return fmt.Errorf("the address of the database engine is not a URL: %w", err)
	}
	s.Endpoint = cfg.Engine.Endpoint()
	if cfg.Engine.Kind != engine.LocalStack {
		if s.Endpoint, err = s.serveInside(ctx, "the database", cfg.DBPort, loopback.Forward(behind)); err != nil {
			return err
		}
	}
	transport := http.RoundTripper(loopback.Transport())
	if cfg.Between != nil {
		transport = cfg.Between(transport)
	}
	var roles []*iam.Role
	for _, f := range cfg.Template.Functions {
		roles = append(roles, iam.NewRole(f.LogicalID, f.Statements))
	}
	// A missing permission becomes a line in the log of the function.
	permissions, err := s.serveInside(ctx, "the permissions", 0, iam.Proxy(roles, transport, behind, func(function, permission string) {
		cfg.Log(function, fmt.Sprintf("template.yaml does not allow %s %s", function, permission))
	}))
	if err != nil {
		return err
	}
	var listener net.Listener
	if listener, s.API, err = listen(ctx, "the API", cfg.Address, cfg.Port); err != nil {
		return err
	}
	config, err := gatewayConfig(cfg, permissions, s.API)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	g, err := gateway.New(ctx, config)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	s.Gateway, s.server = g, g.Server(cfg.Hosts)
	if cfg.Front != nil {
		s.server.Handler = front.Handler(cfg.Front, time.Now, s.server.Handler)
	}
	s.start("the API", listener, s.server)
	if cfg.Page != nil {
		s.page = &http.Server{Handler: cfg.Page(s.API), ReadHeaderTimeout: 10 * time.Second}
		if listener, s.Page, err = listen(ctx, "the game", cfg.Address, cfg.PagePort); err != nil {
			return err
		}
		s.start("the game", listener, s.page)
	}
	return nil
}

// serveInside starts a server that web pages must not reach.
func (s *Stack) serveInside(ctx context.Context, what string, port int, handler http.Handler) (address string, err error) {
	server := &http.Server{Handler: loopback.RefuseBrowsers(handler), ReadHeaderTimeout: 10 * time.Second}
	s.Inside = append(s.Inside, server)
	listener, address, err := listen(ctx, what, "", port)
	if err == nil {
		s.start(what, listener, server)
	}
	return address, err
}

// listen opens a port (0: any) of an address ("": 127.0.0.1) and returns its base URL for this machine. what names the
// server in the error.
func listen(ctx context.Context, what, at string, port int) (listener net.Listener, url string, err error) {
	listener, err = new(net.ListenConfig).Listen(ctx, "tcp4", fmt.Sprintf("%s:%d", cmp.Or(at, loopback.Address), port))
	if err != nil {
		return nil, "", fmt.Errorf("cannot open a port for %s: %w", what, err)
	}
	return listener, fmt.Sprintf("http://%s:%d", loopback.Address, listener.Addr().(*net.TCPAddr).Port), nil
}

// start serves requests to the listener. When the server ends, Failed gets the error.
func (s *Stack) start(what string, listener net.Listener, server *http.Server) {
	go func() { s.failed <- fmt.Errorf("the server of %s has stopped: %w", what, server.Serve(listener)) }()
}

// Failed returns a channel that gets the error of each server that ends, also by Close.
func (s *Stack) Failed() <-chan error { return s.failed }

// Close ends everything that Serve has started: first the page and the API, then the functions' processes, then the
// inner servers. Running requests get two seconds to finish. The engine goes on.
func (s *Stack) Close() error {
	var err error
	if s.page != nil {
		_ = s.page.Close()
	}
	if s.Gateway != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if s.server.Shutdown(ctx) != nil {
			_ = s.server.Close()
		}
		err = s.Gateway.Close()
	}
	for _, server := range s.Inside {
		_ = server.Close()
	}
	return err
}

// Doors sets the API's stage variable "doors", as the template's parameter does. If it is "closed", players' calls get
// 503.
func (s *Stack) Doors(doors string) { s.SetStage(map[string]string{"doors": doors}) }
