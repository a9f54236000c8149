// Package cloud starts a LocalStack without Docker, to deploy to: CloudFormation, S3, IAM, Lambda, Secrets Manager and
// DynamoDB, on a loopback address. Close leaves nothing of it (docs/adr/0013-rehearsal.md).
//
// LocalStack itself is Python, installed by `make localstack`. start.py runs it and changes what has no setting;
// executor.py runs the functions' arm64 binaries as processes; its DynamoDB is the engine that ENGINE names.
package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/arm64"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process"
)

// Python is LocalStack's interpreter, from the root of the working tree.
const Python = ".tools/localstack/bin/python"

// services are those that the stack uses. LocalStack loads each at its first request.
const services = "cloudformation,cloudwatch,dynamodb,events,iam,lambda,logs,s3,scheduler,secretsmanager,sns,ssm,sts"

const (
	startPatience = time.Minute
	gracePeriod   = 10 * time.Second
)

// Cloud is a LocalStack that answers.
type Cloud struct {
	endpoint string
	engine   *engine.Engine
	process  *process.Process
	output   process.Tail
	dir      string // of everything that it writes
}

// Start returns once LocalStack answers. root is the working tree's; logs gets what LocalStack prints. ctx bounds the
// start only. If something is missing on this machine, the error says how to install it.
func Start(ctx context.Context, root string, logs io.Writer) (*Cloud, error) {
	c := &Cloud{output: process.Tail{Next: logs}}
	if err := c.start(ctx, root); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cloud) start(ctx context.Context, root string) error {
	emulator, err := arm64.Emulator()
	if err != nil {
		return err
	}
	python := filepath.Join(root, Python)
	if _, err := os.Stat(python); err != nil {
		return errors.New("LocalStack is not installed: run `make localstack`")
	}
	kind, err := engine.KindFromEnv()
	if err != nil {
		return err
	}
	if kind == engine.LocalStack {
		return fmt.Errorf("ENGINE=%s: LocalStack's own DynamoDB is one of ours: %s or %s", kind, engine.Embedded, engine.DynamoDBLocal)
	}
	if c.engine, err = engine.Start(ctx, engine.Options{Kind: kind}); err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp("", "ranch-cloud-"); err != nil {
		return err
	}
	port, err := loopback.FreePort(loopback.Address)
	if err != nil {
		return err
	}
	address := net.JoinHostPort(loopback.Address, strconv.Itoa(port))
	c.endpoint = "http://" + address
	table, err := url.Parse(c.engine.Endpoint())
	if err != nil {
		return err
	}
	cmd := exec.Command(python, filepath.Join(root, "localstack", "deploy", "cloud", "start.py"))
	cmd.Dir = c.dir
	cmd.Env = c.environment(address, table.Host, emulator)
	cmd.Stdout, cmd.Stderr = &c.output, &c.output
	if c.process, err = process.Start(cmd); err != nil {
		return err
	}
	return c.awaitReady(ctx)
}

// environment is LocalStack's. It takes nothing but the path from this shell.
func (c *Cloud) environment(address, table, emulator string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "TMPDIR=" + c.dir,
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "PYTHONWARNINGS=ignore",
		"RANCH_DYNAMODB=" + table, "RANCH_EMULATOR=" + emulator,
		"FILESYSTEM_ROOT=" + c.dir, "OVERRIDE_IN_DOCKER=0", "GATEWAY_LISTEN=" + address, "SERVICES=" + services,
		"CFN_IGNORE_UNSUPPORTED_RESOURCE_TYPES=1",                       // API Gateway's HTTP APIs, above all
		"DISABLE_EVENTS=1", "SKIP_SSL_CERT_DOWNLOAD=1", "DNS_ADDRESS=0", // it must not use the network
	}
}

// awaitReady polls until LocalStack answers.
func (c *Cloud) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	if err := c.process.Await(ctx, 100*time.Millisecond, c.health); err != nil {
		return fmt.Errorf("LocalStack at %s: %w: %s", c.endpoint, err, c.LastOutput())
	}
	return nil
}

func (c *Cloud) health(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.endpoint+"/_localstack/health", http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	return errors.Join(err, answer.Body.Close())
}

// Endpoint returns the address of all of its services, for AWS_ENDPOINT_URL.
func (c *Cloud) Endpoint() string { return c.endpoint }

// Config is for the SDK's clients of its services.
func (c *Cloud) Config() aws.Config {
	return aws.Config{Region: running.Region, BaseEndpoint: aws.String(c.endpoint), Credentials: running.Credentials()}
}

// Environ returns this process's environment for a tool: its AWS is this one, and it cannot reach a profile or account
// of the shell's.
func (c *Cloud) Environ() []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "AWS_") }),
		"AWS_ENDPOINT_URL="+c.endpoint, "AWS_REGION="+running.Region, "AWS_DEFAULT_REGION="+running.Region,
		"AWS_ACCESS_KEY_ID="+running.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+running.SecretAccessKey,
		"AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull, "AWS_EC2_METADATA_DISABLED=true")
}

// LastOutput returns the end of what LocalStack has printed.
func (c *Cloud) LastOutput() string { return c.output.String() }

// Close ends LocalStack, the functions that it runs and its DynamoDB, and removes what they have written.
func (c *Cloud) Close() error {
	if c.process != nil {
		c.process.Stop(gracePeriod)
	}
	if c.engine != nil {
		c.engine.Close()
	}
	if c.dir == "" {
		return nil
	}
	return os.RemoveAll(c.dir)
}
