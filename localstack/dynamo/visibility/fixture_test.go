package visibility_test

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

func TestMain(m *testing.M) {
	_ = flag.Set("rapid.checks", "30") // each is some fifty requests
	storetest.Main(m)
}

// fixture is a table on the real engine behind a Front that the test drives.
type fixture struct {
	*visibility.Front
	name   *string
	db     *dynamodb.Client // through the Front, without retries
	direct *dynamodb.Client // past it

	mu       sync.Mutex
	commits  []*visibility.Commit          // in the order of their transactions
	sees     func(key visibility.Key) bool // nil sees nothing
	requests []*visibility.Request
	engine   []string               // the operations that have reached it
	reaches  func(operation string) // called before a request reaches it; nil for none
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{name: aws.String(storetest.NewScene(t, 0).Name)}
	pool := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(pool.CloseIdleConnections)
	f.Front = visibility.New(roundTripper(func(r *http.Request) (*http.Response, error) {
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		f.mu.Lock()
		f.engine = append(f.engine, operation)
		reaches := f.reaches
		f.mu.Unlock()
		if reaches != nil {
			reaches(operation)
		}
		return pool.RoundTrip(r)
	}))
	f.db, f.direct = client(roundTripper(f.drive)), client(pool)
	return f
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// drive is what a driver does: it sends each request to where it belongs.
func (f *fixture) drive(r *http.Request) (*http.Response, error) {
	request, err := f.Parse(r)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.requests = append(f.requests, request)
	f.mu.Unlock()
	if !request.Changes() {
		return f.Read(request, func(k visibility.Key) bool { return f.sees != nil && f.sees(k) })
	}
	answer, commit, err := f.Write(request)
	if commit != nil {
		f.mu.Lock()
		f.commits = append(f.commits, commit)
		f.mu.Unlock()
	}
	return answer, err
}

// last returns the last commit.
func (f *fixture) last() *visibility.Commit { return f.commits[len(f.commits)-1] }

// reached says which operations have reached the engine since it was last asked.
func (f *fixture) reached() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.engine
	f.engine = nil
	return all
}

func client(transport http.RoundTripper) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: running.Region, BaseEndpoint: aws.String(storetest.Endpoint()), Credentials: running.Credentials(),
		HTTPClient: &http.Client{Transport: transport}, Retryer: aws.NopRetryer{},
	})
}

type attributes = map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func num(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }

// keyOf returns the key of "pk/sk".
func keyOf(name string) attributes {
	pk, sk, _ := strings.Cut(name, "/")
	return attributes{"PK": str(pk), "SK": str(sk)}
}

// item returns the item "pk/sk" with the value v.
func item(name, v string) attributes {
	i := keyOf(name)
	i["v"] = str(v)
	return i
}

// key is the Key of "pk/sk".
func (f *fixture) key(name string) visibility.Key {
	pk, sk, _ := strings.Cut(name, "/")
	return visibility.Key{Table: *f.name, PK: pk, SK: sk}
}

// show returns an item as "pk/sk=v".
func show(i attributes) string {
	text := func(name string) string {
		if v, is := i[name].(*types.AttributeValueMemberS); is {
			return v.Value
		}
		return ""
	}
	return text("PK") + "/" + text("SK") + "=" + text("v")
}

func shows(items []attributes) (all []string) {
	for _, i := range items {
		all = append(all, show(i))
	}
	return all
}

// put writes items past the Front, each "pk/sk=v".
func (f *fixture) put(t *testing.T, items ...string) {
	t.Helper()
	for _, i := range items {
		name, v, _ := strings.Cut(i, "=")
		if _, err := f.direct.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: item(name, v)}); err != nil {
			t.Fatal(err)
		}
	}
}

// do carries out a transaction: "pk/sk=v" is put, "-pk/sk" deleted, "?pk/sk" checked to be there.
func (f *fixture) do(ctx context.Context, token string, actions ...string) error {
	in := &dynamodb.TransactWriteItemsInput{}
	if token != "" {
		in.ClientRequestToken = &token
	}
	for _, a := range actions {
		in.TransactItems = append(in.TransactItems, f.action(a))
	}
	_, err := f.db.TransactWriteItems(ctx, in)
	return err
}

func (f *fixture) action(a string) types.TransactWriteItem {
	switch a[0] {
	case '-':
		return types.TransactWriteItem{Delete: &types.Delete{TableName: f.name, Key: keyOf(a[1:])}}
	case '?':
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: f.name, Key: keyOf(a[1:]), ConditionExpression: aws.String("attribute_exists(PK)"),
		}}
	}
	name, v, _ := strings.Cut(a, "=")
	return types.TransactWriteItem{Put: &types.Put{TableName: f.name, Item: item(name, v)}}
}

// commit carries out a transaction that must succeed.
func (f *fixture) commit(t *testing.T, actions ...string) *visibility.Commit {
	t.Helper()
	if err := f.do(t.Context(), "", actions...); err != nil {
		t.Fatal(err)
	}
	return f.last()
}

// get returns an item as "pk/sk=v"; "" if it is not there.
func (f *fixture) get(t *testing.T, name string) string {
	t.Helper()
	out, err := f.db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: f.name, Key: keyOf(name), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	if out.Item == nil {
		return ""
	}
	return show(out.Item)
}

// query returns all of a partition, read in pages of so many items (0: no limit).
func (f *fixture) query(t *testing.T, pk string, limit int32, change ...func(*dynamodb.QueryInput)) (all []string) {
	t.Helper()
	in := &dynamodb.QueryInput{
		TableName: f.name, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :p"), ExpressionAttributeValues: attributes{":p": str(pk)},
	}
	if limit > 0 {
		in.Limit = &limit
	}
	for _, c := range change {
		c(in)
	}
	for pages := dynamodb.NewQueryPaginator(f.db, in); pages.HasMorePages(); {
		out, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if limit > 0 && (out.ScannedCount > limit || out.ScannedCount < limit && out.LastEvaluatedKey != nil) || int(out.Count) != len(out.Items) {
			t.Errorf("a page of %d has %d items, of %d", limit, out.Count, out.ScannedCount)
		}
		all = append(all, shows(out.Items)...)
	}
	return all
}

// scan returns all of the table, sorted, read in pages of so many items (0: no limit), in so many segments.
func (f *fixture) scan(t *testing.T, limit, segments int32, change ...func(*dynamodb.ScanInput)) (all []string) {
	t.Helper()
	for segment := range segments {
		in := &dynamodb.ScanInput{TableName: f.name, ConsistentRead: aws.Bool(true)}
		if segments > 1 {
			in.Segment, in.TotalSegments = aws.Int32(segment), aws.Int32(segments)
		}
		if limit > 0 {
			in.Limit = &limit
		}
		for _, c := range change {
			c(in)
		}
		for pages := dynamodb.NewScanPaginator(f.db, in); pages.HasMorePages(); {
			out, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if limit > 0 && (out.ScannedCount > limit || out.ScannedCount < limit && out.LastEvaluatedKey != nil) || int(out.Count) != len(out.Items) {
				t.Errorf("a page of %d has %d items, of %d", limit, out.Count, out.ScannedCount)
			}
			all = append(all, shows(out.Items)...)
		}
	}
	slices.Sort(all)
	return all
}

func checkEqual(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// batchGet returns those of the items that are there, sorted.
func (f *fixture) batchGet(t *testing.T, names ...string) []string {
	t.Helper()
	asked := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, name := range names {
		asked.Keys = append(asked.Keys, keyOf(name))
	}
	out, err := f.db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{*f.name: asked}})
	if err != nil {
		t.Fatal(err)
	}
	all := shows(out.Responses[*f.name])
	slices.Sort(all)
	return all
}

// containsWord reports whether a placeholder stands in a text, and not only the beginning of another one.
func containsWord(text, word string) bool {
	return regexp.MustCompile(regexp.QuoteMeta(word) + `\b`).MatchString(text)
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func sameJSON(a, b any) bool { return asJSON(a) == asJSON(b) }
