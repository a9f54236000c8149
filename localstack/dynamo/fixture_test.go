package dynamo_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
	"github.com/ranch-game/ranch/localstack/engine"
)

var local *engine.Engine

func TestMain(m *testing.M) {
	kind, err := engine.KindFromEnv()
	if err == nil {
		local, err = engine.Start(context.Background(), engine.Options{Kind: kind})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	local.Close()
	os.Exit(code)
}

// fixture is a table on the real engine behind one of the simulator's packages. Its keys, PK and SK, are strings.
type fixture struct {
	name   *string
	db     *dynamodb.Client // through the simulator, without retries
	direct *dynamodb.Client // without the simulator
	wire   *wire            // between the simulator and the engine

	*capacity.Limits // of withCapacity
	clock            *clock

	*visibility.Front                             // of withVisibility
	commits           []*visibility.Commit        // in the order of their transactions
	sees              func(key protocol.Key) bool // the driver's decision for Front.Read; nil: no

	faults *faults.Random // of withFaults
}

func newTable(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{name: aws.String("test-" + rand.Text())}
	pool := &http.Transport{MaxIdleConnsPerHost: 64}
	f.direct, f.wire = client(t, local.Endpoint(), pool), &wire{next: pool}
	require.NoError(t, engine.CreateTable(t.Context(), f.direct, *f.name))
	t.Cleanup(func() {
		_, err := f.direct.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: f.name})
		assert.NoError(t, err)
	})
	return f
}

// withCapacity returns a fixture whose table has the limits o, and whose clock only the test moves.
func withCapacity(t *testing.T, o capacity.Options) *fixture {
	f := newTable(t)
	f.clock = &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	o.Clock = f.clock
	f.Limits = capacity.New(o)
	f.db = client(t, local.Endpoint(), f.Transport(f.wire))
	return f
}

// withVisibility returns a fixture whose transactions the test makes visible and ends.
func withVisibility(t *testing.T) *fixture {
	f := newTable(t)
	f.Front = visibility.New(f.wire)
	f.db = client(t, local.Endpoint(), roundTrip(f.drive))
	return f
}

// withFaults returns a fixture whose requests meet faults at random.
func withFaults(t *testing.T, chances map[string]float64, seed uint64) *fixture {
	t.Helper()
	f := newTable(t)
	f.faults = &faults.Random{Seed: seed, Chance: chances, LateBy: 5 * time.Millisecond, SlowBy: 5 * time.Millisecond}
	require.NoError(t, f.faults.Switch(t.Context(), true))
	holding := capacity.New(capacity.Options{Hold: 3 * time.Millisecond})
	f.db = client(t, local.Endpoint(), f.faults.Transport(holding.Transport(f.wire)))
	return f
}

// drive answers a request with Read or Write of package visibility, and records commits.
func (f *fixture) drive(r *http.Request) (*http.Response, error) {
	request, err := protocol.Parse(r)
	if err != nil {
		return nil, err
	}
	if !request.Changes() {
		return f.Read(request, func(k protocol.Key) bool { return f.sees != nil && f.sees(k) })
	}
	answer, commit, err := f.Write(request)
	if commit != nil {
		f.commits = append(f.commits, commit)
	}
	return answer, err
}

// last returns the last commit.
func (f *fixture) last() *visibility.Commit { return f.commits[len(f.commits)-1] }

func client(t *testing.T, endpoint string, transport http.RoundTripper) *dynamodb.Client {
	t.Cleanup((&http.Client{Transport: transport}).CloseIdleConnections)
	return dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", BaseEndpoint: &endpoint, HTTPClient: &http.Client{Transport: transport}, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "x", SecretAccessKey: "x"}, nil
		}),
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// clock is moved by the test and by Sleep, which does not wait.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.move(d)
	return ctx.Err()
}

// wire is the transport to the engine. It records the operations, and can play faults.
type wire struct {
	faults.Script
	next http.RoundTripper

	mu         sync.Mutex
	operations []string
}

// stopNext makes the wire hold the next request of an operation. The channel reached is closed when the request
// arrives. The request goes on to the engine when the test closes the channel on.
func (w *wire) stopNext(operation string) (reached, on chan struct{}) {
	reached, on = make(chan struct{}), make(chan struct{})
	w.Next(operation, faults.Before(func() { close(reached); <-on }))
	return reached, on
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.operations = append(w.operations, protocol.Operation(r))
	w.mu.Unlock()
	return w.Take(protocol.Operation(r))(r, w.next)
}

// reached returns the operations that have reached the engine since the last call of reached.
func (w *wire) reached() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.operations
	w.operations = nil
	return all
}
