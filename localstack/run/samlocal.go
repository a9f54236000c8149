package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

const (
	samProgram    = ".tools/sam/bin/sam"     // the path at which the Makefile installs SAM
	samNetwork    = "ranch"                  // the Docker network of localstack/run/docker-compose.yaml
	samEndpoint   = "http://localstack:4566" // LocalStack's address for containers of that network
	samLocalStack = "4566"                   // LocalStack's port on this machine
)

// samArchitectures maps Go's names of processors to Lambda's. Lambda has images for these processors only.
var samArchitectures = map[string]string{"amd64": "x86_64", "arm64": "arm64"}

// serveWithSAM sets up LocalStack and serves the API with `sam local start-api`. The functions run in containers with
// Lambda's images, and use a LocalStack that also runs in Docker. SAM replaces this process, so serveWithSAM returns
// only with an error. It looks for missing programs before it builds anything.
//
// SAM gets an environment and a copy of the template that serveWithSAM makes. Otherwise SAM would use the region and
// the credentials of the developer's shell and compile for the processor in template.yaml. If something were missing,
// it would answer each call with a traceback.
func serveWithSAM(ctx context.Context, cfg config, out io.Writer) error {
	if err := cfg.checkPorts(); err != nil {
		return err
	}
	// The LocalStack that is set up must be the one that the containers find in their network.
	if at, err := url.Parse(engine.LocalStackEndpoint()); err != nil || at.Port() != samLocalStack || !loopback.IsLoopback(at.Host) {
		return fmt.Errorf("AWS_ENDPOINT_URL=%s is not the LocalStack of localstack/run/docker-compose.yaml, which the functions' containers use: unset AWS_ENDPOINT_URL", at)
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
	return fmt.Errorf("cannot start %s, which `make` installs: %w", samProgram, syscall.Exec(sam, arguments, samEnviron(os.Environ())))
}

// checkDocker returns an error if Docker does not answer or no LocalStack runs in it. The error is one line that says
// what to do.
func checkDocker(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	containers, err := exec.CommandContext(ctx, "docker", "ps", "--quiet", "--filter", "network="+samNetwork,
		"--filter", "label=com.docker.compose.service=localstack").Output() // the service's name is its host name
	switch {
	case err != nil:
		return fmt.Errorf("cannot reach Docker: install or start it, or use `make run`, which needs no Docker: %w", errors.Join(ctx.Err(), err))
	case len(containers) == 0:
		return fmt.Errorf("no LocalStack runs in Docker's network %s: start it with `docker compose -f localstack/run/docker-compose.yaml up -d --wait`", samNetwork)
	}
	return nil
}

// samEnviron returns the environment without the developer's AWS variables, so that no container gets their
// credentials. Instead it sets the region of LocalStack's resources and meaningless credentials.
func samEnviron(environ []string) []string {
	return append(slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, "AWS_") }),
		"AWS_REGION="+running.Region, "AWS_DEFAULT_REGION="+running.Region,
		"AWS_ACCESS_KEY_ID="+running.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+running.SecretAccessKey)
}

// samFolder is the folder of the template's copy and its programs, below the root of the working tree. Deployments take
// their programs from another folder, so that they never use these.
const samFolder = ".aws-sam/local"

// samPrograms returns the folder into which the functions are compiled.
func samPrograms(t *samtemplate.Template) string { return filepath.Join(t.Root, samFolder, "programs") }

// copyTemplate writes a copy of the template for sam local, and returns the copy's path. The copy uses the programs of
// samPrograms for the given processor, in Lambda's name. It adds LocalStack's address and the physical ids of its
// resources to the functions' environment. (SAM passes on only variables of the template, and the cloud needs no
// endpoint.)
func copyTemplate(t *samtemplate.Template, ids map[string]string, architecture string) (string, error) {
	text, err := os.ReadFile(filepath.Join(t.Root, samtemplate.FileName))
	if err != nil {
		return "", err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return "", fmt.Errorf("%s is not valid YAML: %w", samtemplate.FileName, err)
	}
	folder := filepath.Join(t.Root, samFolder)
	for _, f := range t.Functions {
		variables, err := t.Resolve(f.Environment, ids)
		if err != nil {
			return "", fmt.Errorf("cannot resolve the environment variables of %s in template.yaml: %w", f.LogicalID, err)
		}
		variables["AWS_ENDPOINT_URL"] = samEndpoint
		properties := member(member(member(document.Content[0], "Resources"), f.LogicalID), "Properties")
		err = errors.Join(
			member(properties, "CodeUri").Encode(f.LogicalID),
			member(properties, "Architectures").Encode([]string{architecture}),
			member(properties, "Environment").Encode(map[string]any{"Variables": variables}),
			placeProgram(filepath.Join(samPrograms(t), path.Base(f.Folder)), filepath.Join(folder, f.LogicalID)),
		)
		if err != nil {
			return "", fmt.Errorf("cannot prepare the function %s for SAM: %w", f.LogicalID, err)
		}
	}
	copied, err := yaml.Marshal(&document)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, samtemplate.FileName)
	return file, os.WriteFile(file, copied, 0o644)
}

// member returns the node of a key's value in a YAML mapping. If the key is missing, member adds it with an empty value
// that the caller can fill.
func member(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	value := &yaml.Node{Kind: yaml.MappingNode}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	return value
}

// placeProgram makes a hard link named bootstrap to the program in the folder, as Lambda needs it. A link is faster
// than a copy.
func placeProgram(program, folder string) error {
	bootstrap := filepath.Join(folder, "bootstrap")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.RemoveAll(bootstrap)); err != nil {
		return err
	}
	return os.Link(program, bootstrap)
}
