package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/gateway"
	"github.com/ranch-game/ranch/localstack/iam"
	"github.com/ranch-game/ranch/localstack/limits"
	"github.com/ranch-game/ranch/localstack/loopback"
	"github.com/ranch-game/ranch/localstack/samtemplate"
)

// serve opens all that others connect to: the database for tools, the permissions for the functions, and the API. Web
// pages are let into the API alone.
func (s *stack) serve(ctx context.Context, cfg config, t *samtemplate.Template, logs console) error {
	behind, err := url.Parse(s.engine.Endpoint())
	if err != nil {
		return fmt.Errorf("the engine's endpoint: %w", err)
	}
	s.endpoint = s.engine.Endpoint()
	if cfg.engine != engine.LocalStack {
		if s.endpoint, err = s.serveInside(ctx, "the database", cfg.dbPort, loopback.Forward(behind)); err != nil {
			return err
		}
	}
	transport := http.RoundTripper(loopback.Transport())
	if cfg.limits != nil {
		s.limits = limits.New(*cfg.limits)
		transport = s.limits.Transport(transport)
	}
	// A permission that is missing is a line in the log of the function that lacks it.
	permissions, err := s.serveInside(ctx, "the permissions", 0, iam.New(t.Functions, loopback.ForwardBy(transport, behind), func(function, action string) {
		logs.line(function, fmt.Sprintf("template.yaml does not allow %s %s", function, action))
	}))
	if err != nil {
		return err
	}
	config, err := gatewayConfig(t, cfg.engine, permissions)
	if err != nil {
		return err
	}
	config.Log, config.MaxProcesses = logs.line, cfg.processes
	g, err := gateway.New(config)
	if err != nil {
		return err
	}
	if err := g.Start(ctx); err != nil {
		return err
	}
	s.gateway, s.server = g, g.Server()
	s.api, err = s.listen(ctx, "the API", cfg.port, s.server)
	return err
}

// serveInside serves what no web page is to reach.
func (s *stack) serveInside(ctx context.Context, what string, port int, handler http.Handler) (address string, err error) {
	server := &http.Server{Handler: loopback.RefuseBrowsers(handler), ReadHeaderTimeout: 10 * time.Second}
	s.inside = append(s.inside, server)
	return s.listen(ctx, what, port, server)
}

// listen starts the server on the loopback interface, at a free port where the port is 0, and returns its base URL.
func (s *stack) listen(ctx context.Context, what string, port int, server *http.Server) (address string, err error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return "", fmt.Errorf("serving %s: %w", what, err)
	}
	go func() { s.failed <- fmt.Errorf("%s is served no more: %w", what, server.Serve(listener)) }()
	return "http://" + listener.Addr().String(), nil
}
