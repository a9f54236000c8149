// Package boot starts the functions: it reads their configuration from the environment, makes the store and the keys
// they need, and serves. What is missing or wrong ends the process with one line on stderr and exit code 1, before any
// request is taken; only what the table says may become known later.
package boot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/schedule"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// SigningKeys returns the keys of a function that issues tokens. SIGNING_KEYS_SECRET names them: the ARN or name of a
// secret in Secrets Manager, as token.ReadSecret has it. The value "local:development" stands for a key that everybody
// knows, and is refused unless the DynamoDB endpoint is on this machine. HS256_TOKENS says what becomes of tokens from
// before Ed25519, "refused" unless it is set.
//
// The function publishes the public keys in the table before it signs with a key. It reads the secret again when the
// keys are older than token.MaxAge, or than KEYS_MAX_AGE (such as 90s), which may be less. If the current version
// cannot be parsed, the function starts with the previous one, and a function that has keys goes on with those. ADR 12
// has the reasons.
func SigningKeys(s *store.Store) *token.Ring {
	return must(environment(os.Getenv).signingKeys(context.Background(), newLogger(os.Stdout), time.Now, s))
}

// PublicKeys returns the keys of a function that only verifies tokens: those that are published in the table, which it
// reads again as SigningKeys reads the secret. While the deployment still has tokens from before Ed25519, which only
// the secret verifies, SIGNING_KEYS_SECRET is set, and the function goes by that.
func PublicKeys(s *store.Store) *token.Ring {
	return must(environment(os.Getenv).publicKeys(context.Background(), newLogger(os.Stdout), time.Now, s))
}

// Store returns the store in the table TABLE_NAME, with the region, credentials and endpoint of the environment:
// AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, and AWS_ENDPOINT_URL_DYNAMODB or
// AWS_ENDPOINT_URL where set.
//
// It asks the table for its layout. If that is another one than the store's, it does not return: it answers requests
// while the doors are closed, and the first other event ends the process. If the table does not answer, it asks again
// and again beside the requests, which find that out for themselves.
func Store() *store.Store {
	s := must(environment(os.Getenv).store())
	if err := learnLayout(s); err != nil {
		Serve(httpapi.Public("other-layout", func(context.Context, *httpapi.Request) (httpapi.Response, error) {
			return must(httpapi.Response{}, err), nil
		}, httpapi.Fault("")))
	}
	return s
}

// learnLayout asks for the layout, and if the table does not answer, again and again in the background. Its error is
// store.ErrOtherLayout; in the background that ends the process.
func learnLayout(s *store.Store) error {
	known, err := layoutKnown(s)
	if known || err != nil {
		return err
	}
	go func() {
		pause := tablePatience
		for time.Sleep(pause); !must(layoutKnown(s)); time.Sleep(pause) {
			pause = min(2*pause, time.Minute)
		}
	}()
	return nil
}

// tablePatience is short, since a client waits for the function's start.
const tablePatience = time.Second

// layoutKnown reports whether the table's layout is known to be the store's. Its error is store.ErrOtherLayout: better
// no request than one that misreads the table.
func layoutKnown(s *store.Store) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), tablePatience)
	defer cancel()
	err := s.CheckLayout(ctx)
	if errors.Is(err, store.ErrOtherLayout) {
		return false, err
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the table's layout is not known yet:", err)
	}
	return err == nil, nil
}

// Serve answers the function's events with the endpoint, logging JSON lines to stdout, with Go's runtime fit to the
// function's memory and processor. Where METRICS_NAMESPACE is set, there are metrics in those lines, also by
// AWS_LAMBDA_FUNCTION_NAME and AWS_LAMBDA_FUNCTION_VERSION, which Lambda sets. It does not return.
func Serve(e httpapi.Endpoint) {
	env := environment(os.Getenv)
	env.fitRuntime()
	e.Logger, e.Metrics = newLogger(os.Stdout), env.metrics()
	lambda.Start(e.Invoke)
}

// Run runs the job for each of the function's events, as Serve serves. It does not return.
func Run(j schedule.Job) {
	env := environment(os.Getenv)
	env.fitRuntime()
	j.Logger, j.Metrics = newLogger(os.Stdout), env.metrics()
	lambda.Start(j.Run)
}

// Variable returns a variable of the environment that the function needs besides.
func Variable(name string) string { return must(environment(os.Getenv).required(name)) }

// newLogger writes lines of JSON. Functions have them on stdout, where CloudWatch documents that it looks for metrics.
func newLogger(out io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(out, nil)) }

func must[V any](value V, err error) V {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot start:", err)
		os.Exit(1)
	}
	return value
}
