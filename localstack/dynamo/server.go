package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// Config says where a Server listens and what it plays.
type Config struct {
	Engine  string // the address of the engine, "http://127.0.0.1:8000"
	Listen  string // "" is a free port of 127.0.0.1
	Control string // the same, of the control's own port
	Options Options

	// Open allows addresses that other machines reach. Whoever reaches an engine reads and writes all of it.
	Open bool
}

// Server is a Proxy that listens, with its control.
type Server struct {
	Proxy *Proxy

	config            Config
	address, control  net.Addr
	plain, controller *http.Server

	mu       sync.Mutex
	listener net.Listener
	refusing bool // nobody can connect
	closed   bool
	failed   chan error
}

// Start listens and serves. It returns an error where an address is in use, or is not this machine's own and Open is
// not set.
func Start(config Config) (*Server, error) {
	engine, err := url.Parse(config.Engine)
	if err != nil || engine.Host == "" {
		return nil, fmt.Errorf("faults: the engine %q is no address like http://127.0.0.1:8000", config.Engine)
	}
	if err := config.Options.check(); err != nil {
		return nil, fmt.Errorf("faults: %w", err)
	}
	s := &Server{config: config, failed: make(chan error, 1)}
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
	s.Proxy = NewProxy(config.Options, engine, s.refuse)
	s.plain = s.server(s.gate(s.Proxy))
	s.controller = s.server(http.HandlerFunc(s.Proxy.serveControl))
	go s.serve(s.plain, listener)
	go s.serve(s.controller, control)
	return s, nil
}

// listen listens at an address, which must be this machine's own.
func (s *Server) listen(address string) (net.Listener, error) {
	address = cmp.Or(address, net.JoinHostPort(loopback.Address, "0"))
	if !s.config.Open && !loopback.IsLoopback(address) {
		return nil, fmt.Errorf("faults: %s can be reached by other machines", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("faults: %w", err)
	}
	return l, nil
}

// server returns one that lets no browser through.
func (s *Server) server(h http.Handler) *http.Server {
	if !s.config.Open {
		h = loopback.RefuseBrowsers(h)
	}
	return &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
}

// serve serves until the listener is closed, which nobody else does.
func (s *Server) serve(server *http.Server, l net.Listener) {
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		select {
		case s.failed <- fmt.Errorf("faults: %w", err):
		default:
		}
	}
}

// refuses reports whether nobody is let in.
func (s *Server) refuses() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refusing || s.closed
}

// gate cuts the connections that are left from before they were refused.
func (s *Server) gate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.refuses() {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
}

// refuse stops to listen for a while.
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

// accept listens again. Should somebody else have taken the port, it tries on.
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

// Failed gives the error with which the server has stopped to listen by itself.
func (s *Server) Failed() <-chan error { return s.failed }

// Close lets in no more requests, waits for those under way, for late attempts and for commits to be over, and ends. If
// the context ends first it returns its error.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	_ = s.listener.Close()
	s.mu.Unlock()
	err := s.plain.Shutdown(ctx)
	if errors.Is(err, net.ErrClosed) { // the listener, which it closes once more unless it has noticed
		err = nil
	}
	err = errors.Join(err, s.Proxy.Switch(ctx, false))
	_ = s.plain.Close()
	return errors.Join(err, s.controller.Shutdown(ctx))
}
