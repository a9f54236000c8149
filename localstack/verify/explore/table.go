package explore

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

// table sends requests of calls inside a bubble to the engine. It works outside the bubble, since connections stay open
// and a bubble waits for all its goroutines. A caller waits on outer channels, so the bubble's clock stands still.
type table struct {
	front *visibility.Front
	ask   chan func()
	done  chan struct{}
}

// newTable returns a table that sends requests to next. The caller must close the channel ask.
func newTable(next http.RoundTripper) *table {
	t := &table{front: visibility.New(next), ask: make(chan func()), done: make(chan struct{})}
	go func() {
		for do := range t.ask {
			do()
			t.done <- struct{}{}
		}
	}()
	return t
}

// outside runs do outside the bubble, and waits for it.
func (t *table) outside(do func()) {
	t.ask <- do
	<-t.done
}

// read answers a read. sees decides for each hidden item that the read reaches whether the read sees the item.
func (t *table) read(a *attempt, sees func(protocol.Key) bool) (got answer) {
	t.outside(func() {
		if got = newAnswer(t.front.Read(a.Request, sees)); got.err == nil {
			got.body = protocol.LeaveOut(got.body, a.rest)
		}
	})
	return got
}

// one returns an attempt for only the n-th item of a batch of reads, in the order of the items' keys. The others are
// unprocessed.
func (a *attempt) one(n int) *attempt {
	is := func(i int) bool { return a.Reads[n].Has(a.Items[i].Key) }
	body := a.Batch.Where(is).In(a.Body, "RequestItems")
	request, err := protocol.Parse(protocol.WithBody(a.HTTP, body))
	if err != nil {
		panic(err) // cannot happen with a part of a request
	}
	rest := a.Batch.Where(func(i int) bool { return !is(i) })
	return &attempt{Request: request, call: a.call, number: a.number, rest: rest}
}

// write sends a write to the engine. commit is the transaction that this write applied. It is nil for another write, a
// failure, or a repetition.
func (t *table) write(a *attempt) (got answer, commit *visibility.Commit) {
	t.outside(func() {
		response, applied, err := t.front.Write(a.Request)
		got, commit = newAnswer(response, err), applied
	})
	return got, commit
}

// show makes items of an open transaction visible.
func (t *table) show(commit *visibility.Commit, keys ...protocol.Key) {
	t.must(func() error { return commit.Show(keys...) })
}

// end makes all items of an open transaction visible, and releases them.
func (t *table) end(commit *visibility.Commit) { t.must(commit.End) }

func (t *table) must(do func() error) {
	t.outside(func() {
		if err := do(); err != nil {
			panic(err) // the engine is gone
		}
	})
}

func newAnswer(response *http.Response, err error) answer {
	if err != nil {
		return answer{err: err}
	}
	body, err := protocol.ReadAll(response.Body, response.ContentLength)
	return answer{response.StatusCode, body, err}
}

// text identifies an answer. The order of the members in its JSON makes no difference.
func (a answer) text() string {
	var body any
	_ = json.Unmarshal(a.body, &body) // nil for an answer without JSON
	return fmt.Sprint(a.status, a.err, body)
}
