// Rehearsal deploys the service as an operator does, to a LocalStack of its own, lives with it for a minute and deletes
// it again: `make deploy-rehearsal`, without Docker and without an AWS account. docs/deploying.md says how to read it,
// docs/adr/0013-rehearsal.md why it is made so and what it cannot show.
//
// It is a program, and no test: it is one story, of which each step needs the one before, and it takes minutes, which
// `go test ./...` in three variants has not. It ends at the first thing that is not as it must be, with the reason.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/ranch-game/ranch/localstack/deploy/cloud"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	batch.Main("deploy-rehearsal", "", func(ctx context.Context) error { return rehearse(ctx, os.Stdout) })
}

// folder is where the rehearsal leaves what was printed, from the root of the working tree.
const folder = ".build/rehearsal"

// rehearsal is the story's state.
type rehearsal struct {
	out      io.Writer
	template *samtemplate.Template
	cloud    *cloud.Cloud
	log      *os.File // what sam and LocalStack print
	clients  clients
	ranchctl string
	stack    stack
	front    *front
	fault    fault
	player   *player
	earlier  *player // the same one, with tokens of before the keys were rotated
	late     *player // who came after the table was copied
	key      string  // signs for functions that start
	version  string  // of every function that is to answer
	first    stack   // what was deployed at first
}

func rehearse(ctx context.Context, out io.Writer) (err error) {
	r := &rehearsal{out: out}
	if r.template, err = samtemplate.LoadRoot(); err != nil {
		return err
	}
	if r.log, err = r.createLog(); err != nil {
		return err
	}
	defer r.log.Close()
	defer func() {
		if closing := r.close(); err == nil {
			err = closing
		}
	}()
	started := time.Now()
	for _, step := range []struct {
		what     string
		do       func(context.Context) (string, error)
		patience time.Duration
	}{
		{"build, as it is deployed", r.build, buildPatience},
		{"start LocalStack", r.start, patience},
		{"deploy", r.deployFirst, patience},
		{"look at every function", r.lookAtFunctions, patience},
		{"look at the policies", r.lookAtPolicies, patience},
		{"play all endpoints", r.play, patience},
		{"deploy unchanged", r.deployUnchanged, patience},
		{"deploy other parameters", r.deployParameters, patience},
		{"rotate the keys", r.rotateKeys, patience},
		{"run what is scheduled", r.runByThemselves, patience},
		{"restore onto a copy", r.restore, patience},
		{"go back", r.goBack, patience},
		{"delete", r.delete, patience},
	} {
		began := time.Now()
		found, err := within(ctx, step.patience, step.do)
		if err != nil {
			return fmt.Errorf("%s: %w\nwhat was printed is in %s", step.what, errors.Join(err, r.fault.get()), r.log.Name())
		}
		fmt.Fprintf(out, "%-26s %3.0f s  %s\n", step.what, time.Since(began).Seconds(), found)
	}
	_, err = fmt.Fprintf(out, "Rehearsed in %.0f s. Not by this: API Gateway, IAM's decisions and whatever else only AWS has (docs/deploying.md)\n",
		time.Since(started).Seconds())
	return err
}

const (
	// patience is longer than any step takes: SAM waits for ever for a stack that LocalStack leaves half updated.
	patience = 3 * time.Minute
	// buildPatience is for compiling everything, on a machine that never has, beside whatever else it does.
	buildPatience = 15 * time.Minute
)

func within(ctx context.Context, patience time.Duration, do func(context.Context) (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return do(ctx)
}

func (r *rehearsal) createLog() (*os.File, error) {
	dir := filepath.Join(r.template.Root, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join(dir, "log"))
}

// close ends whatever has been started.
func (r *rehearsal) close() (err error) {
	if r.front != nil {
		err = r.front.close()
	}
	if r.cloud != nil {
		if closing := r.cloud.Close(); err == nil {
			err = closing
		}
	}
	return err
}

// build makes what sam deploy takes, and the operators' tool.
func (r *rehearsal) build(ctx context.Context) (string, error) {
	if err := build.Make(ctx, r.template.Root, r.log, os.Environ(), "sam-build"); err != nil {
		return "", err
	}
	r.ranchctl = filepath.Join(r.template.Root, folder, "ranchctl")
	if _, err := r.run(ctx, os.Environ(), "go", "build", "-o", r.ranchctl, "./infra/ranchctl"); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d functions for arm64", len(r.template.Functions)), nil
}

func (r *rehearsal) start(ctx context.Context) (_ string, err error) {
	if r.cloud, err = cloud.Start(ctx, r.template.Root, r.log); err != nil {
		return "", err
	}
	r.clients = newClients(r.cloud.Config())
	if r.front, err = openFront(ctx, r); err != nil {
		return "", err
	}
	return "at " + r.cloud.Endpoint(), nil
}
