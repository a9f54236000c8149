// Package gateway is a stand-in for API Gateway's HTTP API and for Lambda. It turns HTTP requests into events of
// payload format 2.0, and runs the functions' own bootstrap binaries with Lambda's Runtime API.
//
// Events and responses, the gateway's own answers (404, 413, 429, 500, 503), CORS and timeouts are as on AWS, except
// that the gateway leaves out cookies. A process handles one request at a time. The gateway starts more processes under
// load, and replaces a crashed process. It limits neither memory nor processor time: a function only gets its memory
// size in a variable.
//
// If another file takes the place of a binary, as by rename, the next request gets the new program. A process of the
// old program finishes its request, and ends then or when a later request arrives.
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
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Config names the functions that the gateway serves, and its settings. A zero field means its default.
type Config struct {
	Functions []FunctionConfig
	// CORS makes the gateway answer browsers' preflight requests, if it allows every origin. Its headers replace the
	// functions' own CORS headers. nil answers none.
	CORS *samtemplate.CORS
	// Log gets every line that a function writes, and the gateway's own lines about the function, also concurrently. nil
	// ignores the lines.
	Log func(logicalID, line string)
	// Invoke runs a function elsewhere. It returns the function's output, or an error if the function failed. If Invoke
	// is nil, the gateway runs the functions' binaries itself.
	Invoke func(ctx context.Context, logicalID string, event []byte) ([]byte, error)
	// MaxProcesses is the most processes of a function at a time, 10 by default. Further requests wait.
	MaxProcesses int

	initTimeout time.Duration // from a process's start to its first request for an invocation
	gracePeriod time.Duration // from SIGTERM to SIGKILL
}

// integrationTimeout limits the wait for a function, as on AWS. Then the client gets a 503.
const integrationTimeout = 30 * time.Second

// FunctionConfig is a function of a template. Only Gateway.Invoke runs a function without a route.
type FunctionConfig struct {
	samtemplate.Function
	// Binary is the path of the function's bootstrap program, compiled for this machine. A new file can replace it
	// at any time.
	Binary string
	// Variables are the function's environment with its region and credentials, but without Lambda's other variables.
	Variables map[string]string
	// Throttle limits the requests to the route; the zero value is no limit. Requests above the limit get a 429.
	Throttle samtemplate.Throttle
}

// Gateway is an http.Handler that serves the functions. After Close, requests for a function get 503, unless
// Config.Invoke runs the functions.
type Gateway struct {
	cfg       Config
	routes    []route // the more specific first
	stage     atomic.Pointer[map[string]string]
	functions []*function
	runtime   *http.Server   // of the Runtime API
	address   string         // of the Runtime API
	running   sync.WaitGroup // processes
	closing   context.Context
	close     context.CancelFunc // ends closing
}

// New opens Lambda's Runtime API on the loopback interface, and returns the gateway. A function's processes start with
// its first requests. The caller must call Close.
func New(ctx context.Context, cfg Config) (*Gateway, error) {
	if cfg.Log == nil {
		cfg.Log = func(string, string) {}
	}
	cfg.MaxProcesses = cmp.Or(cfg.MaxProcesses, 10)
	cfg.initTimeout = cmp.Or(cfg.initTimeout, 10*time.Second)
	cfg.gracePeriod = cmp.Or(cfg.gracePeriod, 2*time.Second)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the Runtime API: %w", err)
	}
	g := &Gateway{cfg: cfg, address: listener.Addr().String()}
	g.SetStage(nil)
	g.closing, g.close = context.WithCancel(context.Background())
	for _, fc := range cfg.Functions {
		f := newFunction(g, fc)
		g.functions = append(g.functions, f)
		if fc.Path != "" {
			g.routes = append(g.routes, newRoute(f))
		}
	}
	slices.SortFunc(g.routes, route.compare)
	g.runtime = &http.Server{Handler: loopback.RefuseBrowsers(g.runtimeAPI()), ReadHeaderTimeout: 10 * time.Second}
	go g.runtime.Serve(listener) // until Close
	return g, nil
}

// Close ends every process of the functions, and returns when none is left. It sends SIGTERM first, and SIGKILL after
// two seconds. Running requests get 503 or 500, unless the caller shuts down the HTTP server before.
func (g *Gateway) Close() error {
	g.close()
	for _, f := range g.functions {
		f.end()
	}
	g.running.Wait()
	return g.runtime.Close()
}

// Server returns an HTTP server for the gateway, with timeouts and limits. The caller opens the listener. Web pages of
// the origins that CORS allows can call the server. A request whose host is neither a loopback name of this machine nor
// one of hosts gets a 403.
func (g *Gateway) Server(hosts loopback.Hosts) *http.Server {
	const transfer = 30 * time.Second // for a body of the largest size, each way
	return &http.Server{
		Handler:           loopback.RequireHost(g, hosts),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       transfer + integrationTimeout, // its end also ends the wait for the function
		WriteTimeout:      transfer + integrationTimeout + transfer,
		IdleTimeout:       75 * time.Second,
		MaxHeaderBytes:    10_240,
	}
}

func (g *Gateway) function(logicalID string) (*function, error) {
	if i := slices.IndexFunc(g.functions, func(f *function) bool { return f.cfg.LogicalID == logicalID }); i >= 0 {
		return g.functions[i], nil
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

// Reserve sets a function's reserved concurrency. Concurrent requests above it get a 503. 0 means no limit.
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
	switch {
	case !ok && r.Method == http.MethodOptions && g.cfg.CORS != nil:
		g.preflight(w.Header(), r)
		w.WriteHeader(http.StatusNoContent)
		return
	case !ok:
		refuse(w, http.StatusNotFound)
		return
	case !route.limit.Allow():
		refuse(w, http.StatusTooManyRequests)
		return
	}
	f := route.function
	defer f.atWork.Add(-1)
	if n, most := f.atWork.Add(1), f.reserved.Load(); most > 0 && n > most {
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
	event, err := newEvent(r, route, parameters, *g.stage.Load(), body, requestID)
	if err != nil {
		refuse(w, http.StatusInternalServerError)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), integrationTimeout)
	defer cancel()
	output, err := g.invoke(ctx, f, event, cmp.Or(r.Header.Get("X-Amzn-Trace-Id"), newTraceID()))
	switch {
	case errors.Is(err, errClosed), ctx.Err() != nil && errors.Is(err, ctx.Err()):
		refuse(w, http.StatusServiceUnavailable)
	case err != nil:
		refuse(w, http.StatusInternalServerError)
	default:
		if err := g.respond(w, output); err != nil {
			f.log("gateway: the function's response is not usable: " + err.Error())
			refuse(w, http.StatusInternalServerError)
		}
	}
}
