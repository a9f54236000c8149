package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/ranch-game/ranch/localstack/iam"
	"github.com/ranch-game/ranch/localstack/samtemplate"
)

// servePermissions puts the roles of template.yaml between the functions and the engine, and returns where the functions find it. A permission that is
// missing is a line in the log of the function that lacks it.
func (s *stack) servePermissions(ctx context.Context, t *samtemplate.Template, logs console) (address string, err error) {
	endpoint, err := url.Parse(s.engine.Endpoint())
	if err != nil {
		return "", fmt.Errorf("the engine's endpoint: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("serving the permissions: %w", err)
	}
	s.permissions = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: iam.New(t.Functions, endpoint, func(function, action string) {
		logs.line(function, fmt.Sprintf("template.yaml does not allow %s %s", function, action))
	})}
	go func() {
		s.failed <- fmt.Errorf("the functions reach the engine no more: %w", s.permissions.Serve(listener))
	}()
	return "http://" + listener.Addr().String(), nil
}
