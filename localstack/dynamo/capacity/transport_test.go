package capacity_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/kit/racetest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// asking sets the header that says who asks.
type asking struct {
	who  string
	next http.RoundTripper
}

func (a asking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Amzn-Trace-Id", a.who)
	return a.next.RoundTrip(r)
}

// Behind a reverse proxy, which is how the functions meet the limits, everything arrives as it does without: answers,
// refusals, and who has asked.
func TestBehindAReverseProxy(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionRead: 2})
	engine, err := url.Parse(storetest.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: f.Transport(f.wire), Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(engine) }})
	defer proxy.Close()
	through := func(who string) *dynamodb.Client {
		return dynamodb.New(f.direct.Options(), func(o *dynamodb.Options) {
			o.BaseEndpoint, o.HTTPClient = &proxy.URL, &http.Client{Transport: asking{who, proxy.Client().Transport}}
		})
	}
	f.put(t, sized("a", "1", 3000))
	read := func(who string) error {
		out, err := through(who).GetItem(t.Context(), &dynamodb.GetItemInput{TableName: f.name, Key: keyOf("a", "1"), ConsistentRead: aws.Bool(true)})
		if err == nil && (len(out.Item) != 3 || out.ConsumedCapacity != nil) {
			t.Errorf("%s read %v", who, out)
		}
		return err
	}
	if err := errors.Join(read("Root=1"), read("Root=2")); err != nil {
		t.Fatal(err)
	}
	f.checkThrottled(t, "the third read", read("Root=2"), false, readReason)
	got := map[string]capacity.Counts{}
	for _, row := range f.Snapshot().Rows {
		got[row.Who+" "+row.Operation] = row.Counts
	}
	if len(got) != 2 || got["Root=1 GetItem"] != (capacity.Counts{Requests: 1, Read: 1}) ||
		got["Root=2 GetItem"] != (capacity.Counts{Requests: 2, Read: 1, Throttled: 1}) {
		t.Errorf("metered: %+v", got)
	}
}

func TestWho(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{Who: func(r *http.Request) string { return "by " + r.URL.Host }})
	if err := f.get(t.Context(), "a", "1"); err != nil {
		t.Fatal(err)
	}
	rows := f.Snapshot().Rows
	if len(rows) != 1 || rows[0].Who != "by "+storetest.Endpoint()[len("http://"):] {
		t.Errorf("%+v", rows)
	}
}

// An answer that breaks off fails for the client as it does without limits, and costs what was asked for.
func TestALostAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{Hold: 1})
	if err := f.get(t.Context(), "a", "1"); err != nil { // from here on the table is known
		t.Fatal(err)
	}
	f.wire.next = roundTrip(func(r *http.Request) (*http.Response, error) { return storetest.CutAnswer(r, http.DefaultTransport) })
	if err := f.transact(t.Context(), "", f.updating("a", "1")); err == nil {
		t.Error("the transaction succeeded")
	}
	f.wire.next = http.DefaultTransport
	f.clock.move(time.Second)
	if err := f.transact(t.Context(), "", f.updating("a", "1")); err != nil {
		t.Errorf("and its items are free again: %v", err)
	}
	if written := f.Snapshot().Total().Written; written != 4 {
		t.Errorf("%v units were metered", written)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestTheStoreOnAFreshTable lets forty players enter one show at once, through one gate, on a small table with holds
// and latencies in real time: there are conflicts, everybody gets in once, and the books are right.
func TestTheStoreOnAFreshTable(t *testing.T) {
	t.Parallel()
	s := storetest.NewScene(t, game.InstantOf(time.Now()))
	s.AddFair(t)
	o := capacity.Fresh().Scale(2)
	o.Hold = 4 * time.Millisecond
	l := capacity.New(o)
	http := s.Client.Options().HTTPClient.(*http.Client)
	http.Transport = l.Transport(http.Transport)

	players := make([]storetest.Player, 40)
	for i := range players {
		players[i] = s.AddPlayer(t, storetest.Anybody)
	}
	racetest.AtOnce(len(players), func(i int) {
		if _, _, err := s.Enter(t.Context(), players[i].ID, s.Show.ID, players[i].Animals[0].ID, s.Now); err != nil {
			t.Error(err)
		}
	})
	s.Invariants(t)
	_, entries, err := s.ShowWithEntries(t.Context(), s.Show.ID)
	if err != nil || len(entries) != 40 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	if writes := l.Snapshot().Of("TransactWriteItems"); writes.Conflicts == 0 ||
		writes.Requests != 40+writes.Conflicts+writes.Throttled || writes.Written != 10*float64(40+writes.Conflicts) {
		t.Errorf("%+v", writes)
	}
}

// Requests of all kinds at once, for the race detector, and for what they add up to.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	f := newFixture(t, capacity.Options{PartitionRead: 1e6, PartitionWrite: 1e6, Hold: time.Nanosecond})
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 10 {
				pk, sk := fmt.Sprint("p", i%4), fmt.Sprint(i, "-", j)
				_, query := f.query(t.Context(), pk)
				_, batch := f.batchGet(t.Context(), pk+"/"+sk, "other/"+sk)
				_, put := f.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: f.name, Item: keyOf(pk, sk+"!")})
				transact := f.transact(t.Context(), "", f.putting(keyOf(pk, sk)), f.updating("q", sk))
				if err := errors.Join(transact, f.get(t.Context(), pk, sk), query, batch, put); err != nil {
					t.Error(err)
				}
				f.Snapshot()
			}
		})
	}
	group.Wait()
	if total := f.Snapshot().Total(); total.Requests != 5*80 || total.Written != 80*(2*2+1) || total.Read < 80*4 {
		t.Errorf("%+v", total)
	}
}
