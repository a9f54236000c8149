package explore

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
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

// newTable returns a table that sends requests to next. The caller must close the table.
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

func (t *table) close() { close(t.ask) }

// outside runs do outside the bubble, and waits for it.
func (t *table) outside(do func()) {
	t.ask <- do
	<-t.done
}

// reply is a response with its whole body. It leaves out the date, since the engine's clock is not the bubble's.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func newReply(r *http.Response) (reply, error) {
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	r.Header.Del("Date")
	return reply{r.StatusCode, r.Header, body}, err
}

// response returns the reply as the response to a request.
func (r reply) response(to *http.Request) *http.Response {
	return &http.Response{
		StatusCode: r.status, Status: http.StatusText(r.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: r.header.Clone(), Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)), Request: to,
	}
}

// parse parses the request of the attempt.
func (a *attempt) parse() {
	var err error
	if a.Request, err = protocol.Parse(a.http); err != nil {
		panic(err) // cannot happen with the store's requests
	}
}

// read answers a read. sees decides for each hidden item that the read reaches whether the read sees the item.
func (t *table) read(a *attempt, sees func(protocol.Key) bool) (got answer) {
	t.outside(func() {
		response, err := t.front.Read(a.Request, sees)
		if got = newAnswer(response, err); a.rest != nil && got.err == nil {
			whole, _ := protocol.LeaveOut(a.Operation, got.reply.body, a.rest)
			protocol.SetBody(response, whole)
			got = newAnswer(response, nil)
		}
	})
	return got
}

// one returns an attempt for only the n-th item of a batch of reads, in the order of the items' keys. The others are
// unprocessed.
func (a *attempt) one(n int) *attempt {
	is := func(i int) bool {
		return a.Items[i].Key.Compare(protocol.Key{Table: a.Reads[n].Table, PK: a.Reads[n].PK, SK: a.Reads[n].From}) == 0
	}
	part := &attempt{call: a.call, number: a.number, rest: a.Batch.Where(func(i int) bool { return !is(i) })}
	part.http = protocol.WithBody(a.http, a.Batch.Where(is).In(a.Body, "RequestItems"))
	part.parse()
	return part
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
	t.outside(func() {
		if err := commit.Show(keys...); err != nil {
			panic(err) // the engine is gone
		}
	})
}

// end makes all items of an open transaction visible, and releases them.
func (t *table) end(commit *visibility.Commit) {
	t.outside(func() {
		if err := commit.End(); err != nil {
			panic(err) // the engine is gone
		}
	})
}

func newAnswer(response *http.Response, err error) (a answer) {
	if err == nil {
		a.reply, err = newReply(response)
	}
	a.err = err
	return a
}

// digest identifies an answer. The order of the members in its JSON makes no difference.
type digest [sha256.Size]byte

func (a answer) digest() digest {
	var body any
	text := a.reply.body
	if json.Unmarshal(text, &body) == nil {
		text = protocol.Marshal(body)
	}
	return sha256.Sum256(fmt.Appendf(nil, "%d %v %s", a.reply.status, a.err, text))
}
