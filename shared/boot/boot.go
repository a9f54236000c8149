// Package boot starts the functions. It reads their configuration from the environment, makes the store and the keys
// that they need, and serves events. If a setting is missing or wrong, the process writes one line to stderr and ends
// with exit code 1, before it serves any request. A function starts even if it cannot read the table yet.
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

// SigningKeys returns the keys of a function that issues tokens. SIGNING_KEYS_SECRET is the ARN or name of a secret in
// Secrets Manager, whose text has the form that token.ReadSecret reads. The value "local:development" means a public
// test key, which is only allowed if the DynamoDB endpoint is on this machine. HS256_TOKENS says how to treat tokens
// that are signed with HMAC-SHA256, the algorithm before Ed25519. Its default is "refused".
//
// The function publishes the public keys in the table before it signs with a key. At its start, it uses keys even if it
// cannot publish them. It reads the secret again when the keys are older than KEYS_MAX_AGE (such as 90s), by default
// and at most token.MaxAge, or when a token has an unknown key id. If the secret's current version has no valid keys, a
// function that starts uses the previous version. If it cannot read the secret, it does not start. A running function
// keeps its keys.
func SigningKeys(s *store.Store) *token.Ring {
	return must(environment(os.Getenv).signingKeys(context.Background(), newLogger(os.Stdout), time.Now, s))
}

// PublicKeys returns the keys of a function that only verifies tokens. The function reads the public keys from the
// table, and reads them again as SigningKeys reads the secret. If SIGNING_KEYS_SECRET is set, the function reads the
// secret instead. A deployment sets this variable while it has tokens that are signed with HMAC-SHA256, because only
// the secret can verify those.
func PublicKeys(s *store.Store) *token.Ring {
	return must(environment(os.Getenv).publicKeys(context.Background(), newLogger(os.Stdout), time.Now, s))
}

// Store returns the store of the table that TABLE_NAME names. Region, credentials and endpoint also come from the
// environment: AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, and AWS_ENDPOINT_URL_DYNAMODB
// or AWS_ENDPOINT_URL if set.
//
// Store checks the table's layout number, the version of the form of its records. If the table has another layout than
// this program knows, Store does not return: it serves only the answer of a closed API, and any other event ends the
// process. If the table does not answer, Store returns, and repeats the check in the background until the table
// answers. Meanwhile requests go to the table, and may fail.
func Store() *store.Store {
	s := must(environment(os.Getenv).store())
	if err := learnLayout(s); err != nil {
		Serve(httpapi.Public("other-layout", func(context.Context, *httpapi.Request) (httpapi.Response, error) {
			return must(httpapi.Response{}, err), nil
		}, httpapi.Fault("")))
	}
	return s
}

// learnLayout checks the table's layout. If the table has another layout than the program knows, it returns
// store.ErrOtherLayout. If the table does not answer, learnLayout returns nil and repeats the check in the background.
// If that check finds another layout, the process ends.
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

// tablePatience limits each read of the layout, each read of keys at the start, and each publication. A client waits.
const tablePatience = time.Second

// layoutKnown reports whether the table has answered and has the layout that the program knows. If the table has
// another layout, the error is store.ErrOtherLayout: a program that misreads the table must not answer requests.
func layoutKnown(s *store.Store) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), tablePatience)
	defer cancel()
	err := s.CheckLayout(ctx)
	if errors.Is(err, store.ErrOtherLayout) {
		return false, err
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot read the table's layout number yet, and will try again (look at TABLE_NAME, the network and the function's rights if this continues):", err)
	}
	return err == nil, nil
}

// Serve answers the function's events with the endpoint, and does not return. It writes log lines in JSON to stdout,
// and adjusts Go's runtime to the function's memory and processor. If METRICS_NAMESPACE is set, the lines carry
// metrics. The dimensions come from AWS_LAMBDA_FUNCTION_NAME and AWS_LAMBDA_FUNCTION_VERSION, which Lambda sets.
func Serve(e httpapi.Endpoint) {
	env := environment(os.Getenv)
	env.fitRuntime()
	e.Logger, e.Metrics = newLogger(os.Stdout), env.metrics()
	lambda.Start(e.Invoke)
}

// Run runs the job once for each of the function's events, and does not return. It sets up logging, metrics and the
// runtime as Serve does.
func Run(j schedule.Job) {
	env := environment(os.Getenv)
	env.fitRuntime()
	j.Logger, j.Metrics = newLogger(os.Stdout), env.metrics()
	lambda.Start(j.Run)
}

// Variable returns the value of an environment variable. If the variable is not set, the process ends with exit code 1.
func Variable(name string) string { return must(environment(os.Getenv).required(name)) }

// newLogger returns a logger that writes lines of JSON to out. A function's out is stdout, from which CloudWatch reads
// the lines and their metrics.
func newLogger(out io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(out, nil)) }

func must[V any](value V, err error) V {
	if err != nil {
		fmt.Fprintln(os.Stderr, "the function cannot start:", err)
		os.Exit(1)
	}
	return value
}
