// Package gateway is a stand-in for API Gateway's HTTP API and for Lambda. It turns HTTP requests into events of
// payload format 2.0, and runs the functions' own bootstrap binaries with Lambda's Runtime API.
//
// Events and responses, the gateway's own answers (404, 413, 429, 500, 503), CORS and timeouts are as on AWS, except
// that the gateway leaves out cookies. A process handles one request at a time. The gateway starts more processes under
// load, and replaces a crashed process. It limits neither memory nor processor time: a function only gets its memory
// size in a variable.
//
// If a binary is replaced, the next request gets the new program. A process of the old program finishes its request,
// and ends when a later request arrives.
//
// With Config.Invoke, package gateway replaces only API Gateway. Another Lambda, such as LocalStack's, runs functions.
//
//	gateway.go     configuration, start and end, the way of a request
//	route.go       the function for a request
//	event.go       the event from a request
//	response.go    the response from a function's output
//	cors.go        the answers for browsers
//	function.go    a function: its processes and waiting invocations
//	worker.go      a process
//	runtimeapi.go  the API that a process calls
//	program.go     a function's binary
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Config names the functions that the gateway serves, and its settings. A zero field means its default.
type Config struct {
	Functions []FunctionConfig
	// CORS makes the gateway answer browsers' preflight requests; nil answers none.
	CORS *CORS
	// Log gets every line that a function writes, and the gateway's own lines about the function. The gateway never
	// calls Log twice at a time. nil ignores the lines.
	Log func(logicalID, line string)
	// Credentials are in the environment of the functions' AWS SDK.
	Credentials Credentials
	// Invoke runs a function elsewhere. It returns the function's output, or an error if the function failed. If Invoke
	// is nil, the gateway runs the functions' binaries itself.
	Invoke func(ctx context.Context, logicalID string, event []byte) ([]byte, error)
	// Emulator is the program that runs binaries for another processor; "" if the binaries are for this machine.
	Emulator string
	// MaxProcesses is the most processes of a function at a time, 10 by default. Further requests wait.
	MaxProcesses int
	// IntegrationTimeout limits the wait for a function: 30 seconds by default, as on AWS. Then the client gets a 503.
	IntegrationTimeout time.Duration

	initTimeout     time.Duration // from a process's start to its first request for an invocation
	gracePeriod     time.Duration // from asking a process to end to killing it
	replacementTime time.Duration // how long a binary may be missing or incomplete before a start fails
}

// FunctionConfig is a function and its route.
type FunctionConfig struct {
	LogicalID string
	// Method and Path are the function's route, such as POST and /cats/{id}/feed. Both are empty if the function has no
	// route: then only Gateway.Invoke runs it.
	Method, Path string
	// Binary is the path of the function's bootstrap program, compiled for this machine or for the Emulator. A new
	// program can replace it at any time.
	Binary string
	// Environment is the function's whole environment, apart from Lambda's own variables.
	Environment map[string]string
	// Timeout is the time limit of an invocation: 3 seconds by default, as on AWS. Then the gateway kills the process.
	Timeout  time.Duration
	MemoryMB int
	// Throttle limits the requests to the route. The gateway answers requests above the limit with 429.
	Throttle Throttle
}

// Credentials are a region and an AWS access key.
type Credentials struct{ Region, AccessKeyID, SecretAccessKey string }

// CORS has the settings for browsers' cross-origin requests. Its headers replace the functions' own CORS headers.
type CORS = samtemplate.CORS

// Throttle limits a route; the zero value is no limit.
type Throttle = samtemplate.Throttle

// Gateway is an http.Handler that serves the functions. Before Start and after Close, requests for a function get 503,
// unless Config.Invoke runs the functions.
type Gateway struct {
	cfg       Config
	routes    []route // the more specific first
	stage     atomic.Pointer[map[string]string]
	functions []*function
	runtime   *http.Server   // of the Runtime API
	address   string         // of the Runtime API
	running   sync.WaitGroup // processes
	logging   sync.Mutex
}

// New returns a gateway that is not started yet. It returns an error for a route that the gateway does not support.
func New(cfg Config) (*Gateway, error) {
	if cfg.Log == nil {
		cfg.Log = func(string, string) {}
	}
	cfg.MaxProcesses = cmp.Or(cfg.MaxProcesses, 10)
	cfg.IntegrationTimeout = cmp.Or(cfg.IntegrationTimeout, 30*time.Second)
	cfg.initTimeout = cmp.Or(cfg.initTimeout, 10*time.Second)
	cfg.gracePeriod = cmp.Or(cfg.gracePeriod, 2*time.Second)
	cfg.replacementTime = cmp.Or(cfg.replacementTime, 2*time.Second)

	g := &Gateway{cfg: cfg}
	g.SetStage(nil)
	g.runtime = &http.Server{Handler: loopback.RefuseBrowsers(g.runtimeAPI()), ReadHeaderTimeout: 10 * time.Second}
	for _, fc := range cfg.Functions {
		fc.Timeout, fc.MemoryMB = cmp.Or(fc.Timeout, 3*time.Second), cmp.Or(fc.MemoryMB, 128)
		f := newFunction(g, fc)
		g.functions = append(g.functions, f)
		if fc.Method == "" && fc.Path == "" {
			continue
		}
		r, err := newRoute(f)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", fc.LogicalID, err)
		}
		g.routes = append(g.routes, r)
	}
	slices.SortFunc(g.routes, route.compare)
	return g, nil
}

// Start opens Lambda's Runtime API on the loopback interface. A function's processes start with its first requests.
func (g *Gateway) Start(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("the Runtime API: %w", err)
	}
	g.address = listener.Addr().String()
	go g.runtime.Serve(listener) // until Close
	for _, f := range g.functions {
		f.setClosed(false)
	}
	return nil
}

// Close ends every process of the functions, and returns when none is left. It sends SIGTERM first, and SIGKILL after
// the grace period or when ctx ends. Running requests get 503 or 500, unless the caller shuts down the HTTP server
// before.
func (g *Gateway) Close(ctx context.Context) error {
	gone := make(chan struct{})
	for _, f := range g.functions {
		f.setClosed(true)
		f.signal(syscall.SIGTERM)
	}
	go func() {
		g.running.Wait()
		close(gone)
	}()
	ctx, cancel := context.WithTimeout(ctx, g.cfg.gracePeriod)
	defer cancel()
	select {
	case <-gone:
	case <-ctx.Done():
		for _, f := range g.functions {
			f.signal(syscall.SIGKILL)
		}
		<-gone
	}
	return g.runtime.Close()
}

// Server returns an HTTP server for the gateway, with timeouts and limits. The caller opens the listener, on a loopback
// address. Web pages of the origins that CORS allows can call the server. A request whose host is not a name of this
// machine gets a 403.
func (g *Gateway) Server() *http.Server {
	const transfer = 30 * time.Second // for a body of the largest size, each way
	return &http.Server{
		Handler:           loopback.RequireHost(g),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       transfer + g.cfg.IntegrationTimeout, // its end also ends the wait for the function
		WriteTimeout:      transfer + g.cfg.IntegrationTimeout + transfer,
		IdleTimeout:       75 * time.Second,
		MaxHeaderBytes:    10_240,
	}
}

func (g *Gateway) function(logicalID string) (*function, error) {
	for _, f := range g.functions {
		if f.cfg.LogicalID == logicalID {
			return f, nil
		}
	}
	return nil, fmt.Errorf("there is no function %s", logicalID)
}

// Invoke runs a function with an event as Lambda's own API does, without routes and throttles, and returns its output.
// If ctx ends first, Invoke returns an error, and the function goes on.
func (g *Gateway) Invoke(ctx context.Context, logicalID string, event []byte) ([]byte, error) {
	f, err := g.function(logicalID)
	if err != nil {
		return nil, err
	}
	return g.invoke(ctx, f, event, newTraceID())
}

func (g *Gateway) invoke(ctx context.Context, f *function, event []byte, trace string) ([]byte, error) {
	if g.cfg.Invoke != nil {
		return g.cfg.Invoke(ctx, f.cfg.LogicalID, event)
	}
	return f.invoke(ctx, event, trace)
}

// Unreserved removes a function's reserved concurrency.
const Unreserved = -1

// Reserve sets a function's reserved concurrency. Concurrent requests above it get a 503: with 0, all requests.
func (g *Gateway) Reserve(logicalID string, concurrency int) error {
	f, err := g.function(logicalID)
	if err == nil {
		f.reserved.Store(int64(concurrency))
	}
	return err
}

// SetStage replaces the stage's variables for all later requests. A new gateway has none.
func (g *Gateway) SetStage(variables map[string]string) { g.stage.Store(&variables) }

// ServeHTTP answers one request as the HTTP API does.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	requestID := newRequestID()
	route, parameters, ok := match(g.routes, r.Method, r.URL.Path)
	w.Header().Set("Apigw-Requestid", requestID)
	g.allowOrigin(w.Header(), r)
	if !ok && r.Method == http.MethodOptions && g.cfg.CORS != nil {
		g.preflight(w.Header(), r)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if !ok {
		refuse(w, http.StatusNotFound)
		return
	}
	if !route.limit.Allow() {
		refuse(w, http.StatusTooManyRequests)
		return
	}
	f := route.function
	defer f.atWork.Add(-1)
	if n, most := f.atWork.Add(1), f.reserved.Load(); most != Unreserved && n > most {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	trace := traceID(r)
	event, err := newEvent(r, route, parameters, *g.stage.Load(), body, requestID, trace)
	if err != nil {
		refuse(w, http.StatusInternalServerError)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.cfg.IntegrationTimeout)
	defer cancel()
	output, err := g.invoke(ctx, f, event, trace)
	switch {
	case errors.Is(err, errClosed), ctx.Err() != nil && errors.Is(err, ctx.Err()):
		refuse(w, http.StatusServiceUnavailable)
	case err != nil:
		refuse(w, http.StatusInternalServerError)
	default:
		if err := g.respond(w, output); err != nil {
			g.log(f.cfg.LogicalID, "gateway: the function's response is not usable: "+err.Error())
			refuse(w, http.StatusInternalServerError)
		}
	}
}

func (g *Gateway) log(logicalID, line string) {
	g.logging.Lock()
	defer g.logging.Unlock()
	g.cfg.Log(logicalID, line)
}
