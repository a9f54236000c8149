// Package faultyproxy is a proxy between a client and the API, for tests. It plays the faults of networks and gateways
// on single requests and responses: it loses, cuts or holds them, or answers by itself. The proxy can also refuse all
// connections (GoAway). The test decides what happens to which request, so nothing depends on chance.
package faultyproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// Proxy forwards requests to an API, applies its rules to them, and records them. Each connection carries only one
// request, because a client's HTTP library may itself repeat requests on a reused connection.
type Proxy struct {
	URL string // base URL, for clients

	api       *httputil.ReverseProxy
	transport *http.Transport // to the API
	address   string
	closed    chan struct{}

	mu       sync.Mutex
	server   *http.Server // nil while the proxy is away
	listener net.Listener
	rules    []*Rule
	requests []*http.Request // all that came
}

// Start starts a proxy for the API at the given base URL. The caller must Close the proxy.
func Start(api string) (*Proxy, error) {
	target, err := url.Parse(api)
	if err != nil {
		return nil, err
	}
	port, err := loopback.FreePort(loopback.Address)
	if err != nil {
		return nil, err
	}
	address := net.JoinHostPort(loopback.Address, strconv.Itoa(port))
	p := &Proxy{URL: "http://" + address, transport: loopback.Transport(), address: address, closed: make(chan struct{})}
	p.api = &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: p.transport,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "faultyproxy: the API behind the proxy: "+err.Error(), http.StatusNotImplemented)
		},
	}
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
	p.server, p.listener = &http.Server{Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute}, listener
	p.server.SetKeepAlivesEnabled(false)
	go p.server.Serve(listener) // until GoAway
	return nil
}

// Close stops the proxy, and breaks all connections.
func (p *Proxy) Close() {
	close(p.closed)
	p.GoAway()
	p.transport.CloseIdleConnections()
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
	e := &Exchange{request: r, body: body, proxy: p, writer: w, gone: r.Context().Done()}
	p.begin(e)
	defer e.rule.count(func() { e.rule.ended++ }) // also if the connection is cut
	e.rule.fault(e)
}

// Exchange is a request that the proxy has received, and its state.
type Exchange struct {
	request *http.Request
	body    []byte
	proxy   *Proxy
	rule    *Rule
	writer  http.ResponseWriter
	gone    <-chan struct{} // closed when the client is gone, or the proxy
}

// forward sends the request to the API, even if the client has closed its connection, and returns the response. When
// forward returns, the request counts as forwarded. If the API does not answer, the response is a 501 that says so.
func (e *Exchange) forward() *httptest.ResponseRecorder {
	defer e.rule.count(func() { e.rule.forwarded++ })
	answer, r := httptest.NewRecorder(), e.request.Clone(context.WithoutCancel(e.request.Context()))
	r.Body = io.NopCloser(bytes.NewReader(e.body))
	e.proxy.api.ServeHTTP(answer, r)
	return answer
}

// answer sends an answer to the client.
func (e *Exchange) answer(a *httptest.ResponseRecorder) {
	e.head(a)
	_, _ = e.writer.Write(a.Body.Bytes()) // the client may be gone
}

// head writes everything except the body.
func (e *Exchange) head(a *httptest.ResponseRecorder) {
	maps.Copy(e.writer.Header(), a.Header())
	e.writer.Header().Set("Content-Length", strconv.Itoa(a.Body.Len()))
	e.writer.WriteHeader(a.Code)
}

// cut breaks the connection.
func (e *Exchange) cut() { panic(http.ErrAbortHandler) }
