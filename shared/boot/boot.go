// Package boot starts the functions: it reads their configuration from the environment, makes the store and the keys
// they need, and serves. If something is missing or wrong, the process ends with one line on stderr and exit code 1,
// before it takes any request. Only the table's content may become known later.
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
// secret in Secrets Manager, in the form for token.ReadSecret. The value "local:development" stands for a public test
// key, and is refused unless the DynamoDB endpoint is on this machine. HS256_TOKENS says how to treat tokens from
// before Ed25519, "refused" by default.
//
// The function publishes the public keys in the table before it signs with a key. It reads the secret again when the
// keys are older than token.MaxAge, or than KEYS_MAX_AGE (such as 90s), which may be less. If the current version
// cannot be parsed, the function starts with the previous one. A function that has keys keeps those. ADR 12 has the
// reasons.
func SigningKeys(s *store.Store) *token.Ring {
	return must(environment(os.Getenv).signingKeys(context.Background(), newLogger(os.Stdout), time.Now, s))
}

// PublicKeys returns the keys of a function that only verifies tokens: those that are published in the table, which it
// reads again as SigningKeys reads the secret. While the deployment still has tokens from before Ed25519, which only
// the secret verifies, SIGNING_KEYS_SECRET is set, and the function uses that.
func PublicKeys(s *store.Store) *token.Ring {
	return must(environment(os.Getenv).publicKeys(context.Background(), newLogger(os.Stdout), time.Now, s))
}

// Store returns the store in the table TABLE_NAME, with the region, credentials and endpoint of the environment:
// AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, and AWS_ENDPOINT_URL_DYNAMODB or
// AWS_ENDPOINT_URL if set.
//
// It reads the table's layout. If that is another one than the store's, Store does not return: it answers requests
// while the doors are closed, and the first other event ends the process. If the table does not answer, Store tries
// again and again beside the requests, which notice that themselves.
func Store() *store.Store {
	s := must(environment(os.Getenv).store())
	if err := learnLayout(s); err != nil {
		Serve(httpapi.Public("other-layout", func(context.Context, *httpapi.Request) (httpapi.Response, error) {
			return must(httpapi.Response{}, err), nil
		}, httpapi.Fault("")))
	}
	return s
}

// learnLayout reads the layout, and tries again in the background if the table does not answer. Its error is
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

// Serve answers the function's events with the endpoint, and logs JSON lines to stdout. It adjusts Go's runtime to the
// function's memory and processor. If METRICS_NAMESPACE is set, the lines have metrics, with dimensions from
// AWS_LAMBDA_FUNCTION_NAME and AWS_LAMBDA_FUNCTION_VERSION, which Lambda sets. It does not return.
func Serve(e httpapi.Endpoint) {
	env := environment(os.Getenv)
	env.fitRuntime()
	e.Logger, e.Metrics = newLogger(os.Stdout), env.metrics()
	lambda.Start(e.Invoke)
}

// Run runs the job for each of the function's events, as Serve does. It does not return.
func Run(j schedule.Job) {
	env := environment(os.Getenv)
	env.fitRuntime()
	j.Logger, j.Metrics = newLogger(os.Stdout), env.metrics()
	lambda.Start(j.Run)
}

// Variable returns a further variable of the environment that the function needs.
func Variable(name string) string { return must(environment(os.Getenv).required(name)) }

// newLogger writes lines of JSON. Functions write them to stdout, where CloudWatch looks for metrics.
func newLogger(out io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(out, nil)) }

func must[V any](value V, err error) V {
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot start:", err)
		os.Exit(1)
	}
	return value
}
