// Package cloud starts a LocalStack without Docker on a loopback address, with the services of a deployment, such as
// CloudFormation, Lambda and DynamoDB. Close removes all of its files (docs/adr/0013-rehearsal.md).
//
// `make localstack` installs LocalStack, a Python program. start.py runs LocalStack, and changes its code where it has
// no setting. executor.py runs the functions' arm64 binaries as processes. The engine that ENGINE names serves its
// DynamoDB.
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
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process"
)

// Python is LocalStack's interpreter, from the root of the working tree.
const Python = ".tools/localstack/bin/python"

// services are the AWS services that the stack uses. LocalStack loads a service at its first request.
const services = "cloudformation,cloudwatch,dynamodb,events,iam,lambda,logs,s3,scheduler,secretsmanager,sns,ssm,sts"

const gracePeriod = 10 * time.Second

// Cloud is a LocalStack that answers.
type Cloud struct {
	endpoint string
	engine   *engine.Engine
	process  *process.Process
	dir      string // of all files that LocalStack writes
}

// Start starts LocalStack and returns when LocalStack answers. root is the root of the working tree; logs gets what
// LocalStack prints. ctx only limits the start. If a program is missing, the error says how to install it.
func Start(ctx context.Context, root string, logs io.Writer) (*Cloud, error) {
	c := &Cloud{}
	if err := c.start(ctx, root, logs); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Cloud) start(ctx context.Context, root string, logs io.Writer) error {
	qemu, err := emulator()
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
	cmd.Env = c.environment(address, table.Host, qemu)
	if c.process, err = process.Serve(ctx, cmd, &process.Tail{Next: logs}, c.health); err != nil {
		return fmt.Errorf("LocalStack at %s: %w", c.endpoint, err)
	}
	return nil
}

// emulator returns the path of the program that runs arm64 binaries for Linux on this machine; "" if the machine itself
// does. Debian's and Ubuntu's static build of QEMU needs no arm64 libraries, and no registration with the kernel.
func emulator() (string, error) {
	if runtime.GOOS == "linux" && runtime.GOARCH == "arm64" {
		return "", nil
	}
	path, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		err = fmt.Errorf("install qemu-user-static: %w", err)
	}
	return path, err
}

// environment returns LocalStack's environment. From this process's environment it keeps only PATH.
func (c *Cloud) environment(address, table, emulator string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir, "TMPDIR=" + c.dir,
		"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "PYTHONWARNINGS=ignore",
		"RANCH_DYNAMODB=" + table, "RANCH_EMULATOR=" + emulator,
		"FILESYSTEM_ROOT=" + c.dir, "OVERRIDE_IN_DOCKER=0", "GATEWAY_LISTEN=" + address, "SERVICES=" + services,
		"CFN_IGNORE_UNSUPPORTED_RESOURCE_TYPES=1",                       // mainly API Gateway's HTTP APIs
		"DISABLE_EVENTS=1", "SKIP_SSL_CERT_DOWNLOAD=1", "DNS_ADDRESS=0", // LocalStack must not use the network
	}
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

// Endpoint returns the address of all of LocalStack's services, for AWS_ENDPOINT_URL.
func (c *Cloud) Endpoint() string { return c.endpoint }

// Config returns the configuration of the SDK's clients for LocalStack's services.
func (c *Cloud) Config() aws.Config {
	return aws.Config{Region: running.Region, BaseEndpoint: aws.String(c.endpoint), Credentials: running.Credentials()}
}

// Environ returns the environment for a tool that works with this LocalStack. It has none of the developer's AWS
// variables and files, so that the tool cannot reach the developer's account.
func (c *Cloud) Environ() []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "AWS_") }),
		"AWS_ENDPOINT_URL="+c.endpoint, "AWS_REGION="+running.Region, "AWS_DEFAULT_REGION="+running.Region,
		"AWS_ACCESS_KEY_ID="+running.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+running.SecretAccessKey,
		"AWS_CONFIG_FILE="+os.DevNull, "AWS_SHARED_CREDENTIALS_FILE="+os.DevNull, "AWS_EC2_METADATA_DISABLED=true")
}

// Close ends LocalStack, its functions and its DynamoDB, and removes the files that they have written.
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
