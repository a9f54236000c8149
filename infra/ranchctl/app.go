package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// localTable is the table's name where an endpoint is given and no name.
const localTable = "ranch"

// callPatience bounds what a command waits for the table, so that an endpoint that is down is an error and not a hang.
const callPatience = 20 * time.Second

// app is what all commands share.
type app struct {
	table, endpoint, format string
	clock                   func() time.Time
	out, warnings           io.Writer
}

func (a *app) now() game.Instant { return game.InstantOf(a.clock()) }

// store connects as the flags say.
func (a *app) store(ctx context.Context) (*store.Store, error) {
	if a.endpoint == "" && a.table == "" {
		stack, err := running.Find()
		if errors.Is(err, running.ErrNone) {
			return nil, errors.New("no running 'make run' was found: start it, or say --endpoint (local) or --table (AWS)")
		}
		if err != nil {
			return nil, err
		}
		a.endpoint, a.table = stack.Endpoint, stack.Table
	}
	if a.table == "" {
		a.table = localTable
	}
	configuration, err := a.connect(ctx)
	if err != nil {
		return nil, err
	}
	return store.New(dynamodb.NewFromConfig(configuration, store.ClientOptions), a.table, a.clock), nil
}

// onThisMachine reports whether a command is about what --endpoint says, or a 'make run', and not about AWS.
func (a *app) onThisMachine() bool { return a.endpoint != "" }

// connect returns how to reach the endpoint, or else AWS as the environment has it.
func (a *app) connect(ctx context.Context) (aws.Config, error) {
	if a.onThisMachine() {
		return aws.Config{Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: &a.endpoint}, reachable(a.endpoint)
	}
	environment, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return aws.Config{}, fmt.Errorf("the AWS environment: %w", err)
	}
	if environment.Region == "" {
		return aws.Config{}, errors.New("the AWS environment has no region: set AWS_REGION, or AWS_PROFILE")
	}
	return environment, nil
}

// reachable says at once what would else be retried until the patience ends.
func reachable(endpoint string) error {
	at, err := url.Parse(endpoint)
	if err != nil || at.Port() == "" {
		return usagef("--endpoint %s is no URL with a port, such as http://127.0.0.1:8000", endpoint)
	}
	connection, err := net.DialTimeout("tcp", at.Host, 2*time.Second)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", endpoint, err)
	}
	return connection.Close()
}

// with runs a command's action on the store.
func (a *app) with(do func(ctx context.Context, s *store.Store, args []string) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		s, err := a.store(ctx)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, callPatience)
		defer cancel()
		if err := s.CheckLayout(ctx); err != nil {
			return err
		}
		return do(ctx, s, args)
	}
}

func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.warnings, "ranchctl: warning: %s\n", visible(fmt.Sprintf(format, args...)))
}

// id reads an identifier that the user typed.
func id(what, s string) (game.ID, error) {
	parsed, ok := game.ParseID(s)
	if !ok {
		return "", usagef("%q is no %s id: it must be a UUID", s, what)
	}
	return parsed, nil
}
