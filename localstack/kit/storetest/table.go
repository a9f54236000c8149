// Package storetest gives each test a table of its own on a real engine, scenes with shows and players, and a view of
// the requests to the table: their capacity, round trips and faults.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	mutantwire "github.com/ranch-game/ranch/localstack/verify/mutants/wire"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

var (
	local  *engine.Engine
	direct *dynamodb.Client // to the local engine, without the wire
)

// Main runs a package's tests with an engine of the kind that the variable ENGINE names. Call it from TestMain.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run does what Main does, but returns the exit code, so that TestMain can do more before it exits.
func Run(m *testing.M) (code int) {
	kind, err := engine.KindFromEnv()
	if err == nil {
		local, err = engine.Start(context.Background(), engine.Options{Kind: kind})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer local.Close()
	direct = local.Client()
	return m.Run()
}

// Table is a new, empty table for one test.
type Table struct {
	operate.Desk
	Name   string
	Client *dynamodb.Client // made with table.ClientOptions, and watched by Wire
	Wire   *Wire
	Clock  *Clock

	// Rival is another store on the same table, for the other side of a race. Wire neither counts nor disturbs it.
	Rival operate.Desk

	edited atomic.Bool // see Edited
}

// newTable creates the table of template.yaml under a random name, and drops it at the end of the test. Items never
// expire in it: tests set their own times, which can be earlier than the engine's clock.
func newTable(t testing.TB) *Table {
	t.Helper()
	require.NotNil(t, local, "no engine was started: the package's tests want func TestMain(m *testing.M) { storetest.Main(m) }")
	name := "test-" + rand.Text()
	require.NoError(t, engine.CreateTable(t.Context(), direct, name))
	made := &Table{Name: name, Wire: &Wire{}, Clock: &Clock{}}
	made.Client = Client(local.Endpoint(), made.Wire)
	made.Desk = operate.Open(store.New(made.Client, name, made.Clock.Now))
	made.Rival, _ = made.Another(t)
	t.Cleanup(func() {
		hangUp(made.Client)
		_, err := direct.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name})
		assert.NoError(t, err)
	})
	return made
}

// Another returns another store on the table, and the wire of that store's requests.
func (t *Table) Another(tb testing.TB) (operate.Desk, *Wire) {
	wire := &Wire{}
	client := Client(local.Endpoint(), wire)
	tb.Cleanup(func() { hangUp(client) })
	return operate.Open(store.New(client, t.Name, t.Clock.Now)), wire
}

// hangUp closes a client's idle connections.
func hangUp(c *dynamodb.Client) { c.Options().HTTPClient.(*table.Line).CloseIdleConnections() }

// SlowMachine is the factor by which tests' clients wait longer for a silent engine than the functions do. The cloud
// answers in milliseconds, but a test machine with 50 concurrent tests may need longer.
const SlowMachine = 10

// Client returns a client of the engine with the settings of the deployed functions, except that it waits SlowMachine
// times as long for a silent engine. All requests of the client pass the wire.
func Client(endpoint string, wire *Wire) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: aws.String(endpoint), Credentials: running.Credentials(),
	}, table.ClientOptions, func(o *dynamodb.Options) {
		line := o.HTTPClient.(*table.Line)
		line.Silence *= SlowMachine
		line.Transport = wire.transport(line.Transport)
		o.APIOptions = append(o.APIOptions, wire.middleware, mutantwire.Weaken)
	})
}

// Clock shows the real time, or the time of Stop, plus the durations of all calls of Move.
type Clock struct {
	offset  atomic.Int64
	stopped atomic.Pointer[time.Time]
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	now := time.Now()
	if at := c.stopped.Load(); at != nil {
		now = *at
	}
	return now.Add(time.Duration(c.offset.Load()))
}

// Stop stops the clock: from then on, only Move changes its time, so that no time limit passes by itself.
func (c *Clock) Stop() { c.stopped.Store(new(time.Now())) }

// Move moves the clock forward by d.
func (c *Clock) Move(d time.Duration) { c.offset.Add(int64(d)) }

// Endpoint returns the base URL of the engine that Main has started.
func Endpoint() string { return local.Endpoint() }
