package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/ranch-game/ranch/localstack/sam/gateway"
)

// front is the local gateway before the deployed functions: it makes API Gateway's events of requests, has Lambda
// invoke the function that template.yaml has at the route, and makes answers of what comes back.
type front struct {
	url     string
	gateway *gateway.Gateway
	server  *http.Server
}

// fault is the last failure of a function, which a client does not get to see.
type fault struct {
	mu  sync.Mutex
	err error
}

func (f *fault) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fault) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func openFront(ctx context.Context, r *rehearsal) (*front, error) {
	cfg := gateway.Config{Invoke: r.invoke}
	for _, f := range r.template.Endpoints() {
		cfg.Functions = append(cfg.Functions, gateway.FunctionConfig{LogicalID: f.LogicalID, Method: f.Method, Path: f.Path})
	}
	g, err := gateway.New(cfg)
	if err != nil {
		return nil, err
	}
	if err := g.Start(ctx); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, g.Close(ctx))
	}
	f := &front{url: "http://" + listener.Addr().String(), gateway: g, server: g.Server()}
	go f.server.Serve(listener) // until close
	return f, nil
}

func (f *front) close() error {
	return errors.Join(f.server.Close(), f.gateway.Close(context.Background()))
}

// invoke has the deployed function do its work, by the alias that the API has of it.
func (r *rehearsal) invoke(ctx context.Context, logicalID string, event []byte) ([]byte, error) {
	alias, ok := r.stack.ids[logicalID+"Alias"+aliasName]
	if !ok {
		return nil, fmt.Errorf("%s is not deployed", logicalID)
	}
	answer, err := r.clients.lambda.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(alias), Payload: event})
	if err == nil && answer.FunctionError != nil {
		err = fmt.Errorf("%s: %s", aws.ToString(answer.FunctionError), answer.Payload)
	}
	if err == nil && aws.ToString(answer.ExecutedVersion) != r.version {
		err = fmt.Errorf("version %s has answered, want %s", aws.ToString(answer.ExecutedVersion), r.version)
	}
	if err != nil {
		r.fault.set(fmt.Errorf("%s: %w", logicalID, err))
		return nil, err
	}
	return answer.Payload, nil
}
