package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// fixture is a table on the real engine behind a server that plays faults.
type fixture struct {
	*dynamo.Server
	name *string
	once *dynamodb.Client // behind the faults; makes one attempt of each request
	db   *dynamodb.Client // behind the faults; as the service's own
	past *dynamodb.Client // past the faults
}

func newFixture(t *testing.T, line string) *fixture {
	t.Helper()
	o, err := dynamo.Parse(line)
	if err != nil {
		t.Fatal(err)
	}
	server, err := dynamo.Start(dynamo.Config{Engine: storetest.Endpoint(), Options: o})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := server.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	f := &fixture{Server: server, name: aws.String(storetest.NewScene(t, 0).Name)}
	f.once = client(t, server.Endpoint(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	f.db = client(t, server.Endpoint(), store.ClientOptions)
	f.past = client(t, storetest.Endpoint(), store.ClientOptions)
	return f
}

// client returns one that does not outlive the test's connections.
func client(t *testing.T, endpoint string, change func(*dynamodb.Options)) *dynamodb.Client {
	c := dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: &endpoint, Credentials: running.Credentials(), HTTPClient: &http.Client{Transport: &http.Transport{}},
	}, change)
	t.Cleanup(func() {
		if h, is := c.Options().HTTPClient.(*http.Client); is {
			h.CloseIdleConnections()
		}
	})
	return c
}

func keyOf(sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "p"}, "SK": &types.AttributeValueMemberS{Value: sk}}
}

// add adds 1 to each of the items in one transaction.
func (f *fixture) add(ctx context.Context, db *dynamodb.Client, items ...string) error {
	in := &dynamodb.TransactWriteItemsInput{}
	for _, sk := range items {
		in.TransactItems = append(in.TransactItems, types.TransactWriteItem{Update: &types.Update{
			TableName: f.name, Key: keyOf(sk), UpdateExpression: aws.String("ADD n :one"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
		}})
	}
	_, err := db.TransactWriteItems(ctx, in)
	return err
}

// put puts an item.
func (f *fixture) put(ctx context.Context, db *dynamodb.Client, sk string) error {
	_, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: f.name, Item: keyOf(sk)})
	return err
}

// read returns the value of an item; 0 for one that is not there, or has none.
func (f *fixture) read(ctx context.Context, db *dynamodb.Client, sk string) (n int, there bool, err error) {
	out, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: f.name, Key: keyOf(sk), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return 0, false, err
	}
	if v, is := out.Item["n"].(*types.AttributeValueMemberN); is {
		n, err = strconv.Atoi(v.Value)
	}
	return n, out.Item != nil, err
}

// stored reports whether the engine has an item.
func (f *fixture) stored(t *testing.T, sk string) bool {
	t.Helper()
	_, there, err := f.read(t.Context(), f.past, sk)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// told says what a client learns of its one attempt.
func told(err error) string {
	var cancelled *types.TransactionCanceledException
	var api smithy.APIError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &cancelled):
		var codes []string
		for _, r := range cancelled.CancellationReasons {
			codes = append(codes, aws.ToString(r.Code))
		}
		return strings.Join(codes, " ")
	case errors.As(err, &api) && api.ErrorCode() != "":
		return api.ErrorCode()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "unexpected EOF") || strings.Contains(err.Error(), "deserialization failed"):
		return "broken"
	case errors.Is(err, io.EOF) || strings.Contains(err.Error(), "EOF") || errors.Is(err, syscall.ECONNRESET):
		return "cut"
	}
	return err.Error()
}

// Each fault, alone and certain: what one attempt of a write is told, and what has become of it.
func TestEachFault(t *testing.T) {
	t.Parallel()
	for fault, want := range map[dynamo.Fault]struct {
		plain, transaction []string // what may be told
		applied            bool
	}{
		dynamo.Conflict: {[]string{"TransactionConflictException"}, []string{"TransactionConflict None", "None TransactionConflict"}, false},
		dynamo.Throttle: {[]string{"ProvisionedThroughputExceededException", "ThrottlingException"},
			[]string{"ThrottlingError None", "None ThrottlingError", "ThrottlingException"}, false},
		dynamo.Error:      {[]string{"InternalServerError"}, []string{"InternalServerError"}, false},
		dynamo.ErrorAfter: {[]string{"InternalServerError"}, []string{"InternalServerError"}, true},
		dynamo.Lost:       {[]string{"cut"}, []string{"cut"}, true},
		dynamo.Broken:     {[]string{"broken"}, []string{"broken"}, true},
		dynamo.Late:       {[]string{"InternalServerError", "cut"}, []string{"InternalServerError", "cut"}, true},
		dynamo.Slow:       {[]string{"done"}, []string{"done"}, true},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, fmt.Sprintf("%s=100%%,slow-by=5ms,late-by=5ms,hold=1ms", fault))
			for i := range 6 {
				if got := told(f.put(t.Context(), f.once, fmt.Sprint("put", i))); !slices.Contains(want.plain, got) {
					t.Errorf("a put is told %q, want one of %q", got, want.plain)
				}
				if got := told(f.add(t.Context(), f.once, fmt.Sprint("one", i), fmt.Sprint("two", i))); !slices.Contains(want.transaction, got) {
					t.Errorf("a transaction is told %q, want one of %q", got, want.transaction)
				}
			}
			if got := f.Proxy.Status(); got.Faults[string(fault)] != 12 || got.Requests != 12 || !got.On {
				t.Errorf("it has counted %+v", got)
			}
			if err := f.Proxy.Switch(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			for i := range 6 {
				for _, sk := range []string{"put", "one", "two"} {
					if got := f.stored(t, fmt.Sprint(sk, i)); got != want.applied {
						t.Errorf("%s %d is stored: %v, want %v", sk, i, got, want.applied)
					}
				}
			}
		})
	}
}

// Whatever is played, a client like the service's own brings each transaction about once.
func TestOnceThroughFaults(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"all=6%,late=0,hold=3ms,slow-by=3ms,outage=5ms,seed=1", "late=40%,late-by=30ms,hold=3ms,seed=2", "lost=15%,broken=15%,error-after=15%,hold=5ms,seed=3"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, line)
			for i := range 25 {
				for {
					err := f.add(t.Context(), f.db, "a", "b")
					if err == nil {
						break
					}
					if what := told(err); strings.Contains(what, "TransactionConflict") || strings.Contains(what, "ThrottlingError") {
						continue // no attempt was applied, and none is on its way: it takes another transaction
					}
					t.Fatalf("transaction %d: %v", i, err)
				}
			}
			if err := f.Proxy.Switch(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			for _, sk := range []string{"a", "b"} {
				if n, _, err := f.read(t.Context(), f.db, sk); n != 25 || err != nil {
					t.Errorf("%s is %d after 25 transactions, %v", sk, n, err)
				}
			}
		})
	}
}

// Whether or not a server has noticed that its listener is closed, it ends without an error.
func TestClose(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		server, err := dynamo.Start(dynamo.Config{Engine: storetest.Endpoint()})
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.Get(server.Endpoint()) // from then on it listens
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if err := server.Close(t.Context()); err != nil {
			t.Fatal(i, err)
		}
	}
}

// The same requests in the same order meet the same.
func TestSeed(t *testing.T) {
	t.Parallel()
	play := func(seed int) (all []string) {
		f := newFixture(t, fmt.Sprintf("all=9%%,refuse=0,late-by=0s,slow-by=0s,seed=%d", seed))
		for i := range 60 {
			sk := fmt.Sprint(i)
			_, there, err := f.read(t.Context(), f.once, sk)
			all = append(all, told(f.put(t.Context(), f.once, sk)), told(f.add(t.Context(), f.once, "x"+sk, "y"+sk)), fmt.Sprint(there, told(err)))
		}
		return all
	}
	first, second, other := play(11), play(11), play(12)
	if !slices.Equal(first, second) {
		t.Errorf("the same seed: %q, then %q", first, second)
	}
	if slices.Equal(first, other) {
		t.Error("another seed plays the same")
	}
}

// Nobody can connect for a while, and then again.
func TestRefuse(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "refuse=100%,outage=1m")
	idle := client(t, f.Endpoint(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	if _, err := idle.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: f.name}); err != nil {
		t.Fatal(err) // what neither reads nor writes items meets no fault
	}
	if got := told(f.put(t.Context(), f.once, "a")); got != "cut" {
		t.Errorf("the request itself is told %q", got)
	}
	if got := told(f.put(t.Context(), f.once, "a")); got != "refused" {
		t.Errorf("the next one is told %q", got)
	}
	if got := told(f.put(t.Context(), idle, "a")); got != "cut" && got != "refused" {
		t.Errorf("a connection that was there is told %q", got)
	}
	if f.stored(t, "a") {
		t.Error("it is stored")
	}
	again := newFixture(t, "refuse=50%,outage=2ms")
	for i := range 10 {
		if err := again.put(t.Context(), again.db, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := again.Proxy.Status().Faults["refuse"]; got == 0 {
		t.Error("nothing was refused")
	}
}

// An outage that is over before the server has noticed that it does not listen is no failure of the server's.
func TestRefuse_shortly(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "refuse=100%,outage=0s")
	for i := range 100 {
		if got := told(f.put(t.Context(), f.once, "a")); got != "cut" && got != "refused" {
			t.Fatalf("put %d is told %q", i, got)
		}
	}
	select {
	case err := <-f.Failed():
		t.Error(err)
	default:
	}
}

// A batch is carried out in part, until all of it is done.
func TestUnprocessed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "unprocessed=100%")
	var writes []types.WriteRequest
	var keys []map[string]types.AttributeValue
	for i := range 10 {
		keys = append(keys, keyOf(fmt.Sprint(i)))
		writes = append(writes, types.WriteRequest{PutRequest: &types.PutRequest{Item: keyOf(fmt.Sprint(i))}})
	}
	rounds, left := 0, map[string][]types.WriteRequest{*f.name: writes}
	for ; len(left) > 0; rounds++ {
		before := len(left[*f.name])
		out, err := f.once.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: left})
		if err != nil {
			t.Fatal(err)
		}
		if left = out.UnprocessedItems; len(left[*f.name]) >= before {
			t.Fatalf("of %d items %d are left", before, len(left[*f.name]))
		}
	}
	if rounds < 2 || !f.stored(t, "0") || !f.stored(t, "9") {
		t.Errorf("it was written in %d rounds", rounds)
	}
	found, wanted := 0, map[string]types.KeysAndAttributes{*f.name: {Keys: keys, ConsistentRead: aws.Bool(true)}}
	for rounds = 0; len(wanted) > 0; rounds++ {
		out, err := f.once.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: wanted})
		if err != nil {
			t.Fatal(err)
		}
		found += len(out.Responses[*f.name])
		if wanted = out.UnprocessedKeys; len(wanted) > 0 && !aws.ToBool(wanted[*f.name].ConsistentRead) {
			t.Error("the rest would be read otherwise")
		}
	}
	if rounds < 2 || found != 10 {
		t.Errorf("%d items were read in %d rounds", found, rounds)
	}
}
