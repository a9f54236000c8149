package dynamo_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/dynamo"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// values reads three items at once.
func (f *fixture) values(t *testing.T) [3]string {
	t.Helper()
	out, err := f.db.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		*f.name: {Keys: []map[string]types.AttributeValue{keyOf("0"), keyOf("1"), keyOf("2")}, ConsistentRead: aws.Bool(true)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var all [3]string
	for _, i := range out.Responses[*f.name] {
		all[i["SK"].(*types.AttributeValueMemberS).Value[0]-'0'] = i["n"].(*types.AttributeValueMemberN).Value
	}
	return all
}

// A reader finds a transaction in part, another writer is refused, and who has written is told when it is over.
func TestItemByItem(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "hold=20ms,seed=5")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	done := make(chan error)
	go func() {
		for {
			err := f.add(ctx, f.once, "0", "1", "2")
			if err != nil && !strings.Contains(told(err), "TransactionConflict") {
				done <- err
				return
			}
		}
	}()
	inPart, refused := false, false
	for ctx.Err() == nil && !(inPart && refused) {
		v := f.values(t)
		inPart = inPart || v[0] != v[1] || v[1] != v[2]
		_, err := f.once.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: f.name, Key: keyOf("1"), ConditionExpression: aws.String("attribute_exists(nothing)")})
		refused = refused || errors.As(err, new(*types.TransactionConflictException))
	}
	if !inPart || !refused {
		t.Errorf("a transaction was seen in part: %v, a writer refused: %v", inPart, refused)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s := f.Proxy.Status(); s.Effects["held"] == 0 || s.Effects["met-conflict"] == 0 {
		t.Errorf("it has counted %+v", s)
	}
}

// control asks the control.
func control(t *testing.T, f *fixture, method, body string) (dynamo.Status, int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, f.Control(), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var s dynamo.Status
	if err := json.NewDecoder(answer.Body).Decode(&s); answer.StatusCode == http.StatusOK && err != nil {
		t.Error(err)
	}
	return s, answer.StatusCode
}

// The control tells what was played, ends it, and begins it again.
func TestControl(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "late=100%,late-by=100ms,seed=3")
	if err := f.add(t.Context(), f.once, "a"); err == nil {
		t.Fatal("the client is told that it is done")
	}
	if s, status := control(t, f, "GET", ""); status != http.StatusOK || !s.On || s.Seed != 3 || s.Requests != 1 || s.Faults["late"] != 1 || s.Faults["lost"] != 0 {
		t.Errorf("%d %+v", status, s)
	}
	if s, status := control(t, f, "POST", `{"on": false}`); status != http.StatusOK || s.On || s.Pending != 0 || s.Effects["late-accepted"] != 1 {
		t.Errorf("%d %+v", status, s)
	}
	if n, _, err := f.read(t.Context(), f.past, "a"); n != 1 || err != nil {
		t.Errorf("once it is off, the late attempt has made it %d, %v", n, err)
	}
	if err := f.add(t.Context(), f.once, "a"); err != nil {
		t.Errorf("off: %v", err)
	}
	if s, status := control(t, f, "POST", `{"on": true}`); status != http.StatusOK || !s.On || s.Requests != 1 {
		t.Errorf("%d %+v", status, s)
	}
	if err := f.add(t.Context(), f.once, "a"); err == nil {
		t.Error("on again: the client is told that it is done")
	}
	for _, c := range []struct {
		method, body string
		want         int
	}{{"POST", `{}`, 400}, {"POST", `off`, 400}, {"DELETE", ``, 405}} {
		if _, status := control(t, f, c.method, c.body); status != c.want {
			t.Errorf("%s %s: %d, want %d", c.method, c.body, status, c.want)
		}
	}
}

// It keeps to this machine and to programs, unless it is told otherwise.
func TestLoopbackOnly(t *testing.T) {
	t.Parallel()
	if s, err := dynamo.Start(dynamo.Config{Engine: storetest.Endpoint(), Listen: "0.0.0.0:0"}); err == nil {
		_ = s.Close(t.Context())
		t.Error("it listens on all addresses")
	}
	open, err := dynamo.Start(dynamo.Config{Engine: storetest.Endpoint(), Listen: "0.0.0.0:0", Open: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := open.Close(t.Context()); err != nil {
		t.Error(err)
	}
	f := newFixture(t, "")
	for _, address := range []string{f.Endpoint(), f.Control()} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "https://page.example")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("a web page is answered %s by %s", answer.Status, address)
		}
	}
	for _, engine := range []string{"", "127.0.0.1:8000", "http://"} {
		if s, err := dynamo.Start(dynamo.Config{Engine: engine}); err == nil {
			_ = s.Close(t.Context())
			t.Errorf("%q is taken for an engine", engine)
		}
	}
}

// An engine that is gone is a failure that passes, to the client.
func TestWithoutTheEngine(t *testing.T) {
	t.Parallel()
	server, err := dynamo.Start(dynamo.Config{Engine: "http://127.0.0.1:9"})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{Server: server, name: aws.String("table")}
	once := client(t, server.Endpoint(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	if got := told(f.put(t.Context(), once, "a")); got != "InternalServerError" {
		t.Errorf("it is told %q", got)
	}
	if err := server.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
