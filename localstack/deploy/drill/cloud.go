package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// cloud is what the functions find behind them: the table, of the embedded engine, and the secret, of moto's Secrets
// Manager, at one endpoint, as of a LocalStack. The table can be made to fail.
type cloud struct {
	moto         *process.Process
	engine       *engine.Engine // past all faults
	asLocalStack *engine.Engine // what the stack takes the endpoint for
	endpoint     string
	secrets      *secretsmanager.Client
	server       *http.Server
	behind       *http.Transport

	mu     sync.Mutex
	fault  fault
	limits *capacity.Limits // that count what goes through, and hold it to limits where the fault is that
}

// fault is what is wrong with the table: a request gets its answer in place of the engine's; nil: nothing is.
type fault func(r *http.Request, body []byte) *http.Response

// openCloud returns a cloud that must be closed, after an error, too.
func openCloud(ctx context.Context, t *samtemplate.Template) (*cloud, error) {
	c := &cloud{behind: loopback.Transport(), limits: capacity.New(capacity.Options{})}
	return c, c.open(ctx, t)
}

func (c *cloud) open(ctx context.Context, t *samtemplate.Template) error {
	motoAt, err := c.startMoto(ctx, t.Root)
	if err != nil {
		return err
	}
	if c.engine, err = engine.Start(ctx, engine.Options{}); err != nil {
		return err
	}
	if err := c.serve(motoAt); err != nil {
		return err
	}
	if err := os.Setenv("AWS_ENDPOINT_URL", c.endpoint); err != nil { // where the engine package looks for a LocalStack
		return err
	}
	if c.asLocalStack, err = engine.Start(ctx, engine.Options{Kind: engine.LocalStack}); err != nil {
		return err
	}
	if err := engine.CreateTable(ctx, c.engine.Client(), stack.TableName); err != nil {
		return err
	}
	return c.createSecret(ctx, t)
}

// startMoto starts moto, and returns where it is once it answers.
func (c *cloud) startMoto(ctx context.Context, root string) (*url.URL, error) {
	port, err := loopback.FreePort(loopback.Address)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(root, ".tools", "moto", "bin", "moto_server"), "-H", loopback.Address, "-p", strconv.Itoa(port))
	var output process.Tail
	cmd.Stdout, cmd.Stderr = &output, &output
	if c.moto, err = process.Start(cmd); err != nil {
		return nil, fmt.Errorf("`make moto` installs what this needs: %w", err)
	}
	at := &url.URL{Scheme: "http", Host: net.JoinHostPort(loopback.Address, strconv.Itoa(port))}
	c.secrets = secretsmanager.New(secretsmanager.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(at.String()), RetryMaxAttempts: 1,
	})
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		if _, err = c.secrets.ListSecrets(ctx, &secretsmanager.ListSecretsInput{}); err == nil {
			return at, nil
		}
		select {
		case <-c.moto.Done():
			return nil, fmt.Errorf("moto has ended: %s", &output)
		case <-ctx.Done():
			return nil, fmt.Errorf("moto does not answer: %w", err)
		case <-poll.C:
		}
	}
}

// serve serves the table, the secret, and who asks (STS), at one endpoint.
func (c *cloud) serve(motoAt *url.URL) error {
	tablesAt, err := url.Parse(c.engine.Endpoint())
	if err != nil {
		return err
	}
	others, tables := loopback.Forward(motoAt), loopback.ForwardBy(c, tablesAt)
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback.Address, "0"))
	if err != nil {
		return err
	}
	c.endpoint = "http://" + listener.Addr().String()
	c.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: loopback.RefuseBrowsers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_") {
			others.ServeHTTP(w, r)
			return
		}
		tables.ServeHTTP(w, r)
	}))}
	go c.server.Serve(listener) // until close
	return nil
}

func (c *cloud) close() {
	if c.server != nil {
		_ = c.server.Close()
	}
	c.behind.CloseIdleConnections()
	if c.engine != nil {
		c.engine.Close()
	}
	if c.moto != nil {
		c.moto.Stop(time.Second)
	}
}

// createSecret makes the secret as CloudFormation does.
func (c *cloud) createSecret(ctx context.Context, t *samtemplate.Template) error {
	shape, err := t.SecretTemplate("SigningKeys")
	if err != nil {
		return err
	}
	value, err := shape.Generate()
	if err != nil {
		return err
	}
	_, err = c.secrets.CreateSecret(ctx, &secretsmanager.CreateSecretInput{Name: aws.String(stack.SecretName), SecretString: aws.String(value)})
	return err
}

// RoundTrip passes a request for the table on, by the limits, unless there is a fault.
func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	fault, through := c.fault, c.limits.Transport(c.behind)
	c.mu.Unlock()
	if fault == nil {
		return through.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, errors.Join(err, r.Body.Close())
	}
	if instead := fault(r, body); instead != nil {
		return instead, r.Body.Close()
	}
	again := r.Clone(r.Context())
	again.Body = io.NopCloser(strings.NewReader(string(body)))
	return through.RoundTrip(again)
}

// fail makes a fault of the table the present one; nil ends it.
func (c *cloud) fail(f fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = f
}

// limit gives the table limits, from the next period on; none end them.
func (c *cloud) limit(o capacity.Options) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limits = capacity.New(o)
}

// counted returns what AWS counts of a table, by the metrics' names, since the limits are what they are.
func (c *cloud) counted() map[string]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts, s := map[string]float64{}, c.limits.Snapshot()
	sum := s.Total()
	counts["ConsumedReadCapacityUnits"], counts["ConsumedWriteCapacityUnits"] = sum.Read, sum.Written
	for _, row := range s.Rows {
		switch row.Operation {
		case "GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems":
			counts["ReadThrottleEvents"] += float64(row.Throttled)
		default:
			counts["WriteThrottleEvents"] += float64(row.Throttled)
		}
	}
	return counts
}

// exception is an error as the table answers it.
func exception(r *http.Request, name string, more map[string]any) *http.Response {
	body := map[string]any{"__type": "com.amazonaws.dynamodb.v20120810#" + name, "message": "a drill"}
	for field, value := range more {
		body[field] = value
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // texts and lists can be marshalled
	}
	return &http.Response{
		StatusCode: http.StatusBadRequest, ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: int64(len(text)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(strings.NewReader(string(text))),
	}
}
