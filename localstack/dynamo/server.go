package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

// Config says where a Server listens and what it simulates.
type Config struct {
	Engine   string // the address of the engine, "http://127.0.0.1:8000"
	Listen   string // "" is a free port of 127.0.0.1
	Control  string // the same for the control
	Options  Options
	Capacity *capacity.Options // of the tables; nil: no limits

	// Open allows listening at addresses that other machines and browsers can reach. If it is true, everyone who
	// reaches the port can read and write all of the engine's data.
	Open bool
}

// Server is a Simulator that listens, with its control.
type Server struct {
	Simulator *Simulator

	config            Config
	limits            *capacity.Limits // nil: none
	engine            *http.Transport
	address, control  net.Addr
	plain, controller *http.Server

	mu       sync.Mutex
	listener net.Listener
	refusing bool // new connections
	closed   bool
	failed   chan error
}

// Start listens and serves until Close. It returns an error if an address is in use. If Open is false, it also returns
// an error if other machines can reach an address.
func Start(config Config) (*Server, error) {
	engine, err := url.Parse(config.Engine)
	if err != nil || engine.Host == "" {
		return nil, fmt.Errorf("dynamo: the engine %q is no address like http://127.0.0.1:8000", config.Engine)
	}
	if err := config.Options.check(); err != nil {
		return nil, fmt.Errorf("dynamo: %w", err)
	}
	s := &Server{config: config, failed: make(chan error, 1), engine: Transport()}
	listener, err := s.listen(config.Listen)
	if err != nil {
		return nil, err
	}
	control, err := s.listen(config.Control)
	if err != nil {
		listener.Close()
		return nil, err
	}
	s.listener, s.address, s.control = listener, listener.Addr(), control.Addr()
	s.Simulator = New(config.Options, s.engine, s.refuse)
	transport := http.RoundTripper(s.Simulator)
	if config.Capacity != nil {
		s.limits = capacity.New(*config.Capacity)
		transport = s.limits.Transport(transport)
	}
	s.plain = s.server(s.gate(Forward(engine, transport)))
	controls := http.NewServeMux()
	controls.HandleFunc("GET "+ControlPath, s.serveControl)
	controls.HandleFunc("POST "+ControlPath, s.serveControl)
	s.controller = s.server(controls)
	go s.serve(s.plain, listener)
	go s.serve(s.controller, control)
	return s, nil
}

// listen listens at an address, which must be this machine's own.
func (s *Server) listen(address string) (net.Listener, error) {
	address = cmp.Or(address, "127.0.0.1:0")
	if !s.config.Open && !isLoopback(address) {
		return nil, fmt.Errorf("dynamo: %s can be reached by other machines", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("dynamo: %w", err)
	}
	return l, nil
}

// isLoopback reports whether a host and port name only this machine.
func isLoopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	address, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && address.IsLoopback()
}

// server returns an HTTP server that only programs on this machine can use, unless Open is true. A web page must not
// reach an engine that has no password, not even through a domain name that leads to this machine (DNS rebinding).
func (s *Server) server(h http.Handler) *http.Server {
	programs := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, origin := r.Header["Origin"]
		_, site := r.Header["Sec-Fetch-Site"]
		if !s.config.Open && (origin || site || !isLoopback(r.Host)) {
			http.Error(w, "This port is for programs on this machine, not for browsers.", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
	return &http.Server{Handler: programs, ReadHeaderTimeout: 10 * time.Second}
}

// serve serves until the Server closes the listener.
func (s *Server) serve(server *http.Server, l net.Listener) {
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		select {
		case s.failed <- fmt.Errorf("dynamo: %w", err):
		default:
		}
	}
}

// gate cuts the connections from before an outage.
func (s *Server) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		refuses := s.refusing || s.closed
		s.mu.Unlock()
		if refuses {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

// refuse stops listening for a while.
func (s *Server) refuse(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refusing || s.closed {
		return
	}
	s.refusing = true
	_ = s.listener.Close()
	time.AfterFunc(d, s.accept)
}

// accept listens again after an outage. If another program has taken the port, accept tries again every 10 ms.
func (s *Server) accept() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	listener, err := net.Listen("tcp", s.address.String())
	if err != nil {
		time.AfterFunc(10*time.Millisecond, s.accept)
		return
	}
	s.listener, s.refusing = listener, false
	go s.serve(s.plain, listener)
}

// Endpoint returns the address for clients, "http://127.0.0.1:15001".
func (s *Server) Endpoint() string { return "http://" + s.address.String() }

// Control returns the address of the control, with its path.
func (s *Server) Control() string { return "http://" + s.control.String() + ControlPath }

// Failed returns a channel that receives the error if the server stops listening without a call of Close.
func (s *Server) Failed() <-chan error { return s.failed }

// Close stops accepting requests. It waits until running requests, late attempts and open commits have ended. If the
// context ends earlier, Close returns the context's error.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	_ = s.listener.Close()
	s.mu.Unlock()
	err := s.plain.Shutdown(ctx)
	if errors.Is(err, net.ErrClosed) { // the listener was closed before the server noticed
		err = nil
	}
	err = errors.Join(err, s.Simulator.Switch(ctx, false))
	_ = s.plain.Close()
	err = errors.Join(err, s.controller.Shutdown(ctx))
	s.engine.CloseIdleConnections()
	return err
}
