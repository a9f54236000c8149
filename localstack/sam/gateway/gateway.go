// Package gateway stands in for API Gateway's HTTP API and for Lambda: it takes HTTP requests, turns them into events
// of payload format 2.0, and gives them to the functions' own bootstrap binaries, which it runs as Lambda would and to
// which it speaks Lambda's Runtime API.
//
// What a client can tell apart is done as AWS does it: the shape of events and responses, the gateway's own answers
// (404, 413, 429, 500, 503), CORS, timeouts, one request at a time per process, further processes under load, and fresh
// ones in place of those that crash. What costs memory or processor time on AWS does not here: a function's memory size
// is only told to it.
//
// A binary that is replaced counts from the next request on: the processes of the one before finish what they are doing
// and get nothing more. Each change is a line in the function's log.
//
// In front of another Lambda (Config.Invoke) it is API Gateway alone.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
)

// Config says what the gateway serves. Zero values stand for the defaults.
type Config struct {
	Functions []FunctionConfig
	// CORS makes the gateway answer browsers' preflight requests; nil: it does not.
	CORS *CORS
	// Log gets every line that a function writes, and the gateway's own about it (crashes, timeouts), one call at a
	// time.
	Log func(logicalID, line string)
	// Throttled is told of every request that a function's reserved concurrency (Reserve) turns away.
	Throttled func(logicalID string)
	// Region and Credentials are what the functions' AWS SDK finds in its environment: by default us-east-1 and made-up
	// keys.
	Region      string
	Credentials Credentials
	// Invoke runs a function elsewhere and returns its output, or an error where it failed; nil: the gateway runs the
	// functions' binaries itself.
	Invoke func(ctx context.Context, logicalID string, event []byte) ([]byte, error)
	// Emulator is the program that runs binaries for another processor; "": they are for this machine's.
	Emulator string
	// MaxProcesses is how many processes a function may have at a time: 10 by default. Requests beyond it wait.
	MaxProcesses int
	// IntegrationTimeout is how long a client waits for an answer at most: 30 seconds by default, as on AWS.
	IntegrationTimeout time.Duration
	// InitTimeout is how long a function may take from its start to its first request: 10 seconds by default, as on
	// AWS.
	InitTimeout time.Duration
	// ReplacementTime is how long a function's binary may be missing or incomplete, as it is while a compiler replaces
	// it, before a process that cannot be started for that is a failure: 2 seconds by default.
	ReplacementTime time.Duration
	// GracePeriod is how long the gateway waits between asking a process to end and killing it: 2 seconds by default,
	// as on AWS.
	GracePeriod time.Duration
}

// FunctionConfig is a function and its route.
type FunctionConfig struct {
	LogicalID string
	// Method and Path are the route, as in POST and /shows/{id}/enter; both empty for a function that has none, which
	// Invoke alone runs.
	Method, Path string
	// Binary is the function's bootstrap, compiled for this machine or for the Emulator. It may be replaced at any
	// time.
	Binary string
	// Environment is all that the function finds in its environment, apart from what Lambda itself puts there.
	Environment map[string]string
	// Timeout ends an invocation, and with it the process: 3 seconds by default, as on AWS.
	Timeout  time.Duration
	MemoryMB int
	// Throttle is the route's: requests beyond it are answered 429, without the function.
	Throttle Throttle
}

// Credentials are an AWS access key.
type Credentials struct {
	AccessKeyID, SecretAccessKey, SessionToken string
}

// Gateway serves the functions. It is an http.Handler; between Start and Close it answers requests, otherwise 503.
type Gateway struct {
	cfg       Config
	routes    []route
	functions []*function
	host      *host
	runtime   *http.Server
	once      sync.Once // of the clean-up in Close
}

// New checks the configuration. It starts nothing.
func New(cfg Config) (*Gateway, error) {
	if cfg.Log == nil {
		cfg.Log = func(string, string) {}
	}
	if cfg.Throttled == nil {
		cfg.Throttled = func(string) {}
	}
	setDefault(&cfg.Region, "us-east-1")
	setDefault(&cfg.Credentials, Credentials{AccessKeyID: "local", SecretAccessKey: "local"})
	setDefault(&cfg.MaxProcesses, 10)
	setDefault(&cfg.IntegrationTimeout, 30*time.Second)
	setDefault(&cfg.InitTimeout, 10*time.Second)
	setDefault(&cfg.ReplacementTime, 2*time.Second)
	setDefault(&cfg.GracePeriod, 2*time.Second)

	g := &Gateway{cfg: cfg, host: newHost(cfg)}
	g.runtime = &http.Server{Handler: loopback.RefuseBrowsers(g.host.runtimeAPI()), ReadHeaderTimeout: 10 * time.Second}
	for _, fc := range cfg.Functions {
		setDefault(&fc.Timeout, 3*time.Second)
		setDefault(&fc.MemoryMB, 128)
		f := newFunction(g.host, fc)
		g.functions = append(g.functions, f)
		if fc.Method == "" && fc.Path == "" {
			continue
		}
		r, err := newRoute(fc.Method, fc.Path, f)
		r.bucket = newBucket(fc.Throttle)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", fc.LogicalID, err)
		}
		for _, other := range g.routes {
			if other.overlaps(r) {
				return nil, fmt.Errorf("functions %s and %s: their routes %s and %s are the same", other.function.cfg.LogicalID, fc.LogicalID, other.key, r.key)
			}
		}
		g.routes = append(g.routes, r)
	}
	return g, nil
}

func setDefault[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}

// Start opens the functions' side of the gateway, on the loopback interface. The functions' processes start with the
// first requests.
func (g *Gateway) Start(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("the Runtime API: %w", err)
	}
	if err := g.host.open(listener.Addr().String()); err != nil {
		return errors.Join(err, listener.Close())
	}
	go g.runtime.Serve(listener) // until Close
	for _, f := range g.functions {
		f.open()
	}
	return nil
}

// Close ends every process and returns when none is left. It asks them with SIGTERM and kills, after the grace period
// or when the context is done, those that stay. Requests still under way are answered 503 or 500; to let them finish,
// shut the HTTP server down first.
func (g *Gateway) Close(ctx context.Context) error {
	for _, f := range g.functions {
		f.close()
	}
	gone := make(chan struct{})
	go func() {
		g.host.running.Wait()
		close(gone)
	}()
	g.signal(syscall.SIGTERM)
	grace := time.NewTimer(g.cfg.GracePeriod)
	defer grace.Stop()
	select {
	case <-gone:
	case <-grace.C:
	case <-ctx.Done():
	}
	g.signal(syscall.SIGKILL)
	<-gone
	var err error
	g.once.Do(func() { err = g.runtime.Close() })
	return err
}

func (g *Gateway) signal(signal syscall.Signal) {
	for _, b := range g.host.all() {
		b.signal(signal)
	}
}

// Server gives an HTTP server for the gateway, on a loopback address, with timeouts and limits that fit it; its address
// is the caller's to set. Web pages are among its clients, of the origins that CORS allows, but only under a loopback
// host: a name of their own that leads here is answered 403.
func (g *Gateway) Server() *http.Server {
	const transfer = 30 * time.Second // for a body of the largest size, each way
	return &http.Server{
		Handler:           loopback.RequireHost(g),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       transfer + g.cfg.IntegrationTimeout, // its end also ends the waiting for the function
		WriteTimeout:      transfer + g.cfg.IntegrationTimeout + transfer,
		IdleTimeout:       75 * time.Second,
		MaxHeaderBytes:    10_240,
	}
}

// Invoke runs a function with an event as Lambda's own API does, past routes and throttles, and returns its output.
// When the context ends first, the function works on.
func (g *Gateway) Invoke(ctx context.Context, logicalID string, event []byte) ([]byte, error) {
	for _, f := range g.functions {
		if f.cfg.LogicalID == logicalID {
			return g.invoke(ctx, f, event, newTraceID())
		}
	}
	return nil, fmt.Errorf("there is no function %s", logicalID)
}

func (g *Gateway) invoke(ctx context.Context, f *function, event []byte, trace string) ([]byte, error) {
	if g.cfg.Invoke != nil {
		return g.cfg.Invoke(ctx, f.cfg.LogicalID, event)
	}
	return f.invoke(ctx, event, trace)
}

// ServeHTTP answers one request as the HTTP API does.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	requestID := newRequestID()
	w.Header().Set("Apigw-Requestid", requestID)
	g.cfg.CORS.allow(w.Header(), r)
	route, parameters, ok := match(g.routes, r.Method, r.URL.Path)
	if !ok && r.Method == http.MethodOptions && g.cfg.CORS != nil {
		g.cfg.CORS.preflight(w.Header(), r)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if !ok {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if !route.bucket.take(time.Now()) {
		refuse(w, http.StatusTooManyRequests, "Too Many Requests")
		return
	}
	if !route.function.reserved.enter() {
		g.cfg.Throttled(route.function.cfg.LogicalID)
		refuse(w, http.StatusServiceUnavailable, "Service Unavailable")
		return
	}
	defer route.function.reserved.leave()
	body, err := readBody(w, r)
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		refuse(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
		return
	} else if err != nil {
		refuse(w, http.StatusBadRequest, "Bad Request")
		return
	}
	trace := traceID(r)
	event, err := newEvent(r, route, parameters, body, requestID, trace)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), g.cfg.IntegrationTimeout)
	defer cancel()
	output, err := g.invoke(ctx, route.function, event, trace)
	switch {
	case errors.Is(err, errClosed), ctx.Err() != nil && errors.Is(err, ctx.Err()):
		refuse(w, http.StatusServiceUnavailable, "Service Unavailable")
	case err != nil:
		refuse(w, http.StatusInternalServerError, "Internal Server Error")
	default:
		if err := g.respond(w, output); err != nil {
			g.host.log(route.function.cfg.LogicalID, "gateway: the function's response is of no use: "+err.Error())
			refuse(w, http.StatusInternalServerError, "Internal Server Error")
		}
	}
}
