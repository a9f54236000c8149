package dynamo

import (
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

// Server serves a Simulator over HTTP at a port of 127.0.0.1. It refuses requests that web pages send.
type Server struct {
	Simulator *Simulator

	engine  *http.Transport
	http    *http.Server
	address string

	mu       sync.Mutex
	listener net.Listener
	refusing bool // new connections
	closed   bool
}

// Start returns a running Server for the engine at a base URL such as "http://127.0.0.1:8000". The caller must Close
// it. Start fails if it cannot parse the URL or listen at a port, but does not check that the engine answers.
func Start(engine string, o Options) (*Server, error) {
	at, err := url.Parse(engine)
	if err != nil {
		return nil, fmt.Errorf("dynamo: the address of the engine: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("dynamo: %w", err)
	}
	s := &Server{engine: loopback.Transport(), address: listener.Addr().String(), listener: listener}
	s.Simulator = New(o, s.engine, s.refuse)
	s.http = &http.Server{Handler: loopback.RefuseBrowsers(s.gate(loopback.ForwardBy(s.Simulator, at))), ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(listener) // until refuse or Close
	return s, nil
}

// gate returns a handler that cuts the connection of a request that arrives during an outage or after Close.
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

// refuse begins an outage: it closes the listener for the time d, so that new connections are refused. During an
// outage, and after Close, refuse does nothing.
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
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		time.AfterFunc(10*time.Millisecond, s.accept)
		return
	}
	s.listener, s.refusing = listener, false
	go s.http.Serve(listener)
}

// Endpoint returns the base URL for clients, such as "http://127.0.0.1:15001".
func (s *Server) Endpoint() string { return "http://" + s.address }

// Close stops accepting requests. It waits until running requests, late attempts and open commits (Status.Pending) have
// ended. If the context ends earlier, Close returns the context's error.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	_ = s.listener.Close()
	s.mu.Unlock()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, net.ErrClosed) { // the listener is already closed, as above or by refuse
		err = nil
	}
	err = errors.Join(err, s.Simulator.Switch(ctx, false))
	_ = s.http.Close()
	s.engine.CloseIdleConnections()
	return err
}
