// Rehearsal deploys the service to its own LocalStack as an operator does, uses the service and deletes it again. `make
// deploy-rehearsal` runs it, without Docker and without an AWS account. docs/deploying.md says what it needs, and what
// only an account can show. docs/adr/0013-rehearsal.md has the reasons.
//
// It is a program and not a test, because each step needs the step before, and the steps together take minutes. It ends
// at the first error, and prints the reason.
//
//	main.go     the list of steps, played one after the other
//	steps.go    the actions and checks of each step, in order
//	deploy.go   sam deploy, what it changes, and what is deployed then
//	service.go  the users of the service: a player through a gateway, and an operator
//	page.go     the commands of docs/restore.md, as they stand there
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/localstack/deploy/cloud"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/run/player"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	batch.Main("deploy-rehearsal", "", func(ctx context.Context) error { return rehearse(ctx, os.Stdout) })
}

const (
	// folder holds all output of the rehearsal's programs. It is relative to the root of the working tree.
	folder = ".build/rehearsal"
	// patience is the time limit of a step, longer than any step takes on a busy machine. If LocalStack leaves a stack
	// half updated, SAM would otherwise wait for ever.
	patience = 15 * time.Minute
)

// rehearsal is the state that the steps share.
type rehearsal struct {
	template *samtemplate.Template
	cloud    *cloud.Cloud
	log      *os.File // gets the output of sam and LocalStack
	ranchctl string
	front    *front
	fault    atomic.Pointer[error] // the last failure of a function, which no client can see

	environment environment

	stack   stack
	first   stack  // the first deployment's
	version string // of every function that must answer
	key     string // id of the key with which newly started functions sign
	player  *player.Player
	earlier *player.Player // the same player with tokens from before the rotation
	late    *player.Player // registered after the table was copied

	cloudFormation *cloudformation.Client
	dynamoDB       *dynamodb.Client
	iam            *iam.Client
	lambda         *lambda.Client
	secrets        *secretsmanager.Client
}

// steps returns the steps of the rehearsal in order. A step returns a text about its result. A step that fails panics
// through must, check or failf.
func (r *rehearsal) steps() []step {
	return []step{
		{"build, as it is deployed", r.build},
		{"start LocalStack", r.start},
		{"deploy prod", r.deployFirst},
		{"play the whole game", r.play},
		{"deploy unchanged", r.deployUnchanged},
		{"deploy other parameters", r.deployParameters},
		{"deploy alarms and people", r.deployBeside},
		{"rotate the keys", r.rotateKeys},
		{"run what is scheduled", r.runByThemselves},
		{"accept the stack", r.accept},
		{"restore onto a copy", r.restore},
		{"derive an import", r.deriveImport},
		{"go back", r.goBack},
		{"delete", r.delete},
		{"deploy dev", r.deployDev},
	}
}

type step struct {
	what string
	do   func(context.Context) string
}

// failure is the panic value of a step that fails.
type failure struct{ error }

func failf(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

// within runs a step with a time limit. It returns the step's text, or its failure or panic as an error.
func within(ctx context.Context, do func(context.Context) string) (found string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.error
		default:
			err = fmt.Errorf("%v\n%s", p, debug.Stack())
		}
	}()
	return do(ctx), nil
}

func rehearse(ctx context.Context, out io.Writer) (err error) {
	r := &rehearsal{environment: prod}
	if r.template, err = samtemplate.LoadRoot(); err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(r.template.Root, notes)), os.MkdirAll(filepath.Join(r.template.Root, notes), 0o755)); err != nil {
		return err
	}
	if r.log, err = os.Create(filepath.Join(r.template.Root, folder, "log")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	started := time.Now()
	for _, step := range r.steps() {
		began := time.Now()
		found, err := within(ctx, step.do)
		if err != nil {
			if fault := r.fault.Load(); fault != nil {
				err = errors.Join(err, *fault)
			}
			return fmt.Errorf("%s: %w\nwhat was printed is in %s", step.what, err, r.log.Name())
		}
		fmt.Fprintf(out, "%-26s %3.0f s  %s\n", step.what, time.Since(began).Seconds(), found)
	}
	_, err = fmt.Fprintf(out, "Rehearsed in %.0f s. Not tested: API Gateway, IAM's decisions and all else that only AWS has (docs/deploying.md)\n",
		time.Since(started).Seconds())
	return err
}

// close ends everything that the rehearsal has started.
func (r *rehearsal) close() (err error) {
	if r.front != nil {
		err = r.front.close()
	}
	if r.cloud != nil {
		err = errors.Join(err, r.cloud.Close())
	}
	return errors.Join(err, r.log.Close())
}

// build makes the packages for sam deploy, and the operators' tool.
func (r *rehearsal) build(ctx context.Context) string {
	check(build.Make(ctx, r.template.Root, r.log, "sam-build"))
	r.ranchctl = filepath.Join(r.template.Root, folder, "ranchctl")
	must(r.run(ctx, os.Environ(), "go", "build", "-o", r.ranchctl, "./infra/ranchctl"))
	return fmt.Sprintf("%d functions for arm64", len(r.template.Functions))
}

func (r *rehearsal) start(ctx context.Context) string {
	r.cloud = must(cloud.Start(ctx, r.template.Root, r.log))
	cfg := r.cloud.Config()
	r.cloudFormation, r.dynamoDB, r.iam = cloudformation.NewFromConfig(cfg), dynamodb.NewFromConfig(cfg), iam.NewFromConfig(cfg)
	r.secrets = secretsmanager.NewFromConfig(cfg)
	// Invoke a function only once, as API Gateway does: a repetition would hide a failure.
	r.lambda = lambda.NewFromConfig(cfg, func(o *lambda.Options) { o.RetryMaxAttempts = 1 })
	r.front = must(openFront(ctx, r))
	return "at " + r.cloud.Endpoint()
}
