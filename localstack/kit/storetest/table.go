// Package storetest gives tests a table of their own on a real engine, a look at what goes over the wire to it
// (capacity, round trips, faults), and scenes to begin with.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	mutantwire "github.com/ranch-game/ranch/localstack/verify/mutants/wire"
	"github.com/ranch-game/ranch/shared/store"
)

var (
	local  *engine.Engine
	direct *dynamodb.Client // to the local engine, without any wire
)

// Main runs a package's tests with an engine of the kind that ENGINE names. Call it from TestMain.
func Main(m *testing.M) {
	os.Exit(Run(m))
}

// Run does what Main does and returns the exit code, for a TestMain that has more to do.
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

// Table is an empty table of a test's own.
type Table struct {
	*store.Store
	Name   string
	Client *dynamodb.Client // made with store.ClientOptions, and watched by Wire
	Wire   *Wire
	Clock  *Clock

	// Rival is a store on the same table whose requests Wire neither counts nor disturbs: the other side of a race.
	Rival *store.Store

	edited atomic.Bool // past the store
}

// newTable creates a table as template.yaml defines it, under a random name. Its items never expire, since tests play
// at instants of their own, which are long over by the engine's clock. It is dropped when the test ends.
func newTable(t testing.TB) *Table {
	t.Helper()
	if local == nil {
		t.Fatal("no engine was started: the package's tests want func TestMain(m *testing.M) { storetest.Main(m) }")
	}
	name := "test-" + rand.Text()
	if err := engine.CreateTable(t.Context(), direct, name); err != nil {
		t.Fatal(err)
	}
	table := &Table{Name: name, Wire: &Wire{}, Clock: &Clock{}}
	table.Client = Client(local.Endpoint(), table.Wire)
	table.Store = store.New(table.Client, name, table.Clock.Now)
	table.Rival, _ = table.Another(t)
	t.Cleanup(func() {
		hangUp(table.Client)
		if _, err := direct.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
			t.Error(err)
		}
	})
	return table
}

// Another returns one more store on the table, with a wire of its own.
func (t *Table) Another(tb testing.TB) (*store.Store, *Wire) {
	wire := &Wire{}
	client := Client(local.Endpoint(), wire)
	tb.Cleanup(func() { hangUp(client) })
	return store.New(client, t.Name, t.Clock.Now), wire
}

// hangUp closes a client's idle connections.
func hangUp(c *dynamodb.Client) {
	(&http.Client{Transport: c.Options().HTTPClient.(*store.Line).Transport}).CloseIdleConnections()
}

// SlowMachine is how many times as long a client of tests waits for a silent engine: the cloud answers in milliseconds,
// and a test machine that does 50 things at once may not.
const SlowMachine = 10

// Client returns a client as the functions have it, for the engine at the endpoint, that wire watches.
func Client(endpoint string, wire *Wire) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: aws.String(endpoint), Credentials: running.Credentials(),
	}, store.ClientOptions, func(o *dynamodb.Options) {
		line := o.HTTPClient.(*store.Line)
		line.Silence *= SlowMachine
		line.Transport = wire.transport(line.Transport)
		o.APIOptions = append(o.APIOptions, wire.middleware, mutantwire.Weaken)
	})
}

// Clock is the real time, moved by what a test says.
type Clock struct {
	offset  atomic.Int64
	stopped atomic.Pointer[time.Time]
}

// Now returns the time as moved.
func (c *Clock) Now() time.Time {
	now := time.Now()
	if at := c.stopped.Load(); at != nil {
		now = *at
	}
	return now.Add(time.Duration(c.offset.Load()))
}

// Stop lets no time pass from now on but by Move: what ends by itself lasts.
func (c *Clock) Stop() {
	now := time.Now()
	c.stopped.Store(&now)
}

// Move lets d pass at once.
func (c *Clock) Move(d time.Duration) { c.offset.Add(int64(d)) }

// Endpoint returns where the engine of this test run is.
func Endpoint() string { return local.Endpoint() }
