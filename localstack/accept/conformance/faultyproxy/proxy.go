// Package faultyproxy is a proxy between a client and the API, for tests. It plays the faults of networks and gateways
// on single requests and responses: it loses, cuts, delays, holds or repeats them, or answers by itself. The proxy can
// also refuse all connections (GoAway). The test decides what happens to which request, so nothing depends on chance.
package faultyproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// Proxy forwards requests to an API, applies its rules to them, and records them. Each connection carries only one
// request, because a client's HTTP library may itself repeat requests on a reused connection.
type Proxy struct {
	URL string // base URL, for clients

	target    string // base URL of the API
	transport *http.Transport
	address   string
	closed    chan struct{}
	handlers  sync.WaitGroup // the exchanges under way; Add needs the lock, and closed must be open

	mu        sync.Mutex
	changed   chan struct{} // closed and replaced with each change of a rule
	server    *http.Server  // nil while the proxy is away
	listener  net.Listener
	rules     []*Rule
	exchanges []*Exchange
}

// Start starts a proxy for the API at the given base URL. The caller must Close the proxy.
func Start(api string) (*Proxy, error) {
	port, err := loopback.FreePort(loopback.Address)
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		target: api, transport: loopback.Transport(), address: net.JoinHostPort(loopback.Address, strconv.Itoa(port)),
		closed: make(chan struct{}), changed: make(chan struct{}),
	}
	p.URL = "http://" + p.address
	return p, p.ComeBack()
}

// GoAway breaks the open connections, and refuses new ones until ComeBack.
func (p *Proxy) GoAway() {
	p.mu.Lock()
	server, listener := p.server, p.listener
	p.server = nil
	p.mu.Unlock()
	if server != nil {
		_, _ = listener.Close(), server.Close() // the server may not have begun to listen
	}
}

// ComeBack accepts connections again, at the same address. It returns an error if the proxy is not away.
func (p *Proxy) ComeBack() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server != nil {
		return errors.New("faultyproxy: it is not away")
	}
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return fmt.Errorf("faultyproxy: %w", err)
	}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute}
	p.listener = listener
	p.server.SetKeepAlivesEnabled(false)
	go p.server.Serve(listener) // until GoAway
	return nil
}

// Close stops the proxy, breaks all connections, and returns when all exchanges have ended.
func (p *Proxy) Close() {
	p.mu.Lock()
	close(p.closed)
	p.mu.Unlock()
	p.GoAway()
	p.handlers.Wait()
	p.transport.CloseIdleConnections()
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	if !p.open() {
		panic(http.ErrAbortHandler)
	}
	defer p.handlers.Done()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
	e := &Exchange{
		Method: r.Method, Path: r.URL.Path, Header: r.Header, body: body,
		proxy: p, uri: r.RequestURI, writer: w, gone: r.Context().Done(),
	}
	p.begin(e)
	defer e.rule.count(func() { e.rule.ended++ }) // also if the connection is cut
	e.rule.fault(e)
}

// open counts a new exchange, and returns true. If the proxy is closed, it returns false.
func (p *Proxy) open() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.closed:
		return false
	default:
		p.handlers.Add(1)
		return true
	}
}

// Exchange is a request that the proxy has received, and its state.
type Exchange struct {
	Method, Path string // without the query
	Header       http.Header
	body         []byte

	uri    string // the path and the query as the client sent them
	proxy  *Proxy
	rule   *Rule
	writer http.ResponseWriter
	gone   <-chan struct{} // closed when the client is gone
}

// response is a complete answer.
type response struct {
	status int
	header http.Header
	body   []byte
}

// forward sends the request to the API, even if the client has closed its connection, and returns the response. When
// forward returns, the request counts as forwarded.
func (e *Exchange) forward() response {
	defer e.rule.count(func() { e.rule.forwarded++ })
	p := e.proxy
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, e.Method, p.target+e.uri, bytes.NewReader(e.body))
	if err != nil {
		return broken(err)
	}
	r.Header = e.Header.Clone()
	r.Header.Del("Connection")
	answer, err := p.transport.RoundTrip(r)
	if err != nil {
		return broken(err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return broken(err)
	}
	return response{answer.StatusCode, answer.Header, content}
}

// broken returns the response for a client if the API does not answer.
func broken(err error) response {
	return response{http.StatusNotImplemented, http.Header{}, []byte("faultyproxy: the API behind the proxy: " + err.Error())}
}

// answer sends an answer to the client.
func (e *Exchange) answer(a response) {
	e.head(a)
	_, _ = e.writer.Write(a.body) // the client may be gone
}

// head writes everything except the body.
func (e *Exchange) head(a response) {
	for name, values := range a.header {
		e.writer.Header()[name] = values
	}
	e.writer.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	e.writer.WriteHeader(a.status)
}

// cut breaks the connection.
func (e *Exchange) cut() { panic(http.ErrAbortHandler) }
