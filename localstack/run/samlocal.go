package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

const (
	samProgram    = ".tools/sam/bin/sam"     // where the Makefile installs SAM
	samNetwork    = "ranch"                  // the Docker network of localstack/run/docker-compose.yaml
	samEndpoint   = "http://localstack:4566" // where containers in it find LocalStack
	samLocalStack = "4566"                   // LocalStack's port on this machine
)

// samArchitectures are Lambda's names of the processors that it has images for, by Go's.
var samArchitectures = map[string]string{"amd64": "x86_64", "arm64": "arm64"}

// serveWithSAM sets up the LocalStack and serves the API with `sam local start-api`: the functions run in containers of
// Lambda's own images, before a LocalStack that runs in Docker, too. SAM takes this process's place: serveWithSAM
// returns only with an error. It looks for what may be missing before it builds anything.
//
// SAM takes the region and the credentials of the developer's shell, compiles for the processor that template.yaml
// names, and answers each call with a traceback if something is missing. So it gets an environment and a template of
// its own.
func serveWithSAM(ctx context.Context, cfg config, out io.Writer) error {
	if err := cfg.checkPorts(); err != nil {
		return err
	}
	// The LocalStack that is set up must be the one that the containers find in their network.
	if at, err := url.Parse(engine.LocalStackEndpoint()); err != nil || at.Port() != samLocalStack || !loopback.IsLoopback(at.Host) {
		return fmt.Errorf("the containers use the LocalStack of localstack/run/docker-compose.yaml, which is not at AWS_ENDPOINT_URL=%s: unset it", at)
	}
	if err := checkDocker(ctx); err != nil {
		return err
	}
	if err := initialise(ctx, cfg, out); err != nil {
		return err
	}
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	environ := append(samEnviron(os.Environ()), "GOOS=linux", "GOARCH="+runtime.GOARCH)
	if err := build.Make(ctx, t.Root, out, environ, samProgram, "functions", "FUNCTIONS_DIR="+samPrograms(t)); err != nil {
		return err
	}
	template, err := copyTemplate(t, stack.PhysicalIDs(cfg.engine), samArchitectures[runtime.GOARCH])
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "No page of the game is served with it. The one of a `make run` plays here, too, with ?api=http://127.0.0.1:%d\n", cfg.port)
	sam := filepath.Join(t.Root, samProgram)
	arguments := []string{
		sam, "local", "start-api", "--template-file", template, "--port", strconv.Itoa(cfg.port), "--region", running.Region,
		"--docker-network", samNetwork,
		"--warm-containers", "LAZY", // a container for each function, not for each call
	}
	return fmt.Errorf("starting %s: %w", samProgram, syscall.Exec(sam, arguments, samEnviron(os.Environ())))
}

// checkDocker returns in one line what is missing of Docker, and what to do about it.
func checkDocker(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	containers, err := exec.CommandContext(ctx, "docker", "ps", "--quiet", "--filter", "network="+samNetwork,
		"--filter", "label=com.docker.compose.service=localstack").Output() // the service's name is its host name there
	switch {
	case err != nil:
		return fmt.Errorf("no Docker answers: install or start it, or use `make run`, which needs none: %w", errors.Join(ctx.Err(), err))
	case len(containers) == 0:
		return fmt.Errorf("no LocalStack is in Docker's network %s: `docker compose -f localstack/run/docker-compose.yaml up -d --wait` starts ours there", samNetwork)
	}
	return nil
}

// samEnviron returns the environment without anything of AWS's, but with the region that LocalStack's resources are in
// and credentials that mean nothing: those of a profile have no business in a container.
func samEnviron(environ []string) []string {
	return append(slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "AWS_") }),
		"AWS_REGION="+running.Region, "AWS_DEFAULT_REGION="+running.Region,
		"AWS_ACCESS_KEY_ID="+running.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+running.SecretAccessKey)
}
