package capacity_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// fixture is a table on the real engine, with limits before it and a clock that moves only when it is told to.
type fixture struct {
	*capacity.Limits
	name   *string
	db     *dynamodb.Client // through the limits, without retries
	direct *dynamodb.Client // past them
	clock  *clock
	wire   *wire // between the limits and the engine
}

func newFixture(t *testing.T, o capacity.Options) *fixture {
	t.Helper()
	f := &fixture{name: aws.String(storetest.NewScene(t, 0).Name), clock: &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}
	pool := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(pool.CloseIdleConnections)
	o.Clock = f.clock
	f.Limits, f.wire = capacity.New(o), &wire{next: pool}
	f.db, f.direct = client(f.Transport(f.wire)), client(pool)
	return f
}

func client(transport http.RoundTripper) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: aws.String(storetest.Endpoint()), Credentials: running.Credentials(),
		HTTPClient: &http.Client{Transport: transport}, Retryer: aws.NopRetryer{},
	})
}

// clock is moved by the test, and by whoever sleeps.
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

// wire keeps the last exchange with the engine, and can stop the next one on its way there.
type wire struct {
	next http.RoundTripper

	mu             sync.Mutex
	sent, received []byte
	header         http.Header
	operations     []string
	stop           *stop
}

// stop is a request that does not go on before it is told to.
type stop struct {
	operation   string
	reached, on chan struct{}
}

// stopNext stops the next request of the operation.
func (w *wire) stopNext(operation string) *stop {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop = &stop{operation: operation, reached: make(chan struct{}), on: make(chan struct{})}
	return w.stop
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body.Close()
	w.mu.Lock()
	w.operations = append(w.operations, operation)
	stopped := w.stop
	if stopped != nil && stopped.operation == operation {
		w.stop = nil
	} else {
		stopped = nil
	}
	w.mu.Unlock()
	if stopped != nil {
		close(stopped.reached)
		<-stopped.on
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(sent))
	response, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	received, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(received))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent, w.received, w.header = sent, received, response.Header.Clone()
	return response, nil
}

// count returns how many requests of an operation have reached the engine.
func (w *wire) count(operation string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, o := range w.operations {
		if o == operation {
			n++
		}
	}
	return n
}

type attributes = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func keyOf(pk, sk string) attributes { return attributes{"PK": str(pk), "SK": str(sk)} }

// sized returns an item of so many bytes, at least those of its key.
func sized(pk, sk string, bytes int) attributes {
	item := keyOf(pk, sk)
	item["v"] = str(strings.Repeat("x", bytes-len("PK"+pk+"SK"+sk+"v")))
	return item
}

// kilobytes is a size, rounded to bytes.
func kilobytes(n float64) int { return int(n * 1024) }

// put writes items past the limits.
func (f *fixture) put(t *testing.T, items ...attributes) {
	t.Helper()
	for _, item := range items {
		if _, err := f.direct.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fixture) get(ctx context.Context, pk, sk string) error {
	_, err := f.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: f.name, Key: keyOf(pk, sk), ConsistentRead: aws.Bool(true)})
	return err
}

func (f *fixture) query(ctx context.Context, pk string) (*dynamodb.QueryOutput, error) {
	return f.db.Query(ctx, &dynamodb.QueryInput{
		TableName: f.name, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :p"),
		ExpressionAttributeValues: attributes{":p": str(pk)},
	})
}

// batchGet reads keys, each "pk/sk".
func (f *fixture) batchGet(ctx context.Context, keys ...string) (*dynamodb.BatchGetItemOutput, error) {
	return f.db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		*f.name: {Keys: split(keys), ConsistentRead: aws.Bool(true)},
	}})
}

func split(keys []string) (all []attributes) {
	for _, k := range keys {
		pk, sk, _ := strings.Cut(k, "/")
		all = append(all, keyOf(pk, sk))
	}
	return all
}

// names returns the keys of items, each "pk/sk".
func names(items []attributes) (all []string) {
	for _, item := range items {
		all = append(all, item["PK"].(*types.AttributeValueMemberS).Value+"/"+item["SK"].(*types.AttributeValueMemberS).Value)
	}
	return all
}

// transact writes items in one transaction.
func (f *fixture) transact(ctx context.Context, token string, items ...types.TransactWriteItem) error {
	in := &dynamodb.TransactWriteItemsInput{TransactItems: items}
	if token != "" {
		in.ClientRequestToken = &token
	}
	_, err := f.db.TransactWriteItems(ctx, in)
	return err
}

func (f *fixture) putting(item attributes) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: f.name, Item: item}}
}

func (f *fixture) checking(pk, sk, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: f.name, Key: keyOf(pk, sk), ConditionExpression: &condition,
	}}
}

func (f *fixture) updating(pk, sk string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: f.name, Key: keyOf(pk, sk), UpdateExpression: aws.String("SET x = :x"), ExpressionAttributeValues: attributes{":x": str("x")},
	}}
}

func (f *fixture) deleting(pk, sk string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: f.name, Key: keyOf(pk, sk)}}
}

// absent and present are conditions.
const (
	absent  = "attribute_not_exists(PK)"
	present = "attribute_exists(PK)"
)
