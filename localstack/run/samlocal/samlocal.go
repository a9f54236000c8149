// Package samlocal serves the API with `sam local start-api`: the functions in containers of Lambda's own images,
// before a LocalStack that runs in Docker, too.
//
// SAM takes the region and the credentials of the developer's shell, compiles for the processor that template.yaml
// names, and answers each call with a traceback where something is missing. So it gets an environment and a template of
// its own, and what it needs is looked for first.
package samlocal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/infra/running"
)

const (
	// Program is where the Makefile installs SAM, from the root of the working tree.
	Program = ".tools/sam/bin/sam"
	// Network is the Docker network in which the containers find LocalStack (localstack/run/docker-compose.yaml).
	Network = "ranch"
	// Endpoint is where they find it.
	Endpoint = "http://localstack:" + port

	port = "4566" // LocalStack's, and the one it has on this machine (localstack/run/docker-compose.yaml)
)

// CheckDocker returns in one line what is missing of Docker, and what to do about it.
func CheckDocker(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if _, err := exec.LookPath("docker"); err != nil {
		return errors.New("docker is missing, in whose containers sam local runs the functions: install it, or use `make run`, which needs none")
	}
	containers, err := exec.CommandContext(ctx, "docker", "ps", "--quiet", "--filter", "network="+Network,
		"--filter", "label=com.docker.compose.service=localstack").Output() // the service's name is its host name there
	if err != nil {
		return fmt.Errorf("no Docker answers: start it, or use `make run`, which needs none: %w", errors.Join(ctx.Err(), lastWords(err)))
	}
	if len(strings.TrimSpace(string(containers))) == 0 {
		return fmt.Errorf("no LocalStack is in Docker's network %s: `docker compose -f localstack/run/docker-compose.yaml up -d --wait` starts ours there", Network)
	}
	return nil
}

// lastWords is the last line of what a command that failed complained of.
func lastWords(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return errors.New(lines[len(lines)-1])
	}
	return err
}

// CheckEndpoint returns an error unless the LocalStack that this machine reaches at the endpoint can be the one that
// the containers find in their network: what is set up in one is not in the other.
func CheckEndpoint(endpoint string) error {
	at, err := url.Parse(endpoint)
	if err == nil && at.Port() == port && (at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback()) {
		return nil
	}
	return fmt.Errorf("the containers use the LocalStack of localstack/run/docker-compose.yaml, which is not at AWS_ENDPOINT_URL=%s: unset it", endpoint)
}

// Architecture is a processor, as Go and as Lambda call it.
type Architecture struct{ Go, Lambda string }

// HostArchitecture returns this machine's, for which containers need no emulator.
func HostArchitecture(ctx context.Context) (Architecture, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOHOSTARCH").Output()
	if err != nil {
		return Architecture{}, fmt.Errorf("asking go for this machine's processor: %w", err)
	}
	for _, a := range []Architecture{{"amd64", "x86_64"}, {"arm64", "arm64"}} {
		if a.Go == strings.TrimSpace(string(out)) {
			return a, nil
		}
	}
	return Architecture{}, fmt.Errorf("no image of Lambda's is for this machine's processor, %s: use `make run`", strings.TrimSpace(string(out)))
}

// Environ returns the environment without anything of AWS's, but with the region that LocalStack's resources are in and
// credentials that mean nothing: those of a profile have no business in a container.
func Environ(environ []string) []string {
	return append(slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "AWS_") }),
		"AWS_REGION="+running.Region, "AWS_DEFAULT_REGION="+running.Region,
		"AWS_ACCESS_KEY_ID="+running.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+running.SecretAccessKey)
}

// Exec puts SAM in this process's place, to serve the template at the port. It returns only if that fails.
func Exec(root, template string, port int) error {
	sam := filepath.Join(root, Program)
	arguments := []string{
		sam, "local", "start-api", "--template-file", template, "--port", strconv.Itoa(port), "--region", running.Region,
		"--docker-network", Network,
		"--warm-containers", "LAZY", // a container for each function, not for each call
	}
	return fmt.Errorf("starting %s: %w", Program, syscall.Exec(sam, arguments, Environ(os.Environ())))
}
