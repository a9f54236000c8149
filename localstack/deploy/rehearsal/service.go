package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/player"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
)

// front is a local gateway before the deployed functions. It turns a request into an API Gateway event, has Lambda
// invoke the function of the route in template.yaml, and turns the function's output into an answer.
type front struct {
	url     string
	gateway *gateway.Gateway
	server  *http.Server
}

func openFront(ctx context.Context, r *rehearsal) (*front, error) {
	cfg := gateway.Config{Invoke: r.invoke}
	for _, f := range r.template.Endpoints() {
		cfg.Functions = append(cfg.Functions, gateway.FunctionConfig{Function: f})
	}
	g, err := gateway.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &front{url: "http://" + listener.Addr().String(), gateway: g, server: g.Server(loopback.Hosts{})}
	go f.server.Serve(listener) // until close
	return f, nil
}

func (f *front) close() error {
	return errors.Join(f.server.Close(), f.gateway.Close())
}

// invoke calls the deployed function through the API's alias. An answer of another version than r.version is an error.
func (r *rehearsal) invoke(ctx context.Context, logicalID string, event []byte) ([]byte, error) {
	alias := r.stack.ids[logicalID+"Alias"+aliasName]
	answer, err := r.lambda.Invoke(ctx, &lambda.InvokeInput{FunctionName: aws.String(alias), Payload: event})
	switch {
	case err != nil:
	case answer.FunctionError != nil:
		err = fmt.Errorf("%s: %s", *answer.FunctionError, answer.Payload)
	case aws.ToString(answer.ExecutedVersion) != r.version:
		err = fmt.Errorf("version %s has answered, want %s", aws.ToString(answer.ExecutedVersion), r.version)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", logicalID, err)
		r.fault.Store(&err)
		return nil, err
	}
	return answer.Payload, nil
}

// operate runs ranchctl, the operators' tool, on the deployed table and decodes its JSON output into the value at into.
func (r *rehearsal) operate(ctx context.Context, into any, arguments ...string) error {
	environ := append(r.cloud.Environ(), "TABLE_NAME="+r.stack.outputs["TableName"], "SIGNING_KEYS_SECRET="+r.stack.outputs["SigningKeysSecret"])
	printed, err := r.run(ctx, environ, r.ranchctl, append(arguments, "-o", "json")...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(printed), into)
}

func (r *rehearsal) register(ctx context.Context, name string) *player.Player {
	return must(player.Register(ctx, r.front.url, name))
}

// wantSession fails unless the player's tokens are valid and the key with the id key signs the player's next token.
func wantSession(ctx context.Context, p *player.Player, key string) {
	check(p.Call(ctx, "GET", "/animals", nil, http.StatusOK, nil))
	check(p.Refresh(ctx, http.StatusOK))
	header, _, _ := strings.Cut(p.Tokens.Token, ".")
	var fields struct{ KID string }
	check(json.Unmarshal(must(base64.RawURLEncoding.DecodeString(header)), &fields))
	if fields.KID != key {
		failf("a token is signed with %s, want %s", fields.KID, key)
	}
}
